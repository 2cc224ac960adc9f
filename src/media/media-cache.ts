import { open } from 'node:fs/promises';
import type { Media } from '../payload/payload.js';
import type { FieldProblem } from '../validation/wording.js';
import { DiskCache, type DiskCacheOptions, type FileTarget, type BorrowOptions } from './disk-cache.js';
import { MEDIA_CACHE_MESSAGES } from './messages.js';
import { download, storageError } from './download.js';
import { examine, type Examination, type ReadRange } from './examine.js';
import type { GuardedClient } from '../outbound-http/guarded-client.js';
import type { Inspector } from './inspector.js';
import { factsOf, findMediaProblem, type MediaFacts } from './media-rules.js';
import type { PhotoLimits } from './fit-size.js';
import type { PhotoEditor } from './photo-editor.js';
import type { ResizedPhoto } from './photo-program.js';

/** A file that stays on disk until it is released. */
export interface CachedMedia extends MediaFacts {
  readonly path: string;
  readonly sizeBytes: number;
  /** Finds a certain problem of the complete file as a medium of this type (D-24). */
  findProblemAs(type: Media['type']): FieldProblem | undefined;
  /** Releases the file. Further calls do nothing. */
  readonly release: () => void;
  /** Releases the file and removes it from the cache: it may have been repaired and is fetched again. */
  readonly discard: () => void;
}

/** A photo within a network's limits; it stays on disk until it is released. */
export interface CachedPhoto extends ResizedPhoto {
  readonly path: string;
  readonly release: () => void;
}

/** Options of a {@link MediaCache}. */
export interface MediaCacheOptions extends DiskCacheOptions {
  readonly client: GuardedClient;
  readonly inspector: Inspector;
  readonly editor: PhotoEditor;
  /** Time limit of one download, in ms; default: a minute plus `maxBytes` at 4 MB a second. */
  readonly timeoutMs?: number;
}

/** Options of {@link MediaCache.fetchToDisk}. */
export interface FetchOptions extends BorrowOptions {
  /** Owner of the file: a file fetched for one post is not used for another, because the URL may have changed (ADR-50). */
  readonly owner: string;
}

/** Bytes per ms of the slowest host that is waited for. */
const SLOWEST_BYTES_PER_MS = 4_000;

/**
 * Keeps untrusted files, and photos resized from them, on disk while they are published to one network after another. One
 * download per URL and owner serves all callers, for some time (see {@link DiskCacheOptions}.maxAgeMs).
 */
export class MediaCache {
  private readonly files: DiskCache;

  constructor(private readonly options: MediaCacheOptions) {
    this.files = new DiskCache(options);
  }

  /**
   * Returns the file of a URL on disk. The caller releases it.
   * @throws FetchError; `storage` if all files in the cache stay in use
   */
  async fetchToDisk(url: string, { owner, ...wanted }: FetchOptions): Promise<CachedMedia> {
    const fill = (target: FileTarget) => this.downloadFile(url, wanted.maxBytes, target);
    const { path, facts, release, discard } = await this.files.borrow(`${owner} ${url}`, wanted, fill);
    return {
      ...factsOf(facts),
      ...{ path, sizeBytes: facts.sizeBytes, release, discard },
      findProblemAs: (type) => findMediaProblem(type, facts),
    };
  }

  /**
   * Resizes a photo that the caller holds; concurrent callers with the same limits share one result. The caller releases
   * both files.
   * @returns null if the photo cannot be made to fit the limits
   * @throws FetchError
   */
  async fitPhoto(original: CachedMedia, limits: PhotoLimits, signal?: AbortSignal): Promise<CachedPhoto | null> {
    const fill = (target: FileTarget) => this.fitFile(original.path, limits, target);
    const wanted = { maxBytes: limits.maxBytes, signal };
    const { path, facts, release } = await this.files.borrow(
      `${original.path} ${JSON.stringify(limits)}`,
      wanted,
      fill,
    );
    if (facts.mime !== null) return { ...facts, mime: facts.mime, path, release };
    release();
    return null;
  }

  /** Aborts downloads and removes all files. */
  close(): Promise<void> {
    return this.files.close();
  }

  private async downloadFile(
    url: string,
    maxBytes: number,
    { path, signal, reserve }: FileTarget,
  ): Promise<Examination & { readonly sizeBytes: number }> {
    const { client, timeoutMs = 60_000 + maxBytes / SLOWEST_BYTES_PER_MS } = this.options;
    const sizeBytes = await download(client, url, path, { maxBytes, timeoutMs, signal, reserve });
    const examination = await this.examineFile(path, sizeBytes);
    // A parser that died gives no facts; another file may have been the cause, so it is tried once more.
    return { ...(examination.inspection ? examination : await this.examineFile(path, sizeBytes)), sizeBytes };
  }

  private async examineFile(path: string, sizeBytes: number): Promise<Examination> {
    const file = await open(path).catch((error: unknown) => {
      throw storageError(MEDIA_CACHE_MESSAGES.notRead, error);
    });
    try {
      const read: ReadRange = async ({ offset, length }) => {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
        return { offset, bytes: buffer.subarray(0, bytesRead), sizeBytes };
      };
      let known: Examination = { sizeBytes, inspection: null, isComplete: false };
      for await (known of examine(read, this.options.inspector));
      return known;
    } catch (error) {
      throw storageError(MEDIA_CACHE_MESSAGES.notRead, error);
    } finally {
      await file.close();
    }
  }

  /** A photo that cannot be made to fit is cached as an empty file without a type. */
  private async fitFile(from: string, limits: PhotoLimits, { path, signal, reserve }: FileTarget) {
    await reserve(limits.maxBytes);
    const photo = await this.options.editor.fit({ from, to: path, limits }, signal);
    return photo ?? { sizeBytes: 0, mime: null };
  }
}
