import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { EventCodec } from '../../event-store/codec.js';
import { EVENT_STORE, type EventStore } from '../../event-store/port.js';
import { iso } from '../../kernel/clock.js';
import { POOL } from '../../postgres/tokens.js';
import { type AuditEntry, AuditIndex } from '../../projections/audit/audit.queries.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { RequestBatches } from '../../projections/request-log/request-log.queries.js';
import { ENDED_LOG_STREAM, type EndedLog, EndedLogTable, type EndReason, headOfEnded } from './ended-logs.js';
import { type LogEntry, serializeBundle, serializeEntry, type TilePath } from './entry.js';
import { LOG_CHECKPOINT, type LogHead, type LogIdentity, LogTables, originOf } from './log-tables.js';
import { HASH_BYTES, readInclusionProof, type ReadTile } from './merkle.js';
import { LOG_MESSAGES } from './messages.js';
import { CheckpointSigner, deriveKeyOfLog, openCheckpoint } from './published-checkpoint.js';

/** The log does not cover an event yet, or no checkpoint has been signed yet: a worker must be running. */
export class LogBehind extends Error {}

/** How long a request waits for a checkpoint, in ms. */
const LONGEST_WAIT_MS = 10_000;
const LOOK_MS = 100;

/** Reads the history's transparency log: checkpoint, tiles, proofs. The saga `write-transparency-log` writes it. */
@Injectable()
export class TransparencyLog {
  private readonly tables: LogTables;
  private readonly endedLogs: EndedLogTable;
  private readonly batches: RequestBatches;

  constructor(
    @Inject(POOL) pool: Pool,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly codec: EventCodec,
    private readonly index: AuditIndex,
    progress: ProjectionProgress,
  ) {
    this.tables = new LogTables(pool);
    this.endedLogs = new EndedLogTable(pool);
    this.batches = new RequestBatches(pool, store, progress);
  }

  /** Returns the signed head. @throws LogBehind */
  async readHead(): Promise<LogHead> {
    return waitFor(() => this.tables.readHead());
  }

  /** Returns the current signed head; null if none has been signed yet. */
  findHead(): Promise<LogHead | null> {
    return this.tables.readHead();
  }

  /** Lists the logs that have ended, in order. */
  listEnded(): Promise<readonly EndedLog[]> {
    return this.endedLogs.list();
  }

  /** Returns a tile or a bundle of entries; null if the signed tree does not have it at this width. */
  async readTile({ level, number, width }: TilePath): Promise<Buffer | null> {
    const { tables } = this;
    if (level !== 'entries') {
      const hashes = await tables.readTile(level, number);
      return hashes && hashes.length >= width * HASH_BYTES ? hashes.subarray(0, width * HASH_BYTES) : null;
    }
    const [bundle] = await tables.readBundles(number);
    if (bundle?.number !== number || bundle.entries.length < width) return null;
    return serializeBundle(bundle.entries.slice(0, width));
  }

  /**
   * Returns the proof of one event (C2SP tlog-proof) with a checkpoint that covers it.
   * @param ownerId owner of the event; null for any
   * @returns null if there is no such event, or its stream no longer retains it @throws LogBehind @throws Unavailable
   */
  async prove(eventId: string, ownerId: string | null): Promise<string | null> {
    const found = await this.findEvent(eventId, ownerId);
    if (!found) return null;
    const { tables } = this;
    const entry = serializeEntry(found);
    const index = await waitFor(() => tables.findEntry(entry, found.position));
    // Read the head only after finding the entry, so that it covers the entry.
    const { size, checkpoint } = await this.readHead();
    const read: ReadTile = async (level, number) => (await tables.readTile(level, number))!;
    const hashes = await readInclusionProof(read, index, size);
    const lines = ['c2sp.org/tlog-proof@v1', `index ${index}`, ...hashes.map((hash) => hash.toString('base64'))];
    return `${lines.join('\n')}\n\n${checkpoint}`;
  }

  private async findEvent(id: string, ownerId: string | null): Promise<(LogEntry & { position: bigint }) | null> {
    const { index } = this;
    await index.catchUp();
    for (const place of await index.findEvents(id, ownerId)) {
      const envelope = await this.readEnvelope(place);
      if (envelope?.id !== id) continue;
      return { stream: place.stream, revision: place.revision, position: place.position, hash: envelope.hash };
    }
    return this.findLoggedRequests(id, ownerId);
  }

  /** Finds an event in a request log. Request logs are not part of the audit trail, but they are exported. */
  private async findLoggedRequests(id: string, ownerId: string | null) {
    const { index, batches, store, codec } = this;
    const batch = await batches.findBatch(id);
    if (!batch) return null;
    if (ownerId !== null && !(await index.listResources('endpoint', ownerId, false)).includes(batch.endpointId))
      return null;
    const { stream, revision, position } = batch;
    const [stored] = await store.readStream(stream, { from: revision, limit: 1 });
    return stored?.id === id ? { stream, revision, position, hash: codec.readEnvelope(stored).hash } : null;
  }

  private async readEnvelope({ stream, revision, position, envelope }: AuditEntry) {
    const { store, codec } = this;
    const [stored] = await store.readStream(stream, { from: revision, limit: 1 });
    if (stored?.position === position) return { id: stored.id, hash: codec.readEnvelope(stored).hash };
    return envelope === null ? null : (JSON.parse(envelope) as { readonly id: string; readonly hash: string });
  }
}

/** Waits until a read has a result. @throws LogBehind after ten seconds */
const waitFor = async <T>(read: () => Promise<T | null>): Promise<T> => {
  const until = performance.now() + LONGEST_WAIT_MS;
  for (;;) {
    const result = await read();
    if (result !== null) return result;
    if (performance.now() >= until) throw new LogBehind(LOG_MESSAGES.behind);
    await sleep(LOOK_MS);
  }
};

/** The log that is being written. */
export interface CurrentLog {
  readonly signer: CheckpointSigner;
  /** Suffix of its origin; empty for the first log. */
  readonly suffix: string;
  /** Logs that have ended, in order. */
  readonly ended: readonly EndedLog[];
}

/** A log, as described by its newest known checkpoint. */
export interface KnownLog {
  readonly vkey: string;
  readonly checkpoint: string;
  readonly suffix: string;
}

/** Returns the log that is being written. @param head its newest checkpoint, if any */
export const createCurrentLog = (
  identity: LogIdentity,
  head: { readonly origin: string } | null,
  ended: readonly EndedLog[],
): CurrentLog => {
  const last = ended.at(-1);
  const suffix = last?.next_suffix ?? '';
  const base =
    identity.origin ??
    (head && withoutSuffix(head.origin, suffix)) ??
    (last && withoutSuffix(last.origin, last.suffix)) ??
    originOf(identity.baseUrl);
  return { signer: createSigner(identity, base, suffix), suffix, ended };
};

/** Returns the first entries of a log: the heads of the logs that had ended when it began. */
export const firstEntries = ({ ended, suffix }: CurrentLog): readonly Buffer[] =>
  ended
    .filter(({ next_suffix }) => next_suffix === suffix)
    .map((log) => {
      const { origin, size, root } = headOfEnded(log);
      const stream = `${ENDED_LOG_STREAM}${origin}`;
      return serializeEntry({ stream, revision: BigInt(size), hash: root.toString('hex') });
    });

/**
 * Ends logs and starts a new, empty log with another name and key. Keeps the heads of the ended logs and the tree of
 * this database. Call it in a transaction.
 * @param logs this database's log first
 * @returns origin of the next log
 */
export const endLogs = async (
  tx: Pick<Pool, 'query'>,
  identity: LogIdentity,
  logs: readonly KnownLog[],
  reason: EndReason,
): Promise<string> => {
  const table = new EndedLogTable(tx);
  const now = Date.now();
  const next_suffix = createSuffix(now);
  const first = headOfEnded(logs[0]!).origin;
  const base = identity.origin ?? withoutSuffix(first, logs[0]!.suffix);
  const next = `${base}/${next_suffix}`;
  for (const log of logs) {
    const statement = signEnd(identity, log, next);
    await table.add([{ ...log, origin: headOfEnded(log).origin, statement, reason, ended_at: iso(now), next_suffix }]);
  }
  const { rows } = await tx.query<{ size: bigint }>('select size from ops_history_log');
  await table.keepTree(first, Number(rows[0]?.size ?? 0));
  await tx.query('delete from ops_checkpoint where name = $1', [LOG_CHECKPOINT]);
  return next;
};

const createSigner = (identity: LogIdentity, base: string, suffix: string): CheckpointSigner =>
  new CheckpointSigner(suffix === '' ? base : `${base}/${suffix}`, deriveKeyOfLog(identity.key, suffix));

/**
 * Signs a statement that a log has ended. Returns null if this identity lacks the log's key: no other key may sign it.
 */
const signEnd = (identity: LogIdentity, { checkpoint, vkey, suffix }: KnownLog, next: string): string | null => {
  const { origin } = headOfEnded({ checkpoint });
  const signer = createSigner(identity, withoutSuffix(origin, suffix), suffix);
  const head = signer.vkey === vkey && signer.origin === origin ? openCheckpoint(checkpoint, vkey) : null;
  return head && signer.sign(head.size, head.root, [`ended ${next}`]);
};

/** Returns a new suffix, made of the time and random digits so that it is unique even if a backup was restored. */
const createSuffix = (now: number): string =>
  `${iso(now).slice(0, 19).replaceAll(/[-:]/g, '')}Z-${randomBytes(3).toString('hex')}`;

const withoutSuffix = (origin: string, suffix: string): string =>
  suffix !== '' && origin.endsWith(`/${suffix}`) ? origin.slice(0, -suffix.length - 1) : origin;
