import pg from 'pg';
import type { Log } from '../../kernel/log.js';
import {
  type AppendCondition,
  type AppendResult,
  checkAppend,
  ConditionFailed,
  type ExpectedRevision,
  type NewEvent,
  type StoredEvent,
  Unavailable,
  WrongExpectedRevision,
} from '../port.js';
import type { Tail } from './log-follower.js';
import { boolArray, int4Array, int8Array, textArray, uuidArray } from '../../postgres/binary-array.js';
import { Spacing } from '../../runtime/batch-interval.js';

interface Append {
  readonly stream: string;
  readonly expected: ExpectedRevision;
  readonly events: readonly NewEvent[];
  readonly condition: AppendCondition | null;
  readonly bytes: number;
  readonly resolve: (result: AppendResult) => void;
  readonly reject: (error: Error) => void;
}

/** An append that was refused; where none was, a single row says where the accepted ones begin. */
interface Row {
  readonly base: string;
  readonly refused: number | null;
  readonly current: string | null;
  /** An append whose condition does not hold: then there are no rows of any other kind, and nothing was written. */
  readonly failed?: number | null;
}

const MAX_EVENTS = 1_000;
const MAX_BYTES = 8 * 1_048_576;
/** By trial: at 2,500 posts a second half the CPU time of each; longer ones gain no more. */
const SPACING_MS = 3;

/**
 * Group commit over one connection: appends that arrive while a batch is under way make up the next one, so that
 * batches grow with the load. One batch is in flight at a time, those of a crowd {@link Spacing apart}.
 */
export class AppendBatcher {
  private readonly waiting: Append[] = [];
  private client: Promise<pg.Client> | null = null;
  private running: Promise<void> | null = null;
  private readonly spacing = new Spacing(SPACING_MS);

  constructor(
    private readonly options: {
      connectionString: string;
      schema: string;
      timeoutMs: number;
      log: Log;
      /** Whether the schema has a function that checks conditions. */
      hasConditions: boolean;
    },
    /** Looks a refused append up: the same events already there, or a wrong revision. */
    private readonly settleRefused: (
      append: Omit<Append, 'resolve' | 'reject'>,
      current: bigint,
    ) => Promise<AppendResult>,
    /** Told of what a batch has written behind a position, in order and without a gap, before anyone hears of their own append. */
    private readonly committed: Tail['appended'],
  ) {}

  /** Port: {@link EventStore.append}. */
  append(
    stream: string,
    expected: ExpectedRevision,
    events: readonly NewEvent[],
    condition: AppendCondition | null,
  ): Promise<AppendResult> {
    return new Promise((resolve, reject) => {
      const bytes = checkAppend(stream, events, this.options.hasConditions ? null : condition);
      this.waiting.push({ stream, expected, events, condition, bytes, resolve, reject });
      this.running ??= this.run();
    });
  }

  /** Waits for what is in flight. */
  async close(): Promise<void> {
    await this.running;
    const client = await this.client?.catch(() => null);
    this.client = null;
    await client?.end().catch(() => undefined);
  }

  private async run(): Promise<void> {
    while (this.waiting.length > 0) {
      await this.spacing.turn(); // the callers of this turn join, too
      const batch = this.take();
      this.spacing.began(batch.length);
      await this.commit(batch);
    }
    this.running = null;
  }

  /** The next batch, in order. A stream stands in it once: its second append waits for the first one's outcome. */
  private take(): Append[] {
    const batch: Append[] = [];
    const later: Append[] = [];
    const streams = new Set<string>();
    let events = 0;
    let bytes = 0;
    for (const append of this.waiting) {
      const full = events + append.events.length > MAX_EVENTS || bytes + append.bytes > MAX_BYTES;
      if (streams.has(append.stream) || (full && batch.length > 0)) later.push(append);
      else {
        batch.push(append);
        events += append.events.length;
        bytes += append.bytes;
      }
      streams.add(append.stream);
    }
    this.waiting.splice(0, Infinity, ...later);
    return batch;
  }

  private async commit(batch: readonly Append[]): Promise<void> {
    let rows: Row[];
    try {
      rows = await this.call(batch);
    } catch (error) {
      if (!(error instanceof pg.DatabaseError) || isTransient(error)) {
        this.dropClient();
        const unavailable = new Unavailable('the event store did not answer', { cause: error });
        for (const append of batch) append.reject(unavailable);
      } else if (batch.length > 1) {
        for (const append of batch) await this.commit([append]); // one bad event must not fail its neighbours
      } else batch[0]!.reject(error);
      return;
    }
    if (typeof rows[0]!.failed === 'number') return this.commitRest(batch, new Set(rows.map(({ failed }) => failed)));
    const refused = new Map(rows.map((row) => [row.refused, row.current]));
    const accepted = batch.filter((_, item) => !refused.has(item));
    const base = BigInt(rows[0]!.base);
    const end = accepted.reduce((at, { events }) => at + BigInt(events.length), base);
    this.committed(base, end, (isWanted) => written(accepted, base, isWanted));
    let position = base;
    for (const { expected, events, resolve } of accepted) {
      position += BigInt(events.length);
      resolve({ revision: baseOf(expected) + BigInt(events.length), position });
    }
    for (const [item, current] of refused) {
      if (item === null) continue;
      const append = batch[item]!;
      this.settleRefused(append, BigInt(current!)).then(append.resolve, append.reject);
    }
  }

  /** Commits a batch without those whose condition does not hold. */
  private async commitRest(batch: readonly Append[], failed: ReadonlySet<number | null | undefined>): Promise<void> {
    const rest = batch.filter((append, item) => {
      if (failed.has(item)) void this.fail(append);
      return !failed.has(item);
    });
    if (rest.length > 0) await this.commit(rest);
  }

  /** An append that is repeated because its answer was lost may have been written while its condition held. */
  private async fail(append: Append): Promise<void> {
    try {
      append.resolve(await this.settleRefused(append, -1n));
    } catch (error) {
      append.reject(error instanceof WrongExpectedRevision ? new ConditionFailed(append.condition!) : (error as Error));
    }
  }

  private async call(batch: readonly Append[]): Promise<Row[]> {
    const items: number[] = [];
    const streams: string[] = [];
    const revisions: bigint[] = [];
    const firsts: boolean[] = [];
    const events: NewEvent[] = [];
    batch.forEach((append, item) => {
      const base = baseOf(append.expected);
      append.events.forEach((event, i) => {
        items.push(item);
        streams.push(append.stream);
        revisions.push(base + BigInt(i + 1));
        firsts.push(i === 0);
        events.push(event);
      });
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
    const text = `select base, refused, current from ${schema}.append_events($1,$2,$3,$4,$5,$6,$7,$8)`;
    const textIf = `select base, refused, current, failed from ${schema}.append_events_if($1,$2,$3,$4,$5,$6,$7,$8,$9,$10,$11)`;
    const client = await (this.client ??= this.connect());
    const answer =
      conditions.length === 0
        ? client.query<Row>({ name: 'append events', text, values })
        : client.query<Row>({ name: 'append events if', text: textIf, values: [...columnsOf(conditions), ...values] });
    return (await within(timeoutMs, answer)).rows;
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
      log.warn({ error: error.message }, 'the append connection was lost');
      if (this.client !== null) this.dropClient();
    });
    await client.connect();
    return client;
  }

  private dropClient(): void {
    const dropped = this.client;
    this.client = null;
    void dropped?.then((client) => client.end()).catch(() => undefined);
  }
}

const columnsOf = (conditions: readonly (AppendCondition & { readonly item: number })[]): Buffer[] => [
  int4Array(conditions.map(({ item }) => item)),
  textArray(conditions.map(({ subject }) => subject)),
  textArray(conditions.map(({ version }) => version)),
];

/** The revision that appended events follow; -1n: none. */
const baseOf = (expected: ExpectedRevision): bigint => (expected === 'noStream' ? -1n : expected);

/** What is wanted of what appends have written, as a read would find it: they take up the log behind a position. */
const written = (appends: readonly Append[], base: bigint, isWanted: (type: string) => boolean): StoredEvent[] => {
  const written: StoredEvent[] = [];
  let position = base;
  for (const { stream, expected, events } of appends) {
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

/** Errors after which the same append may succeed: shutdown, lost connection, resources, time-outs, deadlocks. */
const isTransient = ({ code = '' }: pg.DatabaseError): boolean =>
  ['08', '53', '57', '58', '40', '55'].includes(code.slice(0, 2)) || code === '25006';

/** A frozen server answers nothing, not even an error: our own timer stands round the call. */
const within = async <T>(ms: number, promise: Promise<T>): Promise<T> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`no answer within ${ms} ms`)), ms);
  });
  try {
    return await Promise.race([promise, late]);
  } finally {
    clearTimeout(timer);
  }
};

/** Same ids in the same places: the first append's result; anything else is a wrong revision. */
export const settle = (
  append: { readonly stream: string; readonly expected: ExpectedRevision; readonly events: readonly NewEvent[] },
  found: readonly { readonly id: string; readonly revision: bigint; readonly position: bigint }[],
  current: bigint,
): AppendResult => {
  const repeated = append.events.every((event, i) => found[i]?.id === event.id.toLowerCase());
  const last = found[append.events.length - 1];
  if (repeated && last) return { revision: last.revision, position: last.position };
  throw new WrongExpectedRevision(append.stream, append.expected, current < 0n ? 'noStream' : current);
};
