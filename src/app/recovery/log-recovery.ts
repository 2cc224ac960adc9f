import { setTimeout as sleep } from 'node:timers/promises';
import type { Pool } from 'pg';
import type { Logger } from 'pino';
import { readRecoveries, type Recoveries, RECOVERY_LOCK, setRecoveryRow } from '../../commands/recovery.js';
import {
  epochOf,
  FIRST_EPOCH,
  isCovered,
  type LossClaim,
  recovery,
  type RecoveryState,
} from '../../domain/recovery/recovery.decider.js';
import { type NoticedBy, RECOVERY_ID } from '../../domain/recovery/recovery.events.js';
import type { AggregateStore } from '../../event-store/aggregate-store.js';
import { BEGINNING, type EventStoreAdapter } from '../../event-store/port.js';
import { type SeenEvent, type SeenNotes, type StoreRecord, StoreRecords } from '../../event-store/store-records.js';
import { EndedLogTable } from '../../history/transparency-log/ended-logs.js';
import { type LogIdentity, LogTables } from '../../history/transparency-log/log-tables.js';
import { parseCheckpoint, type PublishedCheckpoints } from '../../history/transparency-log/published-checkpoint.js';
import { endLogs, type KnownLog } from '../../history/transparency-log/transparency-log.js';
import type { Instant } from '../../kernel/clock.js';
import { newUuid } from '../../kernel/ids.js';
import { isRejection } from '../../kernel/result.js';
import { viewSchema } from '../../projections/engine/projection.js';
import { RECOVERY_MESSAGES } from '../messages.js';
import { Outcomes, recoveryContext } from './outcomes.js';

const LOCK_LOOK_MS = 250;

type Database = Pick<Pool, 'query'>;

/** An event that a running process has seen, and the recovery that it followed. */
export interface NoticedLoss {
  readonly seen: SeenEvent;
  readonly epoch: string;
  /** Time at which the event was seen, at the latest. */
  readonly at: Instant;
}

/** What made a process look whether a recovery is needed. */
export interface Noticed {
  /** A loss that this process noticed while it ran; null if it has just started. */
  readonly running: NoticedLoss | null;
  /** RESTORED_AT; null if it is not set. */
  readonly setting: { readonly text: string; readonly at: Instant } | null;
  /** True if the checkpoints of the read models are ahead of the store, or another store replaces the former one. */
  readonly readModelsAhead: boolean;
  /** A store that replaces the former one; null to keep it. */
  readonly newStore: StoreRecord | null;
}

/** Parts of a process that a recovery needs, before anything else uses the store. */
interface RecoveryParts {
  readonly pool: Pool;
  readonly store: EventStoreAdapter;
  readonly aggregates: AggregateStore;
  readonly notes: SeenNotes;
  readonly identity: LogIdentity;
  readonly published: PublishedCheckpoints;
  readonly log: Logger;
}

/** Result of a recovery: the counts of outcomes that the read models knew and the store did not. */
export interface Recovered {
  readonly taken: number;
  readonly doubtful: number;
  readonly logEnded: boolean;
}

/**
 * Recovers from lost events (D-80), for both stores, before anything is read or published: takes over what the read
 * models know, appends `RecoveryStarted`, and drops read models that are ahead of the log. From then on the worker marks
 * what was waiting (`sagas/recover`). Every step may be repeated after a crash.
 */
export class LogRecovery {
  constructor(private readonly parts: RecoveryParts) {}

  /** Runs if a loss was noticed that no recovery has handled. Other processes wait. */
  async run(storeId: string, noticed: Noticed): Promise<Recovered> {
    const client = await this.parts.pool.connect();
    let isDone = false;
    try {
      const tryLock = () =>
        client.query<{ locked: boolean }>('select pg_try_advisory_lock($1) as locked', [RECOVERY_LOCK]);
      while (!(await tryLock()).rows[0]!.locked) await sleep(LOCK_LOOK_MS);
      const result = await this.runLocked(client, storeId, noticed);
      await client.query('select pg_advisory_unlock($1)', [RECOVERY_LOCK]);
      isDone = true;
      return result;
    } finally {
      client.release(!isDone); // a failure ends the session, and with it the lock and an open transaction
    }
  }

  /** @param db the connection that holds the lock: the pool may have no other */
  private async runLocked(db: Database, storeId: string, noticed: Noticed): Promise<Recovered> {
    const { aggregates, log } = this.parts;
    const before = (await readRecoveries(aggregates)).state;
    const claim = await this.findClaim(db, storeId, noticed, before);
    const setting = noticed.setting?.text ?? null;
    const isSettingNew = setting !== null && !before.started.some((one) => one.setting === setting);
    let result: Recovered = { taken: 0, doubtful: 0, logEnded: false };
    if (claim || isSettingNew) {
      // From here on no process claims publications: it may be a process that has not noticed anything.
      await db.query('update ops_recovery set is_open = true');
      if (noticed.readModelsAhead) {
        log.warn({}, RECOVERY_MESSAGES.takingOver);
        result = { ...result, ...(await new Outcomes(db, aggregates).takeOverAll()) };
      }
      await this.start(noticed, claim, setting);
    }
    const recoveries = await readRecoveries(aggregates);
    const logEnded = await this.adopt(db, recoveries, noticed);
    await this.renewNote(storeId, recoveries);
    return { ...result, logEnded };
  }

  /** Returns the newest event that was seen and is missing; null if none is, or if a recovery has handled it. */
  private async findClaim(
    db: Database,
    storeId: string,
    { running, readModelsAhead }: Noticed,
    state: RecoveryState,
  ): Promise<(LossClaim & { readonly at: Instant | null }) | null> {
    const { notes, store } = this.parts;
    const note = await notes.read(storeId);
    const seen = running ? { ...running.seen, epoch: running.epoch, at: running.at } : note;
    const isMissing = async ({ stream, revision, id, position }: SeenEvent): Promise<boolean> => {
      const [stored] = await store.readStream(stream, { from: BigInt(revision), limit: 1 });
      return stored?.id !== id || String(stored.position) !== position;
    };
    const claims: (LossClaim & { readonly at: Instant | null })[] = [];
    if (seen && (await isMissing(seen)))
      claims.push({ position: BigInt(seen.position), epoch: seen.epoch, at: seen.at });
    if (readModelsAhead) {
      const { rows } = await db.query<{ position: bigint | null; epoch: string | null; at: number | null }>(
        `select (select max(position) from ops_checkpoint) as position, recovery_id as epoch,
           (select extract(epoch from max(moved_at))::float8 * 1000 from ops_checkpoint) as at from ops_recovery`,
      );
      const { position, epoch, at } = rows[0]!;
      claims.push({ position: position ?? 0n, epoch: epoch ?? FIRST_EPOCH, at: at && Math.round(at) });
    }
    const uncovered = claims.filter((one) => !isCovered(state, one));
    return uncovered.toSorted((a, b) => Number(b.position - a.position))[0] ?? null;
  }

  private async start(
    { running, setting: restored }: Noticed,
    claim: (LossClaim & { readonly at: Instant | null }) | null,
    setting: string | null,
  ): Promise<void> {
    const { store, aggregates, log } = this.parts;
    const last = await store.readLastEvent();
    const end = last?.position ?? BEGINNING;
    const at = Date.now();
    const restoredAt = restored?.at ?? at;
    const noticedBy: NoticedBy = claim === null ? 'setting' : running ? 'running' : 'start';
    // Only positions in the database are consecutive.
    const lostEvents = claim && store.notes === null && claim.position > end ? Number(claim.position - end) : null;
    const from = last ? aggregates.codec.readEnvelope(last).at : null;
    const facts = { recoveryId: newUuid(), at, noticedBy, restoredAt, lostEvents, from, end: String(end), setting };
    const command = { type: 'StartRecovery', ...facts, until: claim?.at ?? restoredAt, claim } as const;
    const result = await aggregates.execute(recovery, RECOVERY_ID, command, recoveryContext());
    if (isRejection(result)) throw new Error('a recovery cannot be refused');
    log.error({ noticed_by: noticedBy, lost_events: lostEvents }, RECOVERY_MESSAGES.started({ end: String(end) }));
  }

  /** Makes the database follow the latest recovery of the log. @returns true if the transparency log ended */
  private async adopt(db: Database, recoveries: Recoveries, { readModelsAhead, newStore }: Noticed): Promise<boolean> {
    const { latest } = recoveries;
    const { rows } = await db.query<{ id: string | null }>('select log_recovery_id as id from ops_recovery');
    const hasLost = latest !== null && latest.data.recoveryId !== rows[0]!.id;
    const logs = readModelsAhead || hasLost ? await this.findLogs(db, readModelsAhead ? null : latest) : [];
    const reason = readModelsAhead ? 'store_reset' : 'entries_lost';
    await db.query('begin');
    if (readModelsAhead) await dropReadModels(db);
    if (logs.length > 0) await endLogs(db, this.parts.identity, logs, reason);
    else if (readModelsAhead) await db.query('delete from ops_history_log');
    await db.query('update ops_recovery set log_recovery_id = $1', [latest?.data.recoveryId ?? null]);
    if (newStore) {
      await new StoreRecords(db).delete();
      await new StoreRecords(db).record(newStore);
    }
    await setRecoveryRow(db, recoveries);
    await db.query('commit');
    return logs.length > 0;
  }

  /** Notes the newest event that is never deleted, so that the loss is not noticed again. */
  private async renewNote(storeId: string, { state, latest }: Recoveries): Promise<void> {
    const { notes } = this.parts;
    const epoch = epochOf(state);
    if (!latest || (await notes.read(storeId))?.epoch === epoch) return;
    const { stream, revision, position, id, at } = latest;
    await notes.write(storeId, { stream, revision: String(revision), position: String(position), id, at, epoch });
  }

  /**
   * Returns the transparency logs that end because they do not cover the store's history, or may have covered events that
   * were lost: the database's log, and the log published from the store, unless that log has already ended. If both have
   * the same origin, returns only the longer log. Empty if nothing was signed.
   * @param lostBefore the recovery whose lost events a log may have covered; null if the store lacks the log's own events
   */
  private async findLogs(db: Database, lostBefore: Recoveries['latest']): Promise<readonly KnownLog[]> {
    const [head, known] = [await new LogTables(db).readHead(), await this.parts.published.read()];
    const hasCovered = (one: { readonly position: bigint | string } | null): boolean =>
      lostBefore !== null && one !== null && BigInt(one.position) >= lostBefore.position;
    // A log that is newer than the recovery is compared with its published checkpoint before anything is signed.
    if (hasCovered(head) || hasCovered(known)) return [];
    const table = new EndedLogTable(db);
    await table.add(known?.ended ?? []);
    const ended = await table.list();
    const suffix = ended.at(-1)?.next_suffix ?? '';
    const other = known && parseCheckpoint(known.checkpoint);
    const isOtherOpen = other !== null && !ended.some(({ origin }) => origin === other.origin);
    if (!head || head.size === 0) return lostBefore !== null && known && isOtherOpen ? [known] : [];
    const own = { vkey: head.vkey, checkpoint: head.checkpoint, suffix };
    if (!known || !other || !isOtherOpen) return [own];
    if (other.origin !== head.origin) return [own, known];
    return [other.size > head.size ? known : own];
  }
}

/**
 * Drops all read models, the checkpoints of all sagas, and data derived from the former log. This includes the notes
 * about erasures of secrets, which the restarted saga adds again.
 */
const dropReadModels = async (tx: Pick<Pool, 'query'>): Promise<void> => {
  const { rows } = await tx.query<{ name: string }>('select name from ops_projection');
  for (const { name } of rows) {
    const schemas = await tx.query<{ schema: string }>(
      `select nspname as schema from pg_namespace where nspname ~ ('^' || $1 || '(_[cv][0-9]+)?$')`,
      [viewSchema(name)],
    );
    for (const { schema } of schemas.rows) await tx.query(`drop schema if exists ${schema} cascade`);
  }
  await tx.query('delete from ops_projection_reader');
  await tx.query('delete from ops_checkpoint');
  await tx.query('delete from ops_parked_event');
  await tx.query('delete from ops_projection');
  await tx.query('delete from ops_snapshot');
  await tx.query('delete from ops_quota_reservation');
  await tx.query('delete from ops_resource_reservation');
  await tx.query("delete from ops_erasure where kind = 'secret'");
};
