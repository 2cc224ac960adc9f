import type { Pool } from 'pg';
import type { Position, StoredEvent } from './port.js';

/** The event store that a database belongs to. */
export interface StoreRecord {
  readonly id: string;
  /** Address at which the store was first used, without the password. */
  readonly address: string;
}

/** The place and id of an event that a read model has applied. */
export interface Anchor {
  readonly stream: string;
  readonly revision: string;
  readonly position: string;
  readonly id: string;
}

/** A checkpoint of a read model or saga. */
export interface Checkpoint {
  readonly name: string;
  readonly position: Position;
  /** An event at or before the position; null if none was applied. */
  readonly anchor: Anchor | null;
}

/** Serialises an event's anchor in the form that `ops_checkpoint` stores. */
export const serializeAnchor = ({ stream, revision, position, id }: StoredEvent): string =>
  JSON.stringify({ stream, revision: String(revision), position: String(position), id } satisfies Anchor);

const NAME = 'event_store';

/** The identity of the event store, kept alongside the checkpoints (ADR-124). */
export class StoreRecords {
  constructor(private readonly pool: Pick<Pool, 'query'>) {}

  async read(): Promise<{ recorded: StoreRecord | null; checkpoints: Checkpoint[] }> {
    const { rows } = await this.pool.query<{ name: string | null; position: bigint; anchor: string; record: string }>(
      `select c.name, c.position, c.anchor, s.value as record from ops_checkpoint c
         full join (select value from ops_setting where name = $1) s on true`,
      [NAME],
    );
    const record = rows[0]?.record ?? null;
    const checkpoints = rows.flatMap(({ name, position, anchor }) =>
      name === null ? [] : [{ name, position, anchor: anchor === null ? null : (JSON.parse(anchor) as Anchor) }],
    );
    return { recorded: record === null ? null : (JSON.parse(record) as StoreRecord), checkpoints };
  }

  /** Records the store, unless another process has recorded one. */
  async record(record: StoreRecord): Promise<void> {
    const text = 'insert into ops_setting (name, value) values ($1, $2) on conflict (name) do nothing';
    await this.pool.query(text, [NAME, JSON.stringify(record)]);
  }

  /** Deletes the record. Call it in a transaction that also deletes the checkpoints. */
  async delete(): Promise<void> {
    await this.pool.query('delete from ops_setting where name = $1', [NAME]);
  }
}
