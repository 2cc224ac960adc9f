import pg from 'pg';
import type { Log } from '../../kernel/log.js';
import { boolArray, int4Array, int8Array, textArray, uuidArray } from '../../postgres/binary-array.js';
import { findLastingError } from '../../postgres/unavailable.js';
import { BatchInterval } from '../../runtime/batcher.js';
import { withTimeLimit } from '../../runtime/sleep.js';
import type { AppendHealth } from '../append-health.js';
import {
  type AppendCondition,
  type AppendResult,
  ConditionFailed,
  type ExpectedRevision,
  type NewEvent,
  NotAppended,
  type StoredEvent,
  type StreamAppend,
  Unavailable,
  validateTogether,
  WrongExpectedRevision,
} from '../port.js';
import { type Append, AppendQueue, type QueueBounds } from './append-queue.js';
import type { LogFollower } from './log-follower.js';
import { toPortError } from './port-error.js';

/** One row per stream of a rejected append, or a single row if none was rejected. */
interface Row {
  /** Position before the accepted appends. */
  readonly base: string;
  readonly rejected: number | null;
  readonly current: string | null;
  /** Index of an append whose condition does not hold. If set, it is set in every row, and nothing was written. */
  readonly failed?: number | null;
}

/**
 * Enough for several seconds at full load. A full queue means that the store is stuck, and clients should learn
 * of it at once.
 */
const QUEUE_BOUNDS = { appends: 10_000, bytes: 64 * 1_048_576 };
/**
 * Minimum time between batches. At 2,500 posts a second, 3 ms halves the CPU time per append; a longer interval saves
 * no more.
 */
const BATCH_INTERVAL_MS = 3;

/**
 * Turns on synchronous commit where the server's default is off, because an event must be on disk before anyone reads
 * it. Followers act on the events that they read, and the transparency log signs them: an event lost in a crash would
 * be appended again at another position (ADR-214).
 */
const WAIT_FOR_DISK = `select set_config('synchronous_commit', 'on', false) where current_setting('synchronous_commit') = 'off'`;

/**
 * Group commit over one connection. Appends that arrive while a batch is committed form the next batch, so that batches
 * grow with the load. One batch is in flight at a time; batches of concurrent callers are kept
 * {@link BatchInterval apart}. This is not a {@link Batcher}: a batch is bounded by bytes, contains each stream at most
 * once, and may partly fail.
 */
export class AppendBatcher {
  private readonly queue: AppendQueue;
  /** Appends of the batch in flight whose callers are still waiting. */
  private sent: readonly Append[] = [];
  private expiry: NodeJS.Timeout | null = null;
  private client: Promise<pg.Client> | null = null;
  private committing: Promise<void> | null = null;
  private readonly interval = new BatchInterval(BATCH_INTERVAL_MS);

  constructor(
    private readonly options: {
      connectionString: string;
      schema: string;
      timeoutMs: number;
      log: Log;
      /** Called when the connection is abandoned. */
      onConnectionLost: () => void;
      queueBounds?: QueueBounds;
    },
    /** Returns the earlier result if the append repeats an earlier one. @throws WrongExpectedRevision otherwise */
    private readonly findEarlierResult: (append: StreamAppend, current: bigint) => Promise<AppendResult>,
    /** Receives the range of the log that a batch has written, before the callers receive their results. */
    private readonly onCommit: LogFollower['addCommitted'],
    private readonly health: AppendHealth,
  ) {
    this.queue = new AppendQueue(options.queueBounds ?? QUEUE_BOUNDS);
  }

  /** Appends all parts or none. Settles within the time limit from now, whether or not the append was sent. */
  append(parts: Append['parts'], condition: AppendCondition | null): Promise<AppendResult> {
    return new Promise((resolve, reject) => {
      const bytes = validateTogether(parts);
      const count = parts.reduce((sum, { events }) => sum + events.length, 0);
      const arrivedAt = performance.now();
      if (!this.queue.add({ parts, count, condition, bytes, arrivedAt, resolve, reject }))
        return reject(new NotAppended('the event store does not keep up: too many appends are waiting'));
      this.expiry ??= setTimeout(() => this.refuseExpired(), this.options.timeoutMs).unref();
      this.committing ??= this.commitWaiting();
    });
  }

  /** Waits until all queued appends have been settled, then closes the connection. */
  async close(): Promise<void> {
    await this.committing;
    if (this.expiry) clearTimeout(this.expiry);
    const client = await this.client?.catch(() => null);
    this.client = null;
    await client?.end().catch(() => undefined);
  }

  private async commitWaiting(): Promise<void> {
    while (!this.queue.isEmpty) {
      await this.interval.waitForNextBatch(); // callers in the same turn of the event loop join the batch
      const batch = this.queue.takeBatch();
      this.interval.recordBatch(batch.length);
      this.sent = batch;
      await this.commit(batch);
      this.sent = [];
    }
    this.committing = null;
  }

  /** Rejects the appends that have reached the time limit. Queued ones are removed and not written. */
  private refuseExpired(): void {
    const { timeoutMs } = this.options;
    const latest = performance.now() - timeoutMs;
    const seconds = timeoutMs / 1_000;
    for (const { reject } of this.queue.takeArrivedUntil(latest))
      reject(
        new NotAppended(`not sent to the event store within ${seconds} s, because earlier appends are not answered`),
      );
    const expired = this.sent.filter(({ arrivedAt }) => arrivedAt <= latest);
    if (expired.length > 0) this.sent = this.sent.filter(({ arrivedAt }) => arrivedAt > latest);
    for (const { reject } of expired) reject(new Unavailable(`the event store did not answer within ${seconds} s`));
    const oldest = Math.min(this.queue.oldestArrival ?? Infinity, ...this.sent.map(({ arrivedAt }) => arrivedAt));
    this.expiry = Number.isFinite(oldest)
      ? setTimeout(() => this.refuseExpired(), Math.max(1, oldest - latest)).unref()
      : null;
  }

  private async commit(batch: readonly Append[]): Promise<void> {
    let rows: Row[];
    try {
      rows = await this.callAppendFunction(batch);
    } catch (error) {
      const refusal = findLastingError(error);
      const isOutage = !(error instanceof pg.DatabaseError) || isTransient(error);
      if (refusal || isOutage) {
        this.discardClient(); // a new connection may lead to another server
        if (refusal) this.health.recordRefusal(refusal);
        else this.health.recordOutage(error);
        const failure = toPortError(error);
        for (const append of batch) append.reject(failure);
      } else if (batch.length > 1) {
        for (const append of batch) await this.commit([append]); // one bad event must not fail the others
      } else batch[0]!.reject(error);
      return;
    }
    this.health.recordSuccess();
    if (typeof rows[0]!.failed === 'number')
      return this.commitWithoutFailed(batch, new Set(rows.map(({ failed }) => failed)));
    const rejected = new Map(rows.map((row) => [row.rejected, row.current]));
    const accepted = batch.filter((_, item) => !rejected.has(item));
    const base = BigInt(rows[0]!.base);
    const end = accepted.reduce((at, { count }) => at + BigInt(count), base);
    this.onCommit(base, end, (isWanted) => toStoredEvents(accepted, base, isWanted));
    let position = base;
    for (const { parts, count, resolve } of accepted) {
      position += BigInt(count);
      const { expected, events } = parts.at(-1)!;
      resolve({ revision: baseOf(expected) + BigInt(events.length), position });
    }
    for (const [item, current] of rejected) {
      if (item === null) continue;
      const append = batch[item]!;
      this.findEarlierResults(append, BigInt(current!)).then(append.resolve, append.reject);
    }
  }

  /** Returns the result of a rejected append whose parts were all written earlier. @throws WrongExpectedRevision */
  private async findEarlierResults({ parts }: Append, current: bigint): Promise<AppendResult> {
    const results = await Promise.all(parts.map((part) => this.findEarlierResult(part, current)));
    return results.at(-1)!;
  }

  /** Commits a batch without the appends whose condition fails. */
  private async commitWithoutFailed(
    batch: readonly Append[],
    failed: ReadonlySet<number | null | undefined>,
  ): Promise<void> {
    const rest = batch.filter((append, item) => {
      if (failed.has(item)) void this.settleFailed(append);
      return !failed.has(item);
    });
    if (rest.length > 0) await this.commit(rest);
  }

  /** Settles an append whose condition fails. It may repeat an append that was written while the condition held. */
  private async settleFailed(append: Append): Promise<void> {
    try {
      append.resolve(await this.findEarlierResults(append, -1n));
    } catch (error) {
      append.reject(error instanceof WrongExpectedRevision ? new ConditionFailed(append.condition!) : (error as Error));
    }
  }

  private async callAppendFunction(batch: readonly Append[]): Promise<Row[]> {
    const items: number[] = [];
    const streams: string[] = [];
    const revisions: bigint[] = [];
    const firsts: boolean[] = [];
    const events: NewEvent[] = [];
    batch.forEach((append, item) => {
      for (const part of append.parts) {
        const base = baseOf(part.expected);
        part.events.forEach((event, i) => {
          items.push(item);
          streams.push(part.stream);
          revisions.push(base + BigInt(i + 1));
          firsts.push(i === 0);
          events.push(event);
        });
      }
    });
    const values = [
      int4Array(items),
      textArray(streams),
      int8Array(revisions),
      boolArray(firsts),
      uuidArray(events.map(({ id }) => id)),
      textArray(events.map(({ type }) => type)),
      textArray(events.map(({ data }) => data)),
      textArray(events.map(({ metadata }) => metadata)),
    ];
    const { schema, timeoutMs } = this.options;
    const conditions = batch.flatMap(({ condition }, item) => (condition ? [{ item, ...condition }] : []));
    const text = `select base, rejected, current from ${schema}.append_events($1,$2,$3,$4,$5,$6,$7,$8)`;
    const textIf = `select base, rejected, current, failed from ${schema}.append_events_if($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11)`;
    const client = await (this.client ??= this.connect());
    const answer =
      conditions.length === 0
        ? client.query<Row>({ name: 'append events', text, values })
        : client.query<Row>({
            name: 'append events if',
            text: textIf,
            values: [...conditionColumns(conditions), ...values],
          });
    // A frozen server sends no error, and its statement timeout does not fire, so the client enforces the limit.
    const { rows } = await withTimeLimit(answer, timeoutMs, () => new Error(`no answer within ${timeoutMs} ms`));
    return rows;
  }

  private async connect(): Promise<pg.Client> {
    const { connectionString, timeoutMs, log } = this.options;
    const client = new pg.Client({
      connectionString,
      connectionTimeoutMillis: timeoutMs,
      application_name: 'crosspost append',
      keepAlive: true,
      statement_timeout: timeoutMs,
    });
    client.on('error', (error) => {
      log.warn(
        { reason: error.message },
        'lost the connection for appends to the event store; the next append opens a new one',
      );
      if (this.client !== null) this.discardClient();
    });
    await client.connect();
    await client.query(WAIT_FOR_DISK);
    return client;
  }

  private discardClient(): void {
    this.options.onConnectionLost();
    const dropped = this.client;
    this.client = null;
    void dropped?.then((client) => client.end()).catch(() => undefined);
  }
}

const conditionColumns = (conditions: readonly (AppendCondition & { readonly item: number })[]): Buffer[] => [
  int4Array(conditions.map(({ item }) => item)),
  textArray(conditions.map(({ subject }) => subject)),
  textArray(conditions.map(({ version }) => version)),
];

/** Returns the revision that the appended events follow; -1n if there is none. */
const baseOf = (expected: ExpectedRevision): bigint => (expected === 'noStream' ? -1n : expected);

/**
 * Returns the wanted events of appends, the way a read would return them. The positions of all their events, wanted or
 * not, follow the base without gaps.
 */
const toStoredEvents = (
  appends: readonly Append[],
  base: bigint,
  isWanted: (type: string) => boolean,
): StoredEvent[] => {
  const written: StoredEvent[] = [];
  let position = base;
  for (const { stream, expected, events } of appends.flatMap(({ parts }) => parts)) {
    let revision = baseOf(expected);
    for (const { id, type, data, metadata } of events) {
      revision += 1n;
      position += 1n;
      if (!isWanted(type)) continue;
      written.push({ stream, id: id.toLowerCase(), type, data, metadata, revision, position });
    }
  }
  return written;
};

/** True for a transient error: a lost connection, a shutdown, a timeout, a deadlock or a lack of resources. */
const isTransient = ({ code = '' }: pg.DatabaseError): boolean =>
  ['08', '53', '57', '58', '40', '55'].includes(code.slice(0, 2));

/** Returns the earlier result if the same ids are at the same revisions. @throws WrongExpectedRevision otherwise */
export const matchEarlierAppend = (
  append: StreamAppend,
  found: readonly StoredEvent[],
  current: bigint,
): AppendResult => {
  const isRepeated = append.events.every((event, i) => found[i]?.id === event.id.toLowerCase());
  const last = found[append.events.length - 1];
  if (isRepeated && last) return { revision: last.revision, position: last.position };
  throw new WrongExpectedRevision(append.stream, append.expected, current < 0n ? 'noStream' : current);
};
