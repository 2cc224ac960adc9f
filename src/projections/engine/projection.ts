import type { PoolClient } from 'pg';
import type { Position } from '../../event-store/port.js';
import type { RecordedEvent } from '../../kernel/events.js';
import type { RowCache } from './row-cache.js';

/** The transaction that commits a batch's rows with its checkpoint; its search path is the projection's own schema. */
export type Tx = Pick<PoolClient, 'query'>;

/**
 * A read model that is computed from events. Handlers are deterministic: the time comes from the event, the order from
 * the log. They read only their own tables, so that a rebuild produces the same rows.
 */
export interface Projection {
  /** In kebab-case; schema names use underscores instead. */
  readonly name: string;
  /** Version of the code, increased when a change to the tables or handlers requires a rebuild. */
  readonly version: number;
  /** DDL of the tables, executed once in an empty schema. */
  readonly tables: string;
  /**
   * DDL of the indexes that only readers need, each with `if not exists`. A candidate gets them when it has caught up,
   * because building a whole index costs a fraction of updating it row by row (ADR-171). Default: none.
   */
  readonly readIndexes?: string;
  /** Tables for readers, each behind a view of the same name. */
  readonly views: readonly string[];
  /**
   * True if events of a type may change its rows; all other events are skipped without being read. Default: all types.
   */
  readonly handles?: (type: string) => boolean;
  /**
   * Minimum time between the starts of two batches while the log is busy, in ms: a row that changes twice in that time
   * is written once, and a steady stream of small batches leaves time for requests (ADR-106). Default 20; longer for
   * read models that no request waits for.
   */
  readonly batchIntervalMs?: number;
  /**
   * True if a commit waits for the disk. If not, a database crash loses the latest rows together with the checkpoint,
   * and they are projected again from the events, which are on disk. Needed for rows that must never return to an older
   * state, such as credentials. Default false.
   */
  readonly commitsSynchronously?: boolean;
  /**
   * True if no event that it handles is ever deleted. The newest such event is then kept with the checkpoint, to
   * identify the event store (ADR-124). Default false.
   */
  readonly keepsAnchor?: boolean;
  /**
   * For each table, the columns that a verification does not compare, because they depend on how the log was divided
   * into batches. Only for stamps that show readers that a row has changed.
   */
  readonly stamps?: Readonly<Record<string, readonly string[]>>;
  /**
   * For each table, the condition for rows to leave out of a comparison, because retention may have deleted them from
   * the live version. The condition refers to the row as `t`.
   * @param schema schema of the tables
   */
  readonly expired?: Readonly<Record<string, (schema: string) => string>>;
  /**
   * Copies rows from the tables of another version if their events are no longer in the event store (ADR-150). Only for
   * a read model that remembers deleted events. May be called repeatedly.
   * @param from schema of the other version's tables, which older code may have defined
   * @param until position that its own tables have reached
   * @param isGone true if a stream was deleted
   */
  carryOver?(tx: Tx, from: string, until: Position, isGone: (stream: string) => Promise<boolean>): Promise<void>;
  /**
   * Applies a non-empty batch of events that it handles, in the order of the log.
   * @param cache rows as the earlier batches of the same run left them
   */
  apply(tx: Tx, events: readonly RecordedEvent[], cache?: RowCache): Promise<void>;
}

/** Injection token for the list of all projections. */
export const PROJECTIONS = Symbol('Projections');

/** The parts of a projection that its readers need. */
export type ReadModel = Pick<Projection, 'name' | 'version' | 'views'>;

/** Returns the schema of the views of the live version, for operators and SQL functions. */
export const viewSchema = (name: string): string => name.replaceAll('-', '_');

/** Returns the schema of the views that the queries of a program use: their columns are those of its code (ADR-101). */
export const readSchema = (name: string, code: number): string => `${viewSchema(name)}_c${code}`;

/** Returns the schema of a version's tables. */
export const tableSchema = (name: string, version: number): string => `${viewSchema(name)}_v${version}`;
