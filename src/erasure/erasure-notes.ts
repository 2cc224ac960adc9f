import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { POOL } from '../postgres/tokens.js';

/**
 * Type of subject that a note refers to: a secret's id, a translation stream, a payload parts stream, or an uploaded
 * file's name in the store.
 */
export type ErasureKind = 'secret' | 'translation' | 'payload' | 'upload';

/** A reminder to check or erase something when it is due. */
export interface ErasureNote {
  readonly subject: string;
  /** Age of the note, in ms. */
  readonly age: number;
  /** Streams that may contain an event referring to the subject; null for types of subjects that need none. */
  readonly streams: readonly string[] | null;
  /** Distinguishes this note from a later one about the same subject. */
  readonly notedAt: string;
}

/**
 * The notes in `ops_erasure`. A note survives crashes until its subject is erased or turns out to be needed for good.
 */
@Injectable()
export class ErasureNotes {
  constructor(@Inject(POOL) private readonly pool: Pool) {}

  /**
   * Adds a note for a subject, or reschedules its existing note.
   * @param due `inMs` from now or `notBefore` (ms since 1970), whichever is later
   */
  async add(
    kind: ErasureKind,
    subject: string,
    due: { readonly inMs: number; readonly notBefore?: number },
    streams: readonly string[] | null = null,
  ): Promise<void> {
    await this.pool.query(
      `insert into ops_erasure (kind, subject, due_at, streams)
       values ($1, $2, greatest(clock_timestamp() + $3 * interval '1 ms', to_timestamp($4::float8 / 1000)), $5)
       on conflict (kind, subject) do update
         set due_at = excluded.due_at, streams = excluded.streams, noted_at = excluded.noted_at`,
      [kind, subject, due.inMs, due.notBefore ?? 0, streams],
    );
  }

  /** Lists due notes, longest overdue first. */
  async findDue(kind: ErasureKind, limit: number): Promise<ErasureNote[]> {
    const { rows } = await this.pool.query<{ subject: string; age: number; streams: string[] | null; noted: string }>(
      `select subject, streams, noted_at::text as noted,
         extract(epoch from clock_timestamp() - noted_at)::float8 * 1000 as age
       from ops_erasure where kind = $1 and due_at <= clock_timestamp() order by due_at limit $2`,
      [kind, limit],
    );
    return rows.map(({ subject, age, streams, noted }) => ({ subject, age, streams, notedAt: noted }));
  }

  /** Deletes a note, unless its subject was noted again in the meantime. */
  async settle(kind: ErasureKind, { subject, notedAt }: ErasureNote): Promise<void> {
    const text = 'delete from ops_erasure where kind = $1 and subject = $2 and noted_at = $3::timestamptz';
    await this.pool.query(text, [kind, subject, notedAt]);
  }

  /** Postpones a note until `ms` milliseconds from now. */
  async postpone(kind: ErasureKind, { subject, notedAt }: ErasureNote, ms: number): Promise<void> {
    await this.pool.query(
      `update ops_erasure set due_at = clock_timestamp() + $4 * interval '1 ms'
       where kind = $1 and subject = $2 and noted_at = $3::timestamptz`,
      [kind, subject, notedAt, ms],
    );
  }
}
