import type { Pool } from 'pg';
import type { EventCodec } from '../../event-store/codec.js';
import { BEGINNING, type Batch, type EventStore } from '../../event-store/port.js';
import { serializeEntry } from '../../history/transparency-log/entry.js';
import { type LogHead, LogMoved, LogTables } from '../../history/transparency-log/log-tables.js';
import { commitLog, LOG_CHECKPOINT, type LogIdentity, originOf } from '../../history/transparency-log/commit-log.js';
import { LOG_MESSAGES } from '../../history/transparency-log/messages.js';
import { appendLeaves, hashLeaf, type Tile, type TreeEdge } from '../../history/transparency-log/merkle.js';
import { CheckpointSigner } from '../../history/transparency-log/signed-note.js';
import type { Log } from '../../kernel/log.js';
import { reasonOf } from '../../kernel/reason.js';
import type { Leases } from '../../postgres/leases.js';
import { Backoff } from '../../runtime/backoff.js';
import { RepeatedFailure } from '../../runtime/repeated-failure.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';

/** Dependencies of {@link WriteTransparencyLog}. */
export interface WriteTransparencyLogDependencies {
  readonly pool: Pool;
  readonly store: EventStore;
  readonly codec: EventCodec;
  readonly leases: Leases;
  readonly log: Log;
  readonly identity: LogIdentity;
}

/** Name of the saga's lease and checkpoint. */
export const KEY = LOG_CHECKPOINT;
const RETRY = { firstMs: 100, longestMs: 5_000 };
/** Most events that are signed at a time. */
const MAX_BATCH = 2_000;
/** Time in ms between two checkpoints of a log that has caught up. */
const INTERVAL_MS = 250;
/** Time in ms between two moves of the position over events that are no longer in the store. */
const IDLE_MS = 5_000;
const BASE_URL_LOOK_MS = 50;

/**
 * Writes the transparency log of the history: a leaf per event in the order of the log, tiles, and the signed head (ADR-141). One
 * process at a time does so under a lease. A batch is one transaction that moves the head only from where this process knows it
 * to be. So the head is signed for exactly the tiles that are committed with it, and never goes back.
 */
export class WriteTransparencyLog {
  private readonly tables: LogTables;
  private readonly failure = new RepeatedFailure();

  constructor(private readonly deps: WriteTransparencyLogDependencies) {
    this.tables = new LogTables(deps.pool);
  }

  /** Runs until the signal is aborted, and survives outages. */
  async run(signal: AbortSignal): Promise<void> {
    const { leases, log } = this.deps;
    const backoff = new Backoff(RETRY);
    while (!signal.aborted) {
      const startedAt = performance.now();
      try {
        const lease = await leases.acquire(KEY, signal);
        if (!lease) return;
        try {
          await this.follow(AbortSignal.any([signal, lease.lost]));
        } finally {
          await lease.release();
        }
        backoff.reset();
      } catch (error) {
        const reason = reasonOf(error);
        if (this.failure.shouldLog(reason))
          log.warn({ saga: KEY, error: reason }, 'failed to write the transparency log; trying again');
        await this.recordError(String(error));
        await backoff.wait(signal, performance.now() - startedAt);
      }
    }
  }

  private async follow(signal: AbortSignal): Promise<void> {
    let head = await this.tables.readHead();
    const signer = await this.createSigner(head, signal);
    if (!signer) return;
    let edge = await this.tables.readEdge(head?.size ?? 0);
    const position = await this.loadPosition(head);
    if (head?.vkey !== signer.vkey)
      head = await this.commit(head, signer, edge, { events: [], position, isLive: false }, []);
    let movedAt = performance.now();
    for await (const batch of this.deps.store.subscribe({ after: position, signal, maxBatch: MAX_BATCH })) {
      if (signal.aborted) return;
      const isDue = batch.events.length > 0 || performance.now() > movedAt + IDLE_MS;
      if (isDue && batch.position > head.position) {
        const leaves = batch.events.map((event) => hashLeaf(this.entryOf(event)));
        const { edge: next, tiles } = appendLeaves(edge, leaves);
        head = await this.commit(head, signer, next, batch, tiles);
        edge = next;
        movedAt = performance.now();
        this.failure.clear();
      }
      if (batch.isLive) await sleepUnlessAborted(INTERVAL_MS, signal);
    }
  }

  private entryOf(event: Batch['events'][number]): Buffer {
    const { hash } = this.deps.codec.readEnvelope(event);
    return serializeEntry({ stream: event.stream, revision: event.revision, hash });
  }

  /** Returns the signer of the log's name; null if the signal is aborted before the name is known. */
  private async createSigner(head: LogHead | null, signal: AbortSignal): Promise<CheckpointSigner | null> {
    const { identity } = this.deps;
    while (identity.baseUrl === '' && !signal.aborted) await sleepUnlessAborted(BASE_URL_LOOK_MS, signal);
    if (signal.aborted) return null;
    const origin = identity.origin ?? head?.origin ?? originOf(identity.baseUrl);
    return new CheckpointSigner(origin, identity.key);
  }

  /** Returns the position of the head, and makes sure that the saga's checkpoint agrees. */
  private async loadPosition(head: LogHead | null): Promise<bigint> {
    const position = head?.position ?? BEGINNING;
    const { rows } = await this.deps.pool.query<{ position: bigint }>(
      `with new as (
         insert into ops_checkpoint (name, version, code, position) values ($1, 1, 1, $2)
         on conflict do nothing returning position)
       select position from new union all select position from ops_checkpoint where name = $1 and version = 1`,
      [KEY, position],
    );
    if (rows[0]!.position !== position)
      throw new LogMoved(LOG_MESSAGES.moved({ found: String(rows[0]!.position), expected: String(position) }));
    return position;
  }

  private async commit(
    from: LogHead | null,
    signer: CheckpointSigner,
    edge: TreeEdge,
    batch: Batch,
    tiles: readonly Tile[],
  ): Promise<LogHead> {
    const entries = batch.events.map((event) => ({ bytes: this.entryOf(event), position: event.position }));
    return commitLog(this.deps, signer, { from, edge, tiles, entries, position: batch.position });
  }

  private async recordError(error: string): Promise<void> {
    const text = 'update ops_checkpoint set error = $2 where name = $1 and version = 1';
    await this.deps.pool.query(text, [KEY, error.slice(0, 2_000)]).catch(() => undefined);
  }
}
