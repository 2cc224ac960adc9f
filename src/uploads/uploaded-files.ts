import { createWriteStream } from 'node:fs';
import type { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Settings } from '../config/settings.js';
import { SETTINGS } from '../config/tokens.js';
import type { UploadedFacts } from '../domain/media/media.events.js';
import { EVENT_STORE, type EventStore } from '../event-store/port.js';
import { type Clock, type Instant, SHARED_CLOCK } from '../kernel/clock.js';
import { ProjectionProgress } from '../projections/engine/progress.js';
import { MediaQueries } from '../projections/media/media.queries.js';
import type { FileRow } from '../projections/media/media.tables.js';
import { withTimeLimit } from '../runtime/sleep.js';
import { type ByteRange, FILE_STORE, type FileStore, StoreUnavailable } from './file-store.js';
import { expiryOf, type KeptFor, MediaNeeds } from './media-needs.js';
import { FILE_STORE_MESSAGES } from './messages.js';

/** An owner's uploaded file. */
export interface UploadedFile extends UploadedFacts {
  readonly id: string;
  readonly ownerId: string;
  readonly filename: string | null;
  /** Public address, which needs no key. */
  readonly url: string;
  /** Name in the store. */
  readonly file: string;
  readonly createdAt: Instant;
  /** Time of the latest upload of this content. */
  readonly renewedAt: Instant;
  readonly keptFor: KeptFor | null;
  /** Null while something needs the file. */
  readonly expiresAt: Instant | null;
}

/** How long an answer waits for the store, in ms. */
const LOOK_MS = 2_000;

/** Finds and reads uploaded files. Deleted and expired files do not exist here (D-56). */
@Injectable()
export class UploadedFiles {
  constructor(
    private readonly media: MediaQueries,
    private readonly needs: MediaNeeds,
    private readonly progress: ProjectionProgress,
    @Inject(EVENT_STORE) private readonly events: EventStore,
    @Inject(FILE_STORE) private readonly store: FileStore,
    @Inject(SETTINGS) private readonly settings: Pick<Settings, 'baseUrl' | 'mediaMs'>,
    @Inject(SHARED_CLOCK) private readonly clock: Clock,
  ) {}

  /**
   * Finds an owner's files by their ids; those that it does not have are absent. A file whose upload was answered is
   * found.
   * @param ownerId null for any owner
   * @throws Unavailable
   */
  async findUsable(ownerId: string | null, ids: readonly string[]): Promise<ReadonlyMap<string, UploadedFile>> {
    const wanted = [...new Set(ids)];
    let rows: FileRow[] = [];
    const findAll = async (): Promise<true | null> => {
      rows = await this.media.find(wanted, ownerId);
      return rows.length === wanted.length || null;
    };
    if (wanted.length > 0) await this.progress.findUpToDate('media', this.events, findAll);
    return new Map((await this.complete(rows)).map((file) => [file.id, file]));
  }

  /** Finds a file for strangers, who cannot make the gateway wait for a read model; null if there is none. */
  async findShown(id: string): Promise<UploadedFile | null> {
    return (await this.complete(await this.media.find([id], null)))[0] ?? null;
  }

  /** Adds to rows what they do not say, and leaves out files that have expired. */
  async complete(rows: readonly FileRow[]): Promise<UploadedFile[]> {
    const needs = await this.needs.find(rows.map(({ media_id }) => media_id));
    const now = this.clock.now();
    return rows.flatMap((row) => {
      const need = needs.get(row.media_id);
      const expiresAt = expiryOf(row.renewed_at, need, this.settings.mediaMs);
      if (expiresAt !== null && expiresAt <= now) return [];
      return [{ ...fileOf(row, this.settings.baseUrl), keptFor: need?.keptFor ?? null, expiresAt }];
    });
  }

  /**
   * Opens a file. The stream fails if the store breaks off.
   * @param range null for the whole file
   * @throws FileGone, StoreUnavailable
   */
  read({ file }: Pick<UploadedFile, 'file'>, range: ByteRange | null, signal?: AbortSignal): Promise<Readable> {
    return this.store.read(file, range, signal);
  }

  /** Copies a file to a path that does not exist yet. @throws FileGone, StoreUnavailable */
  async copyToDisk(file: Pick<UploadedFile, 'file'>, path: string, signal: AbortSignal): Promise<void> {
    const body = await this.read(file, null, signal);
    await pipeline(body, createWriteStream(path, { flags: 'wx', mode: 0o600 }), { signal });
  }

  /** True if the store lacks the file, for example after an import; false while the store does not answer. */
  async isMissing({ file }: Pick<UploadedFile, 'file'>): Promise<boolean> {
    const size = withTimeLimit(
      this.store.sizeOf(file),
      LOOK_MS,
      () => new StoreUnavailable(FILE_STORE_MESSAGES.noAnswer),
    );
    return (await size.catch(() => 0)) === null;
  }
}

/** Returns the public address of a file, which needs no key. */
export const addressOf = (
  { baseUrl }: Pick<Settings, 'baseUrl'>,
  { id, address, extension }: { readonly id: string; readonly address: string; readonly extension: string },
): string => `${baseUrl ?? ''}/media/${id}/${address}.${extension}`;

const fileOf = (row: FileRow, baseUrl: string | null): Omit<UploadedFile, 'keptFor' | 'expiresAt'> => {
  const { media_id: id, owner_id: ownerId, duration_seconds: durationSeconds, created_at: createdAt } = row;
  const { type, mime, extension, bytes, sha256, filename, width, height, address, file, renewed_at: renewedAt } = row;
  const url = addressOf({ baseUrl }, { id, address, extension });
  const facts = { type, mime, extension, bytes, sha256, width, height, durationSeconds };
  return { id, ownerId, filename, url, file, createdAt, renewedAt, ...facts };
};
