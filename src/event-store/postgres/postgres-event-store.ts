import pg from 'pg';
import { type Log, silentLog } from '../../kernel/log.js';
import { int8Array, textArray } from '../../postgres/binary-array.js';
import { findLastingError } from '../../postgres/unavailable.js';
import { Batcher, Overloaded } from '../../runtime/batcher.js';
import { AppendHealth } from '../append-health.js';
import {
  type AppendCondition,
  type AppendFailure,
  type AppendResult,
  type ArchiveFiles,
  type Batch,
  BEGINNING,
  type EventStoreAdapter,
  type ExpectedRevision,
  MAX_PAGE_BYTES,
  type NewEvent,
  type Position,
  type ReadStreamOptions,
  type StoredEvent,
  type StoreIdentity,
  type StreamAppend,
  type SubscribeOptions,
} from '../port.js';
import { AppendBatcher, matchEarlierAppend } from './append-batcher.js';
import type { QueueBounds } from './append-queue.js';
import { PostgresEventArchive } from './event-archive.js';
import { LogFollower, type ReadLog } from './log-follower.js';
import { toPortError } from './port-error.js';

/** Settings for the store, and its location in the database. */
export interface PostgresEventStoreOptions {
  readonly connectionString: string;
  /** Schema of the store. Default `event_store`. */
  readonly schema?: string;
  /** Number of read connections, at least 1, besides one for appends and one for following the log. Default 4. */
  readonly readConnections?: number;
  /** Time limit of a read, and of an append (counted from its arrival), in ms. Default 10,000. */
  readonly timeoutMs?: number;
  /** Maximum number of waiting appends and bytes; for tests. */
  readonly queueBounds?: QueueBounds;
  /** Interval of the probes while the store refuses appends, in ms; for tests. */
  readonly probeIntervalMs?: number;
  /** Opens the store of archived files when it is first needed. */
  readonly openArchive?: () => Promise<ArchiveFiles>;
  /** Maximum number of events in an archived file; for tests. */
  readonly maxArchivedEvents?: number;
  readonly log?: Log;
}

const READ_BATCHING = { concurrency: 2, maxBatchSize: 100 };
const MAX_BIGINT = 9_223_372_036_854_775_807n;
const COLUMNS = 'position, stream, revision, id, type, data, metadata';
type Row = [
  position: string,
  stream: string,
  revision: string,
  id: string,
  type: string,
  data: string,
  metadata: string,
];

interface StreamRead {
  readonly stream: string;
  readonly start: bigint;
  readonly limit: number | null;
}

/** Event store in PostgreSQL 15 or later. Across processes, positions are gapless and in commit order. */
export class PostgresEventStore implements EventStoreAdapter {
  readonly commitsInOrder = true;
  readonly notes = null;
  readonly archive: PostgresEventArchive;
  private readonly pool: pg.Pool;
  private readonly batcher: AppendBatcher;
  private readonly health: AppendHealth;
  private readonly follower: LogFollower;
  private readonly streamReads: Readonly<Record<'forwards' | 'backwards', Batcher<StreamRead, StoredEvent[]>>>;
  private readonly lastReads = new Batcher((streams: readonly string[]) => this.readLastEvents(streams), READ_BATCHING);
  private readonly schema: string;
  private readonly connectionListeners: (() => void)[] = [];

  constructor(private readonly options: PostgresEventStoreOptions) {
    const { connectionString, timeoutMs = 10_000, log = silentLog, queueBounds } = options;
    this.schema = options.schema ?? 'event_store';
    if (!/^[a-z_][a-z0-9_]*$/.test(this.schema)) throw new RangeError(`"${this.schema}" is not a valid schema name`);
    this.pool = new pg.Pool({
      connectionString,
      max: options.readConnections ?? 4,
      application_name: 'crosspost events',
      connectionTimeoutMillis: timeoutMs,
      statement_timeout: timeoutMs,
      query_timeout: timeoutMs,
      keepAlive: true,
    });
    this.archive = new PostgresEventArchive(
      this.pool,
      this.schema,
      options.openArchive ?? null,
      options.maxArchivedEvents,
    );
    const onLost = () => this.connectionListeners.forEach((listener) => listener());
    this.pool.on('error', (error) => {
      onLost();
      if (!this.pool.ending) log.warn({ reason: error.message }, 'lost an idle connection to the event store');
    });
    const probe = async () => void (await this.pool.query(`select ${this.schema}.probe_append()`));
    this.health = new AppendHealth(log, probe, findLastingError, options.probeIntervalMs);
    this.batcher = new AppendBatcher(
      { connectionString, schema: this.schema, timeoutMs, log, onConnectionLost: onLost, queueBounds },
      async (append, current) => {
        const from = append.expected === 'noStream' ? 0n : append.expected + 1n;
        return matchEarlierAppend(append, await this.written(append.stream, from, append.events.length), current);
      },
      (after, end, createEvents) => this.follower.addCommitted(after, end, createEvents),
      this.health,
    );
    const reads = (direction: 'forwards' | 'backwards') =>
      new Batcher<StreamRead, StoredEvent[]>((batch) => this.readStreams(direction, batch), READ_BATCHING);
    this.streamReads = { forwards: reads('forwards'), backwards: reads('backwards') };
    this.follower = new LogFollower({ connectionString, schema: this.schema, log }, (options) => this.readAll(options));
  }

  /** Checks that the store responds. @throws Unavailable */
  async start(): Promise<void> {
    await this.readHead();
  }

  get appendFailure(): AppendFailure | null {
    return this.health.failure;
  }

  checkAppends(): void {
    this.health.check();
  }

  append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
    condition: AppendCondition | null = null,
  ): Promise<AppendResult> {
    return this.batcher.append([{ stream, expected, events }], condition);
  }

  async appendTogether(appends: readonly StreamAppend[]): Promise<Position> {
    const [first, ...rest] = appends;
    if (!first) throw new RangeError('an append needs at least one stream');
    return (await this.batcher.append([first, ...rest], null)).position;
  }

  readStream(stream: string, { direction = 'forwards', from, limit }: ReadStreamOptions = {}): Promise<StoredEvent[]> {
    const start = from ?? (direction === 'backwards' ? MAX_BIGINT : 0n);
    const reading =
      direction === 'backwards' && from === undefined && limit === 1
        ? this.lastReads.submit(stream)
        : this.streamReads[direction].submit({ stream, start, limit: limit ?? null });
    return reading.catch((error: unknown) => {
      throw error instanceof Overloaded ? toPortError(error) : error;
    });
  }

  async readAll(options: Parameters<ReadLog>[0]): Promise<StoredEvent[]> {
    const { after, limit, upTo = MAX_BIGINT, types, except } = options;
    const named = types ?? (except?.length ? except : null);
    const filter = named === null ? '' : types ? 'and type = any($4)' : 'and type <> all($4)';
    // octet_length does not read the values of large rows.
    const text = `
      select ${COLUMNS}, (${this.archive.readEndSql}) from (
        select *, sum(bytes) over (order by position) - bytes as bytes_before from (
          select ${COLUMNS}, octet_length(data) + octet_length(metadata) as bytes from ${this.schema}.event
          where position > $1 and position <= $2 ${filter} order by position limit $3) first) page
      where bytes_before < ${MAX_PAGE_BYTES} order by position`;
    const values = [after, upTo, limit, ...(named ? [named] : [])];
    const rows = await this.query(text, values, `all ${filter}`);
    const page = rows.map(toStoredEvent);
    const [first] = rows as unknown as readonly (readonly (string | null)[])[];
    // Of the same moment as the page, so that no event can move to a file unnoticed.
    const end = first ? BigInt(first[7] ?? BEGINNING) : await this.archive.readEnd();
    return end <= after ? page : this.archive.completePage({ ...options, upTo }, page);
  }

  async readHead(): Promise<Position> {
    const text = `select e.position::text from ${this.schema}.event e order by e.position desc limit 1`;
    const [row] = await this.query(text, [], 'head');
    return row ? BigInt(row[0]) : BEGINNING;
  }

  async readLastEvent(): Promise<StoredEvent | null> {
    const text = `select ${COLUMNS} from ${this.schema}.event e order by e.position desc limit 1`;
    const [row] = await this.query(text, [], 'last event');
    return row ? toStoredEvent(row) : null;
  }

  subscribe(options: SubscribeOptions): AsyncIterable<Batch> {
    return this.follower.follow(options);
  }

  async setRetention(stream: string, maxCount: number): Promise<void> {
    const text = `insert into ${this.schema}.retention (stream, max_count) values ($1, $2)
                  on conflict (stream) do update set max_count = excluded.max_count`;
    await this.query(text, [stream, maxCount], 'set retention');
  }

  async deleteStream(stream: string): Promise<void> {
    const text = `with gone as (delete from ${this.schema}.event where stream = $1)
                  delete from ${this.schema}.retention where stream = $1`;
    await this.query(text, [stream], 'delete stream');
  }

  async readIdentity(): Promise<StoreIdentity> {
    const text = `select (select id::text from ${this.schema}.identity), greatest(h.last_value,
                    (select e.position from ${this.schema}.event e order by e.position desc limit 1))::text
                  from ${this.schema}.head h`;
    const [row] = await this.query(text, [], 'identity');
    const [id, end] = row as unknown as readonly [string | null, string];
    return { id, end: BigInt(end) };
  }

  async createIdentity(id: string): Promise<string> {
    await this.query(`insert into ${this.schema}.identity (id) values ($1) on conflict do nothing`, [id]);
    return (await this.readIdentity()).id!;
  }

  onConnectionLoss(listener: () => void): void {
    this.connectionListeners.push(listener);
  }

  /** Deletes the events that retention hides from reads. Returns the number of deleted events. */
  async scavenge(): Promise<number> {
    const text = `with gone as (
        delete from ${this.schema}.event e using ${this.schema}.retention r
        where e.stream = r.stream
          and e.revision <= (select max(n.revision) from ${this.schema}.event n where n.stream = r.stream) - r.max_count
        returning 1)
      select count(*)::text from gone`;
    return Number((await this.query(text))[0]?.[0] ?? 0);
  }

  async close(): Promise<void> {
    await this.batcher.close();
    this.health.stop();
    await this.follower.close();
    await this.pool.end();
  }

  /** Reads the events of a stream from a revision on, including events that retention hides. */
  private async written(stream: string, from: bigint, limit: number): Promise<StoredEvent[]> {
    const text = `select ${COLUMNS} from ${this.schema}.event
                  where stream = $1 and revision >= $2 order by revision limit $3`;
    const events = (await this.query(text, [stream, from, limit], 'written')).map(toStoredEvent);
    const options = { from, limit };
    return this.archive.isIncomplete(stream, options, events, true)
      ? this.archive.completeStream(stream, options, events)
      : events;
  }

  /** Reads the last event of each stream, which retention never hides. Most writers need only this event. */
  private async readLastEvents(streams: readonly string[]): Promise<StoredEvent[][]> {
    const text = `
      select ${COLUMNS}, r.n, ${this.archive.isArchivedSql} from unnest($1::text[]) with ordinality r(wanted, n)
      left join lateral (
        select * from ${this.schema}.event e where e.stream = r.wanted order by e.revision desc limit 1) e on true`;
    const rows = await this.query(text, [textArray(streams)], 'streams last');
    const options = { direction: 'backwards', limit: 1 } as const;
    return this.groupByStream(
      streams.map((stream) => ({ stream, options })),
      rows,
    );
  }

  /** Reads several streams in one query. Requests that arrive while a query runs are batched. */
  private async readStreams(
    direction: 'forwards' | 'backwards',
    reads: readonly StreamRead[],
  ): Promise<StoredEvent[][]> {
    const { schema } = this;
    const isBackwards = direction === 'backwards';
    const text = `
      select ${COLUMNS}, r.n, ${this.archive.isArchivedSql}
      from unnest($1::text[], $2::bigint[], $3::bigint[]) with ordinality r(wanted, start, most, n)
      left join lateral (
        select * from ${schema}.event e
        where e.stream = r.wanted and e.revision ${isBackwards ? '<=' : '>='} r.start
          and e.revision > coalesce((select (select max(revision) from ${schema}.event where stream = r.wanted) - max_count
                                     from ${schema}.retention where stream = r.wanted), -1)
        order by e.revision ${isBackwards ? 'desc' : 'asc'} limit r.most) e on true
      order by r.n, e.revision ${isBackwards ? 'desc' : 'asc'}`;
    const columns = [
      textArray(reads.map(({ stream }) => stream)),
      int8Array(reads.map(({ start }) => start)),
      int8Array(reads.map(({ limit }) => limit)),
    ];
    const wanted = reads.map(({ stream, start, limit }) => ({
      stream,
      options: { direction, from: start, ...(limit !== null && { limit }) },
    }));
    return this.groupByStream(wanted, await this.query(text, columns, `streams ${direction}`));
  }

  /**
   * Groups rows by requested stream, and adds archived events. The last columns hold the stream's number in the request,
   * and whether a stream without events has archived ones.
   */
  private groupByStream(
    reads: readonly { readonly stream: string; readonly options: ReadStreamOptions }[],
    rows: readonly Row[],
  ): Promise<StoredEvent[][]> {
    const found: StoredEvent[][] = reads.map(() => []);
    const archived = new Set<number>();
    for (const row of rows) {
      const [number, isArchived] = (row as readonly unknown[]).slice(7) as [string, boolean | null];
      const at = Number(number) - 1;
      if (isArchived === null) found[at]!.push(toStoredEvent(row));
      else if (isArchived) archived.add(at);
    }
    return Promise.all(
      reads.map(async ({ stream, options }, at) =>
        this.archive.isIncomplete(stream, options, found[at]!, archived.has(at))
          ? this.archive.completeStream(stream, options, found[at]!)
          : found[at]!,
      ),
    );
  }

  private async query(text: string, values?: readonly unknown[], name?: string): Promise<Row[]> {
    try {
      const config = { text, rowMode: 'array' as const, ...(values && { values: [...values] }), ...(name && { name }) };
      return (await this.pool.query<Row>(config)).rows;
    } catch (cause) {
      throw toPortError(cause);
    }
  }
}

const toStoredEvent = ([position, stream, revision, id, type, data, metadata]: Row): StoredEvent => ({
  stream,
  id,
  type,
  data,
  metadata,
  revision: BigInt(revision),
  position: BigInt(position),
});
