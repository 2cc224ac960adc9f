import type { Pool, PoolClient } from 'pg';
import type { EventCodec } from '../../../event-store/codec.js';
import { BEGINNING, type EventStore, isFullPage, type Position, type StoredEvent } from '../../../event-store/port.js';
import type { JobContext, JobHandler } from '../../../jobs/job.js';
import type { Json, JsonObject } from '../../../kernel/ids.js';
import { unhurried, withTransaction } from '../../../postgres/pool.js';
import { isUnavailable } from '../../../postgres/unavailable.js';
import {
  applyBatch,
  isDeleted,
  type Projection,
  readSkippedEvents,
  tableSchema,
  type Tx,
  viewSchema,
} from '../projection.js';
import { VERIFY_PROJECTION } from '../projection-status.queries.js';
import { RowCache } from '../rows.js';

/** Type of difference: a row is missing from the live tables, exists only there, or has different content. */
type DifferenceKind = 'missing' | 'extra' | 'different';

/** A row that differs. */
export interface Difference {
  readonly table: string;
  /** Values of the primary key. */
  readonly key: readonly Json[];
  readonly kind: DifferenceKind;
  readonly live: JsonObject | null;
  readonly fresh: JsonObject | null;
}

/** Result of comparing the rows of two schemas. */
export interface Comparison extends Readonly<Record<DifferenceKind, number>> {
  /** Number of rows in the fresh tables. */
  readonly rows: number;
  /** Up to {@link EXAMPLES} per kind and table. */
  readonly differences: readonly Difference[];
}

/** Maximum number of examples per kind and table. */
const EXAMPLES = 20;

/** Compares all tables of two schemas with the same definitions, using a full outer join of hashed rows per table. */
export const compareSchemas = async (
  tx: Tx,
  live: string,
  fresh: string,
  { stamps = {}, expired = {} }: Pick<Projection, 'stamps' | 'expired'> = {},
): Promise<Comparison> => {
  const found: Difference[] = [];
  const totals = { rows: 0, missing: 0, extra: 0, different: 0 };
  for (const { name, keys } of await listTables(tx, fresh)) {
    const counted = await tx.query<{ rows: bigint }>(unhurried(`select count(*) as rows from ${fresh}.${name}`));
    totals.rows += Number(counted.rows[0]!.rows);
    const { rows } = await tx.query<Difference & { readonly total: bigint; readonly number: bigint }>(
      unhurried(compareTable(name, keys, stamps[name] ?? [], live, fresh, expired[name])),
    );
    for (const { total, number, ...difference } of rows) {
      if (number === 1n) totals[difference.kind] += Number(total);
      found.push({ ...difference, table: name });
    }
  }
  return { ...totals, differences: found };
};

const listTables = async (tx: Tx, schema: string): Promise<{ name: string; keys: readonly string[] }[]> => {
  const { rows } = await tx.query<{ name: string; keys: readonly string[] }>(
    `select c.relname as name, array_agg(a.attname::text order by array_position(i.indkey::int2[], a.attnum)) as keys
     from pg_class c join pg_index i on i.indrelid = c.oid and i.indisprimary
     join pg_attribute a on a.attrelid = c.oid and a.attnum = any(i.indkey)
     where c.relnamespace = to_regnamespace($1) and c.relkind = 'r' group by 1 order by 1`,
    [schema],
  );
  return rows;
};

const compareTable = (
  table: string,
  keys: readonly string[],
  stamps: readonly string[],
  live: string,
  fresh: string,
  isExpired: ((schema: string) => string) | undefined,
): string => {
  const content =
    stamps.length === 0 ? 't' : `(to_jsonb(t) - array[${stamps.map((column) => `'${column}'`).join(', ')}])`;
  const keyOf = (row: string) => `jsonb_build_array(${keys.map((key) => `${row}.${key}`).join(', ')})`;
  const hashed = (schema: string) =>
    `(select ${keyOf('t')}::text as key, md5(${content}::text) as hash from ${schema}.${table} t
      ${isExpired ? `where not ${isExpired(schema)}` : ''})`;
  return `
    with difference as (
      select coalesce(l.key, f.key) as key,
        case when l.key is null then 'missing' when f.key is null then 'extra' else 'different' end as kind
      from ${hashed(live)} l full join ${hashed(fresh)} f on l.key = f.key
      where l.key is null or f.key is null or l.hash <> f.hash),
    numbered as (
      select key, kind, row_number() over (partition by kind order by key) as number,
        count(*) over (partition by kind) as total
      from difference)
    select n.kind, n.key::jsonb as key, n.number, n.total, to_jsonb(l) as live, to_jsonb(f) as fresh
    from (select * from numbered where number <= ${EXAMPLES}) n
    left join ${live}.${table} l on ${keyOf('l')}::text = n.key
    left join ${fresh}.${table} f on ${keyOf('f')}::text = n.key
    order by n.kind, n.number`;
};

/** Dependencies of a replay. */
export interface ReplayDependencies {
  readonly pool: Pool;
  readonly store: Pick<EventStore, 'readAll' | 'readStream'>;
  readonly codec: EventCodec;
}

const BATCH = 500;

/** Applies the events after a position to a projection's tables in a schema. */
export class Replay {
  private skipped: ReadonlySet<string> = new Set();
  private cache = new RowCache();
  private readonly except: readonly string[];

  constructor(
    private readonly deps: ReplayDependencies,
    private readonly projection: Projection,
    private readonly schema: string,
    /** Position that the tables have reached. */
    public position: Position = BEGINNING,
  ) {
    const { handles = () => true } = projection;
    this.except = deps.codec.types.filter((type) => !handles(type));
  }

  /** Creates the tables, replacing tables that an interrupted replay left behind. */
  async createTables(): Promise<void> {
    await this.drop();
    await withTransaction(this.deps.pool, (tx) =>
      tx.query(`create schema ${this.schema}; set local search_path to ${this.schema}; ${this.projection.tables}`),
    );
  }

  /** Loads the list of events that may fail. Call it before the first batch. */
  async start(): Promise<void> {
    this.skipped = await readSkippedEvents(this.deps.store, this.deps.codec, this.projection.name);
  }

  async drop(): Promise<void> {
    await this.deps.pool.query(`drop schema if exists ${this.schema} cascade`);
  }

  /** True if a single batch reaches the position. */
  async isWithinBatch(position: Position): Promise<boolean> {
    return !isFullPage(await this.read(position), BATCH);
  }

  /** Applies the next batch of events, up to and including the given position. */
  async advance(tx: PoolClient, until: Position): Promise<void> {
    const read = await this.read(until);
    const events = read.filter(({ type }) => this.projection.handles?.(type) ?? true);
    if (events.length > 0) {
      await tx.query(`set local search_path to ${this.schema}, public; set local synchronous_commit to off`);
      await this.apply(tx, events);
    }
    this.position = isFullPage(read, BATCH) ? read.at(-1)!.position : until;
  }

  /** Copies rows from the tables in another schema if their events are gone. */
  async carryOver(tx: PoolClient, from: string): Promise<void> {
    if (!this.projection.carryOver) return;
    await tx.query(`set local search_path to ${this.schema}, public`);
    await this.projection.carryOver(tx, from, this.position, (stream) => isDeleted(this.deps.store, stream));
  }

  private async apply(tx: PoolClient, events: readonly StoredEvent[]): Promise<void> {
    const at = events.findIndex(({ id }) => this.skipped.has(id));
    const sound = at < 0 ? events : events.slice(0, at);
    if (sound.length > 0) await this.applyWith(tx, sound, this.cache);
    if (at < 0) return;
    await this.trySkipped(tx, events[at]!);
    await this.apply(tx, events.slice(at + 1));
  }

  /** Applies a skipped event, or leaves it out if that fails, as a lane does (ADR-285). */
  private async trySkipped(tx: PoolClient, event: StoredEvent): Promise<void> {
    await tx.query('savepoint skipped');
    try {
      await this.applyWith(tx, [event], new RowCache());
      this.cache = new RowCache(); // its rows may be older
    } catch (error) {
      if (isUnavailable(error)) throw error;
      await tx.query('rollback to savepoint skipped');
    }
  }

  private applyWith(tx: PoolClient, events: readonly StoredEvent[], cache: RowCache): Promise<void> {
    const decoded = events.map((event) => this.deps.codec.decode(event));
    return applyBatch(this.projection, tx, decoded, cache);
  }

  private async read(until: Position): Promise<StoredEvent[]> {
    const events = await this.deps.store.readAll({ after: this.position, limit: BATCH, except: this.except });
    return events.filter(({ position }) => position <= until);
  }
}

/** A comparison of two versions, and the position at which they were compared. */
export interface ComparisonAt extends Comparison {
  readonly position: Position;
}
/** Maximum number of events per example. */
const CAUSES = 20;

/** Adds to each difference the events that contain its key, found in one pass over the log. */
export const addCauses = async (
  store: Pick<EventStore, 'readAll'>,
  { position: until, differences, ...totals }: ComparisonAt,
  signal: AbortSignal,
): Promise<VerificationResult> => {
  const causes = new Map<string, string[]>();
  for (const { key } of differences) for (const needle of needlesOf(key)) causes.set(needle, []);
  let after = BEGINNING;
  while (causes.size > 0 && after < until && !signal.aborted) {
    const events = await store.readAll({ after, limit: BATCH });
    if (events.length === 0) break;
    after = events.at(-1)!.position;
    for (const event of events) {
      if (event.position > until) break;
      for (const [needle, ids] of causes) {
        if (String(event.position) !== needle && !event.stream.includes(needle) && !event.data.includes(needle))
          continue;
        ids.push(event.id);
        if (ids.length > CAUSES) ids.shift();
      }
    }
  }
  const examples = differences.map(({ key, ...difference }) => ({
    ...difference,
    key: key.map(textOf).join('/'),
    events: needlesOf(key).flatMap((needle) => causes.get(needle) ?? []),
  }));
  return { position: String(until), ...totals, examples };
};

/**
 * Returns the part of a key that best identifies its row: the text before the first slash, such as the owner in
 * `<owner>/<month>`.
 */
const needlesOf = ([first]: readonly Json[]): readonly string[] =>
  first === undefined ? [] : [textOf(first).split('/')[0]!];

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));

/** A row that differs between the live and the fresh tables. */
interface DifferenceExample extends Omit<Difference, 'key'> {
  /** Values of the primary key, joined by slashes. */
  readonly key: string;
  /** Ids of the newest events that contain the key, oldest first. */
  readonly events: readonly string[];
}

/** Result of a verification (management-api.md: `POST /projections/{name}/verify`). */
export interface VerificationResult extends Omit<Comparison, 'differences'> {
  readonly position: string;
  readonly examples: readonly DifferenceExample[];
}

/**
 * Compares the live version of a projection with a fresh replay of the log in a separate schema, at the same position.
 * The transaction that compares them first applies the remaining events. It sees the live tables and their position in
 * one snapshot, so the live version can keep running (ADR-147). Only one verification per projection may run at a time;
 * it first drops any tables left behind by a killed verification.
 * @returns null if the signal was aborted first
 * @throws Error if this process does not have the live version's code
 */
export const verifyProjection = async (
  deps: ReplayDependencies,
  projection: Projection,
  { signal, report }: JobContext,
): Promise<VerificationResult | null> => {
  const schema = `${viewSchema(projection.name)}_fresh`;
  const replay = new Replay(deps, projection, schema);
  await replay.createTables();
  try {
    await replay.start();
    for (;;) {
      const { position } = await readLive(deps.pool, projection);
      if (position <= replay.position) break;
      if (await replay.isWithinBatch(position)) break;
      while (replay.position < position) {
        if (signal.aborted) return null;
        await withTransaction(deps.pool, (tx) => replay.advance(tx, position));
        report(Number(replay.position - BEGINNING) / Number(position - BEGINNING));
      }
    }
    const compared = await withTransaction(
      deps.pool,
      async (tx) => {
        await tx.query('set local statement_timeout = 0');
        const live = await readLive(tx, projection);
        while (replay.position < live.position) await replay.advance(tx, live.position);
        if (replay.position > live.position) throw new Error(`${projection.name} has gone back to ${live.position}`);
        const tables = tableSchema(projection.name, live.version);
        await replay.carryOver(tx, tables);
        return { ...(await compareSchemas(tx, tables, schema, projection)), position: live.position };
      },
      'repeatable read',
    );
    return await addCauses(deps.store, compared, signal);
  } finally {
    await replay.drop().catch(() => undefined);
  }
};

const readLive = async (
  db: Pick<PoolClient, 'query'>,
  { name, version: code }: Projection,
): Promise<{ version: number; position: Position }> => {
  const { rows } = await db.query<{ version: number; position: Position; code: number }>(
    `select c.version, c.position, c.code from ops_projection p
     join ops_checkpoint c on c.name = p.name and c.version = p.live_version where p.name = $1`,
    [name],
  );
  if (rows[0]?.code !== code) throw new Error(`${name} is filled by another version of the program`);
  return rows[0];
};

/**
 * Creates the verification job handler. An interrupted verification restarts under the same job, which is safe because
 * it writes only to its own tables.
 */
export const createProjectionVerification = (
  deps: ReplayDependencies,
  projections: readonly Projection[],
): JobHandler => ({
  kind: VERIFY_PROJECTION,
  run: async ({ params }, context) => {
    const projection = projections.find(({ name }) => name === params.projection);
    if (!projection) throw new Error(`this program has no projection ${JSON.stringify(params.projection)}`);
    return (await verifyProjection(deps, projection, context)) as unknown as Json;
  },
});
