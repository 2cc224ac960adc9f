import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { UploadedType } from '../../domain/media/media.events.js';
import type { Instant } from '../../kernel/clock.js';
import { POOL } from '../../postgres/tokens.js';
import { monthAt } from '../engine/erased-content.js';
import { type FileRow, MEDIA } from './media.tables.js';

/** Selects a part of the list of files, newest first. */
export interface FileFilter {
  /** Null for all owners. */
  readonly ownerId: string | null;
  /** Null for all types. */
  readonly type: UploadedType | null;
  /** The last file of the part before; null to start with the newest. */
  readonly before: Place | null;
  readonly limit: number;
}

/** A file's place in a list. */
export interface Place {
  readonly at: Instant;
  readonly id: string;
}

/** How much an owner has uploaded. */
export interface Holding {
  readonly files: number;
  readonly bytes: number;
}

/** Reads uploaded files that are not deleted; some may have expired. */
@Injectable()
export class MediaQueries {
  constructor(@Inject(POOL) private readonly pool: Pick<Pool, 'query'>) {}

  /** Finds files by their ids. @param ownerId owner that they must belong to; null for any owner */
  async find(mediaIds: readonly string[], ownerId: string | null): Promise<FileRow[]> {
    const { rows } = await this.pool.query<{ row: FileRow }>({
      name: 'find media',
      text: `select to_json(f) as row from ${MEDIA}.file f
             where f.media_id = any($1) and ($2::text is null or f.owner_id = $2)`,
      values: [mediaIds, ownerId],
    });
    return rows.map(({ row }) => row);
  }

  async list({ ownerId, type, before, limit }: FileFilter): Promise<FileRow[]> {
    const values: unknown[] = [limit];
    const conditions = ['true'];
    if (ownerId !== null) conditions.push(`owner_id = $${values.push(ownerId)}`);
    if (type !== null) conditions.push(`type = $${values.push(type)}`);
    if (before) conditions.push(`(created_at, media_id) < ($${values.push(before.at)}, $${values.push(before.id)})`);
    const text = `select to_json(f) as row from ${MEDIA}.file f where ${conditions.join(' and ')}
                  order by created_at desc, media_id desc limit $1`;
    return (await this.pool.query<{ row: FileRow }>(text, values)).rows.map(({ row }) => row);
  }

  /** Lists files by their latest upload, oldest first. @param until latest upload, inclusive */
  async findOldest(until: Instant, after: Place, limit: number): Promise<FileRow[]> {
    const { rows } = await this.pool.query<{ row: FileRow }>({
      name: 'oldest media',
      text: `select to_json(f) as row from ${MEDIA}.file f
             where f.renewed_at <= $1 and (f.renewed_at, f.media_id) > ($2, $3)
             order by f.renewed_at, f.media_id limit $4`,
      values: [until, after.at, after.id, limit],
    });
    return rows.map(({ row }) => row);
  }

  /** Lists an owner's files whose latest upload was in one of these months (UTC). */
  async findOfMonths(ownerId: string, months: readonly string[]): Promise<FileRow[]> {
    const { rows } = await this.pool.query<{ row: FileRow }>(
      `select to_json(f) as row from ${MEDIA}.file f where f.owner_id = $1 and ${monthAt('f.renewed_at')} = any($2)`,
      [ownerId, months],
    );
    return rows.map(({ row }) => row);
  }

  /** Returns those files that published posts link to. */
  async findLinked(mediaIds: readonly string[]): Promise<ReadonlySet<string>> {
    if (mediaIds.length === 0) return new Set();
    const { rows } = await this.pool.query<{ media_id: string }>({
      name: 'linked media',
      text: `select media_id from ${MEDIA}.file where media_id = any($1) and is_linked`,
      values: [mediaIds],
    });
    return new Set(rows.map(({ media_id }) => media_id));
  }

  /** Returns those of these names in the store that belong to a file. */
  async findNamed(files: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await this.pool.query<{ file: string }>({
      name: 'named media',
      text: `select file from ${MEDIA}.file where file = any($1)`,
      values: [files],
    });
    return new Set(rows.map(({ file }) => file));
  }

  /** Returns the total of an owner's files. */
  async findHolding(ownerId: string): Promise<Holding> {
    const { rows } = await this.pool.query<{ files: string; bytes: string }>({
      name: 'media holding',
      text: `select files, bytes from ${MEDIA}.holding where owner_id = $1`,
      values: [ownerId],
    });
    return { files: Number(rows[0]?.files ?? 0), bytes: Number(rows[0]?.bytes ?? 0) };
  }

  /** Returns the total of all files, in bytes. */
  async sumBytes(): Promise<number> {
    const { rows } = await this.pool.query<{ bytes: string }>({
      name: 'media bytes',
      text: `select coalesce(sum(bytes), 0)::text as bytes from ${MEDIA}.holding`,
    });
    return Number(rows[0]!.bytes);
  }
}
