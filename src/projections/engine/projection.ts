import type { PoolClient, QueryConfig } from 'pg';
import type { HorizonMoved } from '../../domain/archive/archive.events.js';
import type { OwnerContentErased } from '../../domain/owner/owner.events.js';
import { projectionStream } from '../../domain/projection/projection.events.js';
import type { EventCodec } from '../../event-store/codec.js';
import type { EventStore, Position } from '../../event-store/port.js';
import { readSkippedIds } from '../../event-store/store-records.js';
import type { RecordedEvent, RecordedEventOf } from '../../kernel/events.js';
import type { ColumnType, RowCache, RowTable } from './rows.js';

/**
 * The transaction that commits a batch's rows together with the checkpoint. Its search path is the projection's own
 * schema.
 */
export type Tx = Pick<PoolClient, 'query'>;

/**
 * A read model computed from events. Handlers are deterministic: the time comes from the event, the order from the log.
 * They read only their own tables, so a rebuild produces the same rows.
 */
export interface Projection {
  /** In kebab-case; schema names use underscores instead. */
  readonly name: string;
  /** Code version; increase it when a change to the tables or handlers requires a rebuild. */
  readonly version: number;
  /** DDL of the tables, executed once in an empty schema. */
  readonly tables: string;
  /**
   * DDL of the indexes that only readers need, each with `if not exists`. They are created on a candidate once it has
   * caught up, because building an index in one go is far cheaper than updating it row by row (ADR-171). Default: none.
   */
  readonly readIndexes?: string;
  /** Tables exposed to readers, each through a view of the same name. */
  readonly views: readonly string[];
  /**
   * Whether events of this type may change its rows. Other events are skipped without being read. Default: all types.
   */
  readonly handles?: (type: string) => boolean;
  /**
   * Minimum time between batch starts while the log is busy, in ms. A row that changes twice within it is written only
   * once, and a steady stream of small batches leaves time for requests (ADR-106). Default 20; longer for read models
   * that no request waits for.
   */
  readonly batchIntervalMs?: number;
  /**
   * Whether commits wait for the disk. If not, a database crash loses the latest rows along with the checkpoint, and
   * they are projected again from the events, which are on disk. Needed for rows that must never revert to an older
   * state, such as credentials. Default false.
   */
  readonly commitsSynchronously?: boolean;
  /**
   * True if the events that it handles are never deleted. The newest handled event is then kept with the checkpoint, to
   * identify the event store (ADR-124). Default false.
   */
  readonly keepsAnchor?: boolean;
  /**
   * Columns to exclude from verification, by table, because their values depend on how the log was split into batches.
   * Use it only for stamps that tell readers when a row has changed.
   */
  readonly stamps?: Readonly<Record<string, readonly string[]>>;
  /**
   * Conditions for rows to exclude from comparison, by table, because retention may have deleted them from the live
   * version. A condition refers to the row as `t`.
   * @param schema schema of the tables
   */
  readonly expired?: Readonly<Record<string, (schema: string) => string>>;
  /**
   * Copies rows from another version's tables if their events are no longer in the event store (ADR-150). Only for read
   * models that remember deleted events. May be called repeatedly.
   * @param from schema of the other version's tables, possibly defined by older code
   * @param until position that this version's tables have reached
   * @param isGone true if a stream was deleted
   */
  carryOver?(tx: Tx, from: string, until: Position, isGone: (stream: string) => Promise<boolean>): Promise<void>;
  /**
   * Applies a non-empty batch of handled events, in log order.
   * @param cache rows as left by earlier batches of the same run
   */
  apply(tx: Tx, events: readonly RecordedEvent[], cache?: RowCache): Promise<void>;
  /**
   * Sets the columns that hold content of the given months to constants, in an owner's rows, whether or not the event
   * that filled them was still readable, so that live rows equal those of a rebuild (ADR-414). Needs `handles` to include
   * `OwnerContentErased`, which `apply` then never receives. Only for read models with content (D-100).
   */
  erase?(tx: Tx, erased: OwnerContentErased['data']): Promise<void>;
  /**
   * Deletes the rows of what was settled before a time (D-101): those of which the events alone answer from now on. Needs
   * `handles` to include `HorizonMoved`, which `apply` then never receives. Only for read models that grow with posts.
   */
  letGo?(tx: Tx, horizon: HorizonMoved['data']): Promise<void>;
}

/**
 * Applies a non-empty batch of handled events, in log order: in parts around erasures and moves of the horizon, which
 * change rows directly in the tables, so the rows of earlier parts must be there.
 */
export const applyBatch = async (
  projection: Pick<Projection, 'apply' | 'erase' | 'letGo'>,
  tx: Tx,
  events: readonly RecordedEvent[],
  cache?: RowCache,
): Promise<void> => {
  let from = 0;
  for (const [i, event] of events.entries()) {
    const change = directChange(projection, event as RecordedEventOf<OwnerContentErased | HorizonMoved>);
    if (!change) continue;
    if (i > from) await projection.apply(tx, events.slice(from, i), cache);
    await change(tx);
    cache?.clear();
    from = i + 1;
  }
  if (from < events.length) await projection.apply(tx, from === 0 ? events : events.slice(from), cache);
};

const directChange = (
  projection: Pick<Projection, 'erase' | 'letGo'>,
  event: RecordedEventOf<OwnerContentErased | HorizonMoved>,
): ((tx: Tx) => Promise<void>) | undefined => {
  if (event.type === 'OwnerContentErased') return projection.erase && ((tx) => projection.erase!(tx, event.data));
  if (event.type === 'HorizonMoved') return projection.letGo && ((tx) => projection.letGo!(tx, event.data));
  return undefined;
};

/** A transaction that reads and writes nothing, for rows that are computed from all of their events. */
export const NO_ROWS = { query: () => Promise.resolve({ rows: [], rowCount: 0 }) } as unknown as Tx;

/** Injection token for the list of all projections. */
export const PROJECTIONS = Symbol('Projections');

/** The parts of a projection that its readers need. */
export type ReadModel = Pick<Projection, 'name' | 'version' | 'views'>;

/** Returns the schema with the live version's views, for operators and SQL functions. */
export const viewSchema = (name: string): string => name.replaceAll('-', '_');

/** Returns the schema with the views that a program's queries use. Their columns match the program's code (ADR-101). */
export const readSchema = (name: string, code: number): string => `${viewSchema(name)}_c${code}`;

/** Returns the schema of a version's tables. */
export const tableSchema = (name: string, version: number): string => `${viewSchema(name)}_v${version}`;

/** A column of a read model's table. `Value` is the type of its values. */
export interface Column<Value = unknown> {
  readonly type: ColumnType | 'text[]';
  readonly isNullable: boolean;
  readonly isFixed: boolean;
  /** Never set; only carries the type. */
  readonly value?: Value;
}

/** Columns of a table, by name. */
export type Columns = Readonly<Record<string, Column>>;

/** A row of a table with these columns. */
export type RowOf<C extends Columns> = {
  readonly [Name in keyof C]: C[Name] extends Column<infer Value> ? Value : never;
};

/** A string, or one of a set of strings. */
export const text = <Value extends string = string>(): Column<Value> => column('text');
/** An integer below 2^31. */
export const int = (): Column<number> => column('int');
/** An integer up to 2^53. */
export const bigint = (): Column<number> => column('bigint');
/** An integer too large for JSON, such as a position. Rows hold it as a string of digits. */
export const bigintDigits = (): Column<string> => column('bigint');
/** A floating-point number. */
export const double = (): Column<number> => column('double precision');
/** True or false. */
export const boolean = (): Column<boolean> => column('boolean');
/** A JSON value. */
export const jsonb = <Value extends object>(): Column<Value> => column('jsonb');
/** Words to search for, without quotes and separated by spaces. */
export const searchWords = (): Column<string> => column('tsvector');
/** A list of strings. */
export const texts = <Value extends string = string>(): Column<readonly Value[]> => column('text[]');

/** A column that may be null. */
export const nullable = <Value>(of: Column<Value>): Column<Value | null> => ({ ...of, isNullable: true });
/** A column that never changes after the insert. */
export const fixed = <Value>(of: Column<Value>): Column<Value> => ({ ...of, isFixed: true });

const column = <Value>(type: Column['type']): Column<Value> => ({ type, isNullable: false, isFixed: false });

/** A table for `Rows`, and the SQL that creates it. */
export interface Table<C extends Columns> extends RowTable<RowOf<C>> {
  /** `create table` statement. */
  readonly ddl: string;
  /** Never set; only carries the type. */
  readonly row?: RowOf<C>;
}

/** A row of a table. */
export type RowOfTable<T extends { readonly row?: object }> = NonNullable<T['row']>;

interface TableShape<C extends Columns> {
  readonly name: string;
  /** The primary key, a text column. */
  readonly key: keyof C & string;
  /** SQL of columns that the database fills in; rows do not contain them. */
  readonly computed?: readonly string[];
  /** Percentage of each page that inserts may fill; the rest is left for updates. Default: PostgreSQL's own. */
  readonly fillfactor?: number;
  /** True for a frequently updated table: see {@link RowTable.types}. */
  readonly isHot?: boolean;
}

/** Defines a table: its SQL, the columns that `Rows` writes, and the type of its rows. */
export const defineTable = <C extends Columns>(shape: TableShape<C>, columns: C): Table<C> => {
  const { name, key, computed = [], fillfactor, isHot = false } = shape;
  const names = Object.keys(columns) as (keyof C & string)[];
  const lines = names.map((each) => (each === key ? `${each} text primary key` : describeColumn(each, columns[each]!)));
  const storage = fillfactor === undefined ? '' : ` with (fillfactor = ${fillfactor})`;
  return {
    name,
    key,
    columns: names,
    fixed: names.filter((each) => columns[each]!.isFixed),
    ...(isHot && { types: typesOf(columns) }),
    ddl: `create table ${name} (\n    ${[...lines, ...computed].join(',\n    ')}\n  )${storage};`,
  };
};

/** Returns the SQL that defines the columns, for a table with a composite key. */
export const describeColumns = (columns: Columns): string =>
  Object.entries(columns)
    .map(([name, of]) => describeColumn(name, of))
    .join(', ');

const describeColumn = (name: string, { type, isNullable }: Column): string =>
  `${name} ${type}${isNullable ? '' : ' not null'}`;

/** Returns the SQL types of columns, for writing their values as arrays. @throws Error for list columns */
export const typesOf = <C extends Columns>(columns: C): Readonly<Record<keyof C & string, ColumnType>> => {
  const types = Object.entries(columns).map(([name, { type }]) => {
    if (type === 'text[]') throw new Error(`the column ${name} is a list: its table cannot be written as arrays`);
    return [name, type];
  });
  return Object.fromEntries(types) as Record<keyof C & string, ColumnType>;
};

/** A statement that is encoded when its turn comes. */
export interface Write {
  readonly encode: () => QueryConfig;
  /** Called once the server has executed it. */
  readonly onWritten?: () => void;
}

/** Executes writes in order. Each is encoded while the server executes the previous one. */
export const executeWrites = async (tx: Tx, writes: readonly Write[]): Promise<void> => {
  let running: Promise<void> | undefined;
  for (const { encode, onWritten } of writes) {
    const encoding = new Promise<QueryConfig>((resolve) => resolve(encode())); // at once, while the server is busy
    const [query] = await Promise.all([encoding, running]);
    running = tx.query(query).then(onWritten);
  }
  await running;
};

/** Returns true if a stream has no events. @throws Unavailable */
export const isDeleted = async (store: Pick<EventStore, 'readStream'>, stream: string): Promise<boolean> =>
  (await store.readStream(stream, { limit: 1 })).length === 0;

/** Reads the ids of the events that operators have skipped for a projection. @throws Unavailable */
export const readSkippedEvents = (
  store: Pick<EventStore, 'readStream'>,
  codec: EventCodec,
  name: string,
): Promise<ReadonlySet<string>> =>
  readSkippedIds(store, codec, { stream: projectionStream(name), type: 'ProjectionEventSkipped' });
