import type { PoolClient } from 'pg';
import type { RecordedEvent } from '../../kernel/events.js';
import type { KeptRows } from './row-cache.js';

/** The transaction that a batch's rows and its checkpoint commit in; its search path is the projection's own schema. */
export type Tx = Pick<PoolClient, 'query'>;

/**
 * A read model folded from events. Handlers are deterministic: time comes from the event, order from the log; they may
 * read nothing but their own tables, so that a rebuild gives the same rows.
 */
export interface Projection {
  /** kebab-case; its schemas are `<name>_v<n>` and its views live in `<name>`, with underscores. */
  readonly name: string;
  /** Grows whenever tables or handlers change in a way that asks for a rebuild. */
  readonly version: number;
  /** DDL of the tables, run once in an empty schema. */
  readonly tables: string;
  /** Tables that readers see, each behind a view of its name. */
  readonly views: readonly string[];
  /** Whether events of a type may change its rows; those of all others pass it by unread. Default: all may. */
  readonly concerns?: (type: string) => boolean;
  /**
   * While the log is busy, a batch begins so long after the one before it, ms: what is written twice in that time is
   * written once. Default 20; more for what nobody waits for.
   */
  readonly gatherMs?: number;
  /**
   * Whether a commit waits for the disk. Where it does not, a crash of the database takes the last moments' rows together
   * with the checkpoint, and they are projected again: their events are on the disk. For what must hold at once all the
   * same, such as who is let in. Default false.
   */
  readonly waitsForDisk?: boolean;
  /**
   * Applies a stretch of the log, in order: events that concern it, at least one.
   * @param kept rows as the run's batches before this one have left them
   */
  apply(tx: Tx, events: readonly RecordedEvent[], kept?: KeptRows): Promise<void>;
}

/** The schema of a projection's views: what queries name. */
export const viewSchema = (name: string): string => name.replaceAll('-', '_');

/** The schema that holds version n's tables. */
export const tableSchema = (name: string, version: number): string => `${viewSchema(name)}_v${version}`;
