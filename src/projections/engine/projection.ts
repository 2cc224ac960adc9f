import type { PoolClient } from 'pg';
import type { Position } from '../../event-store/port.js';
import type { RecordedEvent } from '../../kernel/events.js';
import type { RowCache } from './row-cache.js';

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
}

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
