import { open, rm, writeFile } from 'node:fs/promises';
import { FetchError } from '../outbound-http/answer-receiver.js';
import type { GuardedClient } from '../outbound-http/guarded-client.js';
import { FETCH_MESSAGES } from '../outbound-http/messages.js';
import type { Media } from '../payload/payload.js';
import { FairSlots } from '../runtime/semaphore.js';
import type { FieldProblem } from '../validation/wording.js';
import {
  type BorrowedFile,
  type BorrowOptions,
  DiskCache,
  type DiskCacheOptions,
  type FileTarget,
} from './disk-cache.js';
import { download, storageError } from './download.js';
import type { Inspector } from './inspector.js';
import { factsOf, findMediaProblem, type MediaFacts } from './media-rules.js';
import { MEDIA_CACHE_MESSAGES } from './messages.js';
import type { PhotoEditor, ResizedPhoto } from './photo-editor.js';
import type { PhotoLimits } from './photo-limits.js';
import { type Examination, examine, type ReadRange } from './probe.js';

interface CachedMedia extends MediaFacts, Omit<BorrowedFile<Examination>, 'facts'> {
  readonly sizeBytes: number;
  /** Finds a definite problem with publishing the complete file as this media type (D-24). */
  findProblemAs(type: Media['type']): FieldProblem | undefined;
}

/** A photo within a network's limits. */
interface CachedPhoto extends ResizedPhoto {
  readonly path: string;
  readonly release: () => void;
}

/** Where uploaded files are kept (D-92). */
export interface UploadSource {
  /** Finds an upload. @throws FetchError, like `copyTo` */
  find(id: string): Promise<{
    readonly sizeBytes: number;
    /** Copies it to a path that does not exist yet. */
    readonly copyTo: (path: string, signal: AbortSignal) => Promise<void>;
  }>;
}

/** Options for a {@link MediaCache}. */
export interface MediaCacheOptions extends DiskCacheOptions {
  readonly client: GuardedClient;
  readonly uploads: UploadSource;
  readonly inspector: Inspector;
  readonly editor: PhotoEditor;
  /** Time limit for one download, in ms; default: a minute plus the time for `maxBytes` at 4 MB a second. */
  readonly timeoutMs?: number;
}

interface FetchOptions extends BorrowOptions {
  /** Files are not shared between posts, because the file at the URL may have changed (ADR-50). */
  readonly postId: string;
  /** The post's owner: owners share the downloads fairly (D-68). */
  readonly ownerId: string;
}

/** Puts a file on disk. @returns its size in bytes @throws FetchError */
type Fetch = (
  target: FileTarget,
  limits: { readonly maxBytes: number; readonly timeoutMs: number; readonly signal: AbortSignal },
) => Promise<number>;

/** Maximum number of concurrent downloads. */
const DOWNLOADS = 64;

/** Minimum expected download speed, in bytes per ms. */
const SLOWEST_BYTES_PER_MS = 4_000;

/**
 * Keeps untrusted files, and photos resized from them, on disk while they are published. One download per URL and post
 * serves all callers until the file is too old (see {@link DiskCacheOptions}.maxAgeMs).
 */
export class MediaCache {
  private readonly files: DiskCache;
  private readonly downloads = new FairSlots(DOWNLOADS);

  constructor(private readonly options: MediaCacheOptions) {
    this.files = new DiskCache(options);
  }

  /**
   * Downloads the file at a URL to disk, unless it is cached. The caller must release it.
   * @throws FetchError; `storage` if all files in the cache remain in use
   */
  fetchToDisk(url: string, { postId, ownerId, ...wanted }: FetchOptions): Promise<CachedMedia> {
    return this.borrow(`${postId} ${url}`, wanted, ownerId, (target, limits) =>
      download(this.options.client, url, target.path, { ...limits, reserve: target.reserve }),
    );
  }

  /** As {@link fetchToDisk}, for an uploaded file, which never changes: all posts share it. */
  copyToDisk(id: string, { ownerId, ...wanted }: Omit<FetchOptions, 'postId'>): Promise<CachedMedia> {
    return this.borrow(`upload ${id}`, wanted, ownerId, async ({ path, reserve }, { maxBytes, timeoutMs, signal }) => {
      const { sizeBytes, copyTo } = await this.options.uploads.find(id);
      if (sizeBytes > maxBytes) {
        const problem = MEDIA_CACHE_MESSAGES.exceedsLimit({ bytes: sizeBytes, limit: maxBytes });
        throw new FetchError('too_large', problem, { isPermanent: true });
      }
      await reserve(sizeBytes);
      const overdue = AbortSignal.timeout(Math.ceil(timeoutMs));
      await copyTo(path, AbortSignal.any([signal, overdue])).catch((error: unknown) => {
        if (error instanceof FetchError) throw error;
        if (signal.aborted) throw new FetchError('aborted', FETCH_MESSAGES.aborted, { isPermanent: false });
        const late = FETCH_MESSAGES.tookTooLong({ ms: Math.round(timeoutMs) });
        if (overdue.aborted) throw new FetchError('timeout', late, { isPermanent: false });
        throw storageError(MEDIA_CACHE_MESSAGES.notWritten, error);
      });
      return sizeBytes;
    });
  }

  private async borrow(key: string, wanted: BorrowOptions, ownerId: string, fetch: Fetch): Promise<CachedMedia> {
    const fill = (target: FileTarget) => this.fetchFile(fetch, wanted.maxBytes, ownerId, target);
    const { path, facts, release, discard } = await this.files.borrow(key, wanted, fill);
    return {
      ...factsOf(facts),
      path,
      sizeBytes: facts.sizeBytes,
      release,
      discard,
      findProblemAs: (type) => findMediaProblem(type, facts),
    };
  }

  /**
   * Resizes a photo that the caller holds; callers with the same limits share one result. The caller must release both
   * files.
   * @param ownerId the helper process serves owners in turn (D-68)
   * @returns null if the photo cannot be made to fit the limits
   * @throws FetchError
   */
  async fitPhoto(
    original: CachedMedia,
    limits: PhotoLimits,
    ownerId: string,
    signal?: AbortSignal,
  ): Promise<CachedPhoto | null> {
    const fill = (target: FileTarget) => this.fitFile(original.path, limits, ownerId, target);
    return this.borrowPhoto(`${original.path} ${JSON.stringify(limits)}`, limits, signal, fill);
  }

  /**
   * Makes a photo within the limits from the cover picture of a video that the caller holds, as {@link fitPhoto} does.
   * @returns null if the video has no cover, or one that is no photo
   * @throws FetchError
   */
  async fitCover(
    video: Pick<CachedMedia, 'path' | 'sizeBytes'>,
    limits: PhotoLimits,
    ownerId: string,
    signal?: AbortSignal,
  ): Promise<CachedPhoto | null> {
    const fill = async (target: FileTarget) => {
      const { inspection } = await this.examineFile(video.path, video.sizeBytes, ownerId, true);
      if (!inspection?.cover) return NO_PHOTO;
      await target.reserve(inspection.cover.length);
      const picture = `${target.path}.cover`;
      try {
        await writeFile(picture, inspection.cover, { mode: 0o600 }).catch((error: unknown) => {
          throw storageError(MEDIA_CACHE_MESSAGES.notWritten, error);
        });
        return await this.fitFile(picture, limits, ownerId, target);
      } finally {
        await rm(picture, { force: true }).catch(() => undefined);
      }
    };
    return this.borrowPhoto(`${video.path} cover ${JSON.stringify(limits)}`, limits, signal, fill);
  }

  /** Aborts downloads and removes all files. */
  close(): Promise<void> {
    return this.files.close();
  }

  private async fetchFile(
    fetch: Fetch,
    maxBytes: number,
    ownerId: string,
    target: FileTarget,
  ): Promise<Examination & { readonly sizeBytes: number }> {
    const { path, signal } = target;
    const { timeoutMs = 60_000 + maxBytes / SLOWEST_BYTES_PER_MS } = this.options;
    const release = await this.downloads.acquire(ownerId, signal).catch(() => {
      throw new FetchError('aborted', FETCH_MESSAGES.aborted, { isPermanent: false });
    });
    const sizeBytes = await fetch(target, { maxBytes, timeoutMs, signal }).finally(release);
    const examination = await this.examineFile(path, sizeBytes, ownerId);
    // If the parser died, another file may have been the cause, so this file is tried once more.
    return { ...(examination.inspection ? examination : await this.examineFile(path, sizeBytes, ownerId)), sizeBytes };
  }

  private async borrowPhoto(
    key: string,
    { maxBytes }: PhotoLimits,
    signal: AbortSignal | undefined,
    fill: (target: FileTarget) => Promise<ResizedPhoto | typeof NO_PHOTO>,
  ): Promise<CachedPhoto | null> {
    const { path, facts, release } = await this.files.borrow(key, { maxBytes, signal }, fill);
    if (facts.mime !== null) return { ...facts, path, release };
    release();
    return null;
  }

  private async examineFile(
    path: string,
    sizeBytes: number,
    ownerId: string,
    wantsCover = false,
  ): Promise<Examination> {
    const file = await open(path).catch((error: unknown) => {
      throw storageError(MEDIA_CACHE_MESSAGES.notRead, error);
    });
    try {
      const read: ReadRange = async ({ offset, length }) => {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
        return { offset, bytes: buffer.subarray(0, bytesRead), sizeBytes };
      };
      let known: Examination = { sizeBytes, inspection: null, isComplete: false };
      for await (known of examine(read, this.options.inspector, { owner: ownerId, wantsCover }));
      return known;
    } catch (error) {
      throw storageError(MEDIA_CACHE_MESSAGES.notRead, error);
    } finally {
      await file.close();
    }
  }

  private async fitFile(from: string, limits: PhotoLimits, ownerId: string, { path, signal, reserve }: FileTarget) {
    await reserve(limits.maxBytes);
    const photo = await this.options.editor.fit({ from, to: path, limits }, signal, ownerId);
    return photo ?? NO_PHOTO;
  }
}

/** A photo that cannot be made to fit is cached as an empty file without a type. */
const NO_PHOTO = { sizeBytes: 0, mime: null };
