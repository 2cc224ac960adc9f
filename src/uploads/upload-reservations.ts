import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import { LOG, type Log } from '../kernel/log.js';
import { reasonOf } from '../kernel/result.js';
import { POOL } from '../postgres/tokens.js';

/** How often an upload under way is renewed, in ms; after 30 s without, it does not count any more. */
const RENEW_MS = 5_000;
/** Number of an owner's uploads at once (D-90). */
const AT_ONCE = 4;

/** An upload that is about to start. */
export interface StartingUpload {
  readonly ownerId: string;
  /** Name of its file in the store. */
  readonly file: string;
  /** Its size if it is known, otherwise as much as may be received before {@link UploadReservations.extend}. */
  readonly bytes: number;
  /** Bytes that the owner's plan allows; null if unlimited. */
  readonly allowed: number | null;
  /** Who starts it: the endpoint, or the owner. */
  readonly payer: string;
  /** Uploads per minute; null if unlimited. */
  readonly perMinute: number | null;
}

/** What became of a reservation. */
export type UploadVerdict =
  | { readonly verdict: 'reserved' }
  /** `used`: bytes of the owner's other files and uploads. */
  | { readonly verdict: 'quota'; readonly used: number }
  | { readonly verdict: 'too_many'; readonly retryAfter: number };

interface Row {
  readonly verdict: 'reserved' | 'quota' | 'too_many';
  readonly used: string;
  readonly retry_after: number | null;
}

/**
 * Reserves room for uploads under their owner's quota, so that parallel uploads in all processes never exceed it (D-90).
 * A reservation counts while its process renews it; once its content is known, until the read model shows the file.
 */
@Injectable()
export class UploadReservations {
  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Starts an upload: reserves room, and counts it in the pace. Call {@link release} when it has ended. */
  start(upload: StartingUpload): Promise<UploadVerdict> {
    return this.reserve(upload, null, upload.payer);
  }

  /** Reserves this much room in all. @param mediaId id of the content once it is known */
  extend(upload: StartingUpload, bytes: number, mediaId: string | null): Promise<UploadVerdict> {
    return this.reserve({ ...upload, bytes }, mediaId, null);
  }

  /** Renews an upload until the returned function is called. */
  keep({ file }: Pick<StartingUpload, 'file'>): () => void {
    const timer = setInterval(() => {
      const text = 'update ops_upload set renewed_at = now() where file = $1';
      this.pool.query({ name: 'renew upload', text, values: [file] }).catch((error: unknown) => {
        this.log.debug({ reason: reasonOf(error) }, 'failed to renew an upload; it will be repeated');
      });
    }, RENEW_MS).unref();
    return () => clearInterval(timer);
  }

  /** Ends an upload. Never throws: a reservation that is left expires. */
  async release({ file }: Pick<StartingUpload, 'file'>): Promise<void> {
    const query = { name: 'end upload', text: 'delete from ops_upload where file = $1', values: [file] };
    await this.pool.query(query).catch((error: unknown) => {
      this.log.debug({ reason: reasonOf(error) }, 'failed to release the room of an upload; it will expire');
    });
  }

  /**
   * Returns which of these files may still be uploading. An upload that its process has not renewed for a minute has the
   * id of its content, because its event may have been appended anyway.
   */
  async findUnderWay(files: readonly string[]): Promise<ReadonlyMap<string, string | null>> {
    const { rows } = await this.pool.query<{ file: string; media_id: string | null }>(
      `select file, case when renewed_at <= now() - interval '1 minute' then media_id end as media_id from ops_upload
       where file = any($1) and renewed_at > now() - (case when media_id is null then interval '1 minute' else interval '1 hour' end)`,
      [files],
    );
    return new Map(rows.map(({ file, media_id }) => [file, media_id]));
  }

  /** Forgets uploads that ended without release. */
  async prune(): Promise<void> {
    await this.pool.query(`delete from ops_upload where renewed_at < now() - interval '2 hours'`);
  }

  private async reserve(
    { ownerId, file, bytes, allowed, perMinute }: StartingUpload,
    mediaId: string | null,
    payer: string | null,
  ): Promise<UploadVerdict> {
    const { rows } = await this.pool.query<Row>({
      name: 'reserve upload',
      text: 'select * from ops_reserve_upload($1, $2, $3, $4, $5, $6, $7, $8)',
      values: [ownerId, file, bytes, mediaId, allowed, payer, perMinute, AT_ONCE],
    });
    const { verdict, used, retry_after } = rows[0]!;
    if (verdict === 'quota') return { verdict, used: Number(used) };
    return verdict === 'too_many' ? { verdict, retryAfter: retry_after ?? 1 } : { verdict };
  }
}
