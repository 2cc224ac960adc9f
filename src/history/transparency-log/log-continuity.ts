import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { EventCodec } from '../../event-store/codec.js';
import { BEGINNING, EVENT_STORE, type EventStore } from '../../event-store/port.js';
import { LOG, type Log } from '../../kernel/log.js';
import { withTransaction } from '../../postgres/pool.js';
import { POOL } from '../../postgres/tokens.js';
import { sleepUnlessAborted } from '../../runtime/sleep.js';
import { COMMIT_DURABLY } from './commit-log.js';
import { EndedLogTable } from './ended-logs.js';
import { serializeEntryOf } from './entry.js';
import { LOG_CHECKPOINT, LOG_IDENTITY, type LogHead, type LogIdentity, LogTables } from './log-tables.js';
import { appendEntries, readRoot, rootOfEdge } from './merkle.js';
import { LOG_MESSAGES } from './messages.js';
import {
  type Checkpoint,
  parseCheckpoint,
  type PublishedCheckpoint,
  PublishedCheckpoints,
} from './published-checkpoint.js';
import { createCurrentLog, type CurrentLog, endLogs, firstEntries, type KnownLog } from './transparency-log.js';

/** The events do not produce the tree of a published checkpoint, so nothing is committed. */
class OtherPast extends Error {}

const MAX_BATCH = 2_000;
/** How long to wait, in ms, for a node that lags behind its cluster's leader to reach the published checkpoint. */
const LONGEST_WAIT_MS = 10_000;
const LOOK_MS = 250;

/**
 * Decides, before anything is signed, whether the log of this database continues the published log (ADR-213). A lost or
 * restored database first rebuilds the published tree. If that fails, the log has ended and a new log begins.
 */
@Injectable()
export class LogContinuity {
  private readonly tables: LogTables;
  private readonly endedLogs: EndedLogTable;

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(EVENT_STORE) private readonly store: EventStore,
    private readonly codec: EventCodec,
    @Inject(LOG_IDENTITY) private readonly identity: LogIdentity,
    private readonly published: PublishedCheckpoints,
    @Inject(LOG) private readonly log: Log,
  ) {
    this.tables = new LogTables(pool);
    this.endedLogs = new EndedLogTable(pool);
  }

  /** Returns the log that may be written. Only the holder of its lease may call this. @throws Unavailable */
  async prepare(signal: AbortSignal): Promise<{ readonly head: LogHead | null; readonly current: CurrentLog }> {
    const published = await this.published.read();
    if (published) await this.meet(published, signal);
    const head = await this.tables.readHead();
    return { head, current: createCurrentLog(this.identity, head, await this.endedLogs.list()) };
  }

  private async meet(published: PublishedCheckpoint, signal: AbortSignal): Promise<void> {
    const known = parseCheckpoint(published.checkpoint)!;
    await this.endedLogs.add(published.ended);
    const ended = await this.endedLogs.list();
    const hasEnded = (origin: string): boolean => ended.some((log) => log.origin === origin);
    if (hasEnded(known.origin)) return;
    const head = await this.tables.readHead();
    // This database dates from before its log ended, so its tree is useless for the log that followed.
    if (head && hasEnded(head.origin)) await this.discardTree(head);
    else if (head && head.size >= known.size) {
      if (await this.isPartOfTree(known)) return;
      return this.end([{ ...head, suffix: published.suffix }, published]);
    }
    if (!(await this.catchUp(published, known, signal))) await this.end([published]);
  }

  private async isPartOfTree({ size, root }: Checkpoint): Promise<boolean> {
    const read = async (level: number, number: number): Promise<Buffer> => {
      const tile = await this.tables.readTile(level, number);
      if (!tile) throw new Error(LOG_MESSAGES.tileDoesNotFit({ number, level, size }));
      return tile;
    };
    return root.equals(await readRoot(read, size));
  }

  private async discardTree({ origin, size }: LogHead): Promise<void> {
    await withTransaction(this.pool, async (tx) => {
      await new EndedLogTable(tx).keepTree(origin, size);
      await tx.query('delete from ops_checkpoint where name = $1', [LOG_CHECKPOINT]);
    });
  }

  /**
   * Rebuilds the tree up to a published checkpoint from the events, in one transaction, so that the tree is complete
   * once it can be read. @returns false if the events do not produce the published tree
   */
  private async catchUp(published: PublishedCheckpoint, known: Checkpoint, signal: AbortSignal): Promise<boolean> {
    const end = await this.readEnd(BigInt(published.position), signal);
    if (end < BigInt(published.position)) return false;
    // Not a warning: this also follows a lost connection between recording a checkpoint and committing its transaction.
    this.log.info({ size: known.size }, LOG_MESSAGES.catchingUp);
    try {
      await withTransaction(this.pool, (tx) => this.rebuild(tx, known, end, signal));
      return true;
    } catch (error) {
      if (error instanceof OtherPast) return false;
      throw error;
    }
  }

  private async rebuild(tx: Pick<Pool, 'query'>, known: Checkpoint, end: bigint, signal: AbortSignal): Promise<void> {
    const { store, codec, identity } = this;
    const tables = new LogTables(tx);
    const head = await tables.readHead(true);
    const current = createCurrentLog(identity, head ?? known, await new EndedLogTable(tx).list());
    let edge = await tables.readEdge(head?.size ?? 0);
    let position = head?.position ?? BEGINNING;
    const write = async (entries: readonly { readonly bytes: Buffer; readonly position: bigint }[]): Promise<void> => {
      const next = appendEntries(edge, entries);
      await tables.writeTree({ size: edge.size, tiles: next.tiles, entries }, identity.sealKey);
      ({ edge } = next);
      position = entries.at(-1)?.position ?? position;
    };
    await tx.query(COMMIT_DURABLY);
    if (!head) {
      await write(firstEntries(current).map((bytes) => ({ bytes, position: BEGINNING + 1n })));
      position = BEGINNING;
    }
    if (edge.size < known.size && position < end)
      for await (const batch of store.subscribe({ after: position, signal, maxBatch: MAX_BATCH })) {
        const events = batch.events.slice(0, known.size - edge.size);
        await write(events.map((event) => ({ bytes: serializeEntryOf(codec, event), position: event.position })));
        if (edge.size === known.size || batch.position >= end) break;
      }
    signal.throwIfAborted();
    if (edge.size !== known.size || !rootOfEdge(edge).equals(known.root)) throw new OtherPast();
    const { origin, vkey } = current.signer;
    const checkpoint = current.signer.sign(edge.size, rootOfEdge(edge));
    await tables.writeHead({ size: edge.size, position, origin, vkey, checkpoint });
    await tx.query(
      `insert into ops_checkpoint (name, version, code, position) values ($1, 1, 1, $2)
       on conflict (name, version) do update set position = excluded.position, error = null`,
      [LOG_CHECKPOINT, position],
    );
  }

  private async end(logs: readonly KnownLog[]): Promise<void> {
    const { pool, identity, log } = this;
    const next = await withTransaction(pool, (tx) => endLogs(tx, identity, logs, 'entries_lost'));
    const { origin, size } = parseCheckpoint(logs[0]!.checkpoint)!;
    log.error({}, LOG_MESSAGES.ended({ origin, size, next, reason: LOG_MESSAGES.entries_lost }));
  }

  /** Waits briefly for the store to reach a position, and returns the position of its last event. */
  private async readEnd(position: bigint, signal: AbortSignal): Promise<bigint> {
    for (const until = performance.now() + LONGEST_WAIT_MS; ;) {
      const end = await this.store.readHead();
      if (end >= position || performance.now() > until || signal.aborted) return end;
      await sleepUnlessAborted(LOOK_MS, signal);
    }
  }
}
