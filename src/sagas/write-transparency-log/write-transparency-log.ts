import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { EventCodec } from '../../event-store/codec.js';
import {
  type Batch,
  BEGINNING,
  EVENT_STORE,
  type EventStore,
  isStoreOutage,
  type Position,
} from '../../event-store/port.js';
import { commitLog, type LogBatch } from '../../history/transparency-log/commit-log.js';
import { serializeEntryOf } from '../../history/transparency-log/entry.js';
import { LogContinuity } from '../../history/transparency-log/log-continuity.js';
import {
  LOG_CHECKPOINT,
  LOG_IDENTITY,
  type LogHead,
  type LogIdentity,
  LogMoved,
  LogTables,
} from '../../history/transparency-log/log-tables.js';
import { appendEntries, type TreeEdge } from '../../history/transparency-log/merkle.js';
import { LOG_MESSAGES } from '../../history/transparency-log/messages.js';
import { PublishedCheckpoints } from '../../history/transparency-log/published-checkpoint.js';
import { type CurrentLog, firstEntries } from '../../history/transparency-log/transparency-log.js';
import { LOG, type Log } from '../../kernel/log.js';
import { Leases, whileHeld } from '../../postgres/leases.js';
import { POOL } from '../../postgres/tokens.js';
import { Backoff } from '../../runtime/backoff.js';
import { RepeatedFailure } from '../../runtime/failing-work.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';
import { SagaCheckpoint } from '../engine/saga-checkpoint.js';

/** The tree's head and edge after a commit. */
interface Written {
  readonly head: LogHead;
  readonly edge: TreeEdge;
}

/** Name of the saga's lease and checkpoint. */
export const KEY = LOG_CHECKPOINT;
const RETRY = { firstMs: 100, longestMs: 5_000 };
/** Maximum number of events that are signed at a time. */
const MAX_BATCH = 2_000;
/** Interval, in ms, between checkpoints of a log that has caught up. */
const INTERVAL_MS = 250;
/** How often, in ms, the position moves past events that are no longer in the store. */
const IDLE_MS = 5_000;
const BASE_URL_LOOK_MS = 50;

/**
 * Writes the transparency log of the history: a leaf per event, tiles, and the signed head (ADR-141), in one process at
 * a time. Each batch is one transaction, which moves the head only if it is where this process expects it. So the
 * signed head always matches the tiles committed with it, and never moves back.
 */
@Injectable()
export class WriteTransparencyLog {
  private readonly tables: LogTables;
  private readonly failure = new RepeatedFailure();

  constructor(
    @Inject(POOL) readonly pool: Pool,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly codec: EventCodec,
    private readonly leases: Leases,
    @Inject(LOG) private readonly log: Log,
    @Inject(LOG_IDENTITY) readonly identity: LogIdentity,
    readonly published: PublishedCheckpoints,
    private readonly continuity: LogContinuity,
  ) {
    this.tables = new LogTables(pool);
  }

  /** Runs until the signal is aborted. Survives outages. */
  async run(signal: AbortSignal): Promise<void> {
    const { leases, log } = this;
    const backoff = new Backoff(RETRY);
    while (!signal.aborted) {
      const startedAt = performance.now();
      try {
        await whileHeld(leases, KEY, signal, (held) => this.follow(held));
        backoff.reset();
      } catch (error) {
        // The store connection itself logs each loss and recovery once.
        if (!isStoreOutage(error))
          this.failure.warn(log, error, 'failed to write the transparency log; trying again', { saga: KEY });
        await this.recordError(String(error));
        await backoff.wait(signal, performance.now() - startedAt);
      }
    }
  }

  private async follow(signal: AbortSignal): Promise<void> {
    while (this.identity.baseUrl === '' && !signal.aborted) await sleepUnlessAborted(BASE_URL_LOOK_MS, signal);
    if (signal.aborted) return;
    const prepared = await this.continuity.prepare(signal);
    const { current } = prepared;
    let { head } = prepared;
    let edge = await this.tables.readEdge(head?.size ?? 0);
    const position = await this.loadPosition(head);
    if (head?.vkey !== current.signer.vkey) ({ head, edge } = await this.begin(head, current, edge, position));
    let movedAt = performance.now();
    for await (const batch of this.store.subscribe({ after: position, signal, maxBatch: MAX_BATCH })) {
      if (signal.aborted) return;
      const isDue = batch.events.length > 0 || performance.now() > movedAt + IDLE_MS;
      if (isDue && batch.position > head.position) {
        ({ head, edge } = await this.commit(head, current, edge, batch));
        movedAt = performance.now();
        this.failure.clear();
      }
      if (batch.isLive) await sleepUnlessAborted(INTERVAL_MS, signal);
    }
  }

  /** Returns the position of the head, and verifies that the saga's checkpoint agrees with it. */
  private async loadPosition(head: LogHead | null): Promise<bigint> {
    const position = head?.position ?? BEGINNING;
    const found = await new SagaCheckpoint(this.pool, KEY).load(position);
    if (found !== position)
      throw new LogMoved(LOG_MESSAGES.checkpointMoved({ found: String(found), expected: String(position) }));
    return position;
  }

  /** Signs the log under its current name and key. A new log is given its first entries. */
  private begin(head: LogHead | null, current: CurrentLog, edge: TreeEdge, position: Position): Promise<Written> {
    const entries = head ? [] : firstEntries(current).map((bytes) => ({ bytes, position: BEGINNING + 1n }));
    return this.write(head, current, edge, { entries, position, lastEvent: null });
  }

  private commit(from: LogHead, current: CurrentLog, edge: TreeEdge, batch: Batch): Promise<Written> {
    const { codec } = this;
    const entries = batch.events.map((event) => ({ bytes: serializeEntryOf(codec, event), position: event.position }));
    const lastEvent = batch.events.at(-1)?.position ?? null;
    return this.write(from, current, edge, { entries, position: batch.position, lastEvent });
  }

  private async write(
    from: LogHead | null,
    current: CurrentLog,
    before: TreeEdge,
    batch: Pick<LogBatch, 'entries' | 'position' | 'lastEvent'>,
  ): Promise<Written> {
    const { edge, tiles } = appendEntries(before, batch.entries);
    return { head: await commitLog(this, current, { ...batch, from, edge, tiles }), edge };
  }

  private async recordError(error: string): Promise<void> {
    const text = 'update ops_checkpoint set error = $2 where name = $1 and version = 1';
    await this.pool.query(text, [KEY, error.slice(0, 2_000)]).catch(() => undefined);
  }
}
