import { open } from 'node:fs/promises';
import type { Media } from '../payload/payload.js';
import type { Complaint } from '../validation/wording.js';
import { DiskCache, type DiskCacheOptions, type Filling, type Wanted } from './disk-cache.js';
import { download, storageError } from './download.js';
import { examine, type Examination, type ReadStretch } from './examine.js';
import type { GuardedClient } from '../outbound-http/guarded-client.js';
import type { Inspector } from './inspector.js';
import { factsOf, mediaComplaint, type MediaFacts } from './media-rules.js';
import type { PhotoLimits } from './fitted-size.js';
import type { PhotoEditor } from './photo-editor.js';
import type { FittedPhoto } from './photo-program.js';

/** A file that lies on disk until it is released. */
export interface CachedMedia extends MediaFacts {
  readonly path: string;
  readonly sizeBytes: number;
  /** What is certainly wrong with it as a medium of this type, now that all of it is here (D-24). */
  complaintAs(type: Media['type']): Complaint | undefined;
  /** Says that the file may go. Calling it again does nothing. */
  readonly release: () => void;
  /** Releases it, and sees to it that whoever asks next gets it fetched anew: it may have been mended. */
  readonly discard: () => void;
}

/** A photo as a network takes it; it lies on disk until it is released. */
export interface CachedPhoto extends FittedPhoto {
  readonly path: string;
  readonly release: () => void;
}

/** How a {@link MediaCache} is set up. */
export interface MediaCacheOptions extends DiskCacheOptions {
  readonly client: GuardedClient;
  readonly inspector: Inspector;
  readonly editor: PhotoEditor;
  /** Milliseconds for one download; by default a minute and what its `maxBytes` take at 4 MB a second. */
  readonly timeoutMs?: number;
}

/** What a caller of {@link MediaCache.fetchToDisk} wants. */
export interface FetchToDisk extends Wanted {
  /** Whom the file is for: what one post fetched is not another's, since the file at a URL may have changed. */
  readonly owner: string;
}

/** Bytes a millisecond of a host that is too slow to be waited for. */
const SLOWEST = 4_000;

/**
 * Files of strangers on our disk, for as long as they are published to one network after another, and photos made of
 * them. One download per URL and owner serves everybody who wants it at the time and somewhat later.
 */
export class MediaCache {
  private readonly files: DiskCache;

  constructor(private readonly options: MediaCacheOptions) {
    this.files = new DiskCache(options);
  }

  /**
   * The file behind a URL, on disk. The caller releases it.
   * @throws MediaFetchError; `storage` where everything in the cache stays in use.
   */
  async fetchToDisk(url: string, { owner, ...wanted }: FetchToDisk): Promise<CachedMedia> {
    const fill = (filling: Filling) => this.downloaded(url, wanted.maxBytes, filling);
    const { path, facts, release, discard } = await this.files.lend(`${owner} ${url}`, wanted, fill);
    return {
      ...factsOf(facts),
      ...{ path, sizeBytes: facts.sizeBytes, release, discard },
      complaintAs: (type) => mediaComplaint(type, facts),
    };
  }

  /**
   * A photo made of a file that the caller holds, within limits; made once for all who want the same. The caller
   * releases both.
   * @returns null where nothing within the limits can be made of it.
   * @throws MediaFetchError
   */
  async fitPhoto(original: CachedMedia, limits: PhotoLimits, signal?: AbortSignal): Promise<CachedPhoto | null> {
    const fill = (filling: Filling) => this.fitted(original.path, limits, filling);
    const wanted = { maxBytes: limits.maxBytes, signal };
    const { path, facts, release } = await this.files.lend(`${original.path} ${JSON.stringify(limits)}`, wanted, fill);
    if (facts.mime !== null) return { ...facts, mime: facts.mime, path, release };
    release();
    return null;
  }

  /** Stops downloads and removes all files. */
  close(): Promise<void> {
    return this.files.close();
  }

  private async downloaded(
    url: string,
    maxBytes: number,
    { path, signal, reserve }: Filling,
  ): Promise<Examination & { readonly sizeBytes: number }> {
    const { client, timeoutMs = 60_000 + maxBytes / SLOWEST } = this.options;
    const sizeBytes = await download(client, url, path, { maxBytes, timeoutMs, signal, reserve });
    const examination = await this.examined(path, sizeBytes);
    // Nothing is certain where the parser broke off: that may have been for another file's sake.
    return { ...(examination.inspection ? examination : await this.examined(path, sizeBytes)), sizeBytes };
  }

  private async examined(path: string, sizeBytes: number): Promise<Examination> {
    const file = await open(path).catch((error: unknown) => {
      throw storageError('could not be read from our disk', error);
    });
    try {
      const read: ReadStretch = async ({ offset, length }) => {
        const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, offset);
        return { offset, bytes: buffer.subarray(0, bytesRead), sizeBytes };
      };
      let known: Examination = { sizeBytes, inspection: null, isComplete: false };
      for await (known of examine(read, this.options.inspector));
      return known;
    } catch (error) {
      throw storageError('could not be read from our disk', error);
    } finally {
      await file.close();
    }
  }

  /** That nothing can be made of a photo is remembered as an empty file without a type. */
  private async fitted(from: string, limits: PhotoLimits, { path, signal, reserve }: Filling) {
    await reserve(limits.maxBytes);
    const photo = await this.options.editor.fit({ from, to: path, limits }, signal);
    return photo ?? { sizeBytes: 0, mime: null };
  }
}
