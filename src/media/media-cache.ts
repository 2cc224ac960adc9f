import { randomUUID } from 'node:crypto';
import { mkdir, open, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock, type Clock } from '../kernel/clock.js';
import type { Instant } from '../kernel/instant.js';
import type { Media } from '../payload/payload.js';
import type { Complaint } from '../payload/wording.js';
import { download, storageError } from './download.js';
import { examine, type Examination, type ReadStretch } from './examine.js';
import type { GuardedClient } from './guarded-client.js';
import { Inspector } from './inspector.js';
import { MediaFetchError } from './media-fetch-error.js';
import { factsOf, mediaComplaint, type MediaFacts } from './media-rules.js';

/** A file that lies on disk until it is released. */
export interface CachedMedia extends MediaFacts {
  readonly path: string;
  readonly sizeBytes: number;
  /** What is certainly wrong with it as a medium of this type, now that all of it is here (D-24). */
  complaintAs(type: Media['type']): Complaint | undefined;
  /** Says that the file may go. Calling it again does nothing. */
  release(): void;
}

/** How a {@link MediaCache} is set up. */
export interface MediaCacheOptions {
  readonly client: GuardedClient;
  readonly inspector?: Inspector;
  /** Of this process alone: what an earlier one left in it is removed. */
  readonly directory: string;
  /** Bytes on disk, files under way included. */
  readonly capacityBytes: number;
  /** A file may change at its URL: after so many milliseconds it is fetched anew; 15 minutes. */
  readonly maxAgeMs?: number;
  /** Milliseconds for one download; 10 minutes. */
  readonly timeoutMs?: number;
  readonly clock?: Clock;
}

/** What a caller of {@link MediaCache.fetchToDisk} wants. */
export interface FetchToDisk {
  readonly maxBytes: number;
  readonly signal?: AbortSignal;
}

/** A file on disk or on its way there. */
interface Entry {
  readonly path: string;
  readonly maxBytes: number;
  readonly stop: AbortController;
  users: number;
  /** Counted against the capacity. */
  bytes: number;
  /** Once it is there. */
  file: StoredFile | undefined;
  done: Promise<StoredFile>;
}

interface StoredFile extends Examination {
  readonly sizeBytes: number;
  readonly at: Instant;
}

const notYet = new Promise<never>(() => undefined);
const OURS = /^[0-9a-f-]{36}\.media(\.partial)?$/;

/** Opens a cache in a directory, which is made where it is missing. */
export const openMediaCache = async (options: MediaCacheOptions): Promise<MediaCache> => {
  await mkdir(options.directory, { recursive: true, mode: 0o700 });
  const left = (await readdir(options.directory)).filter((name) => OURS.test(name));
  await Promise.all(left.map((name) => rm(join(options.directory, name), { force: true })));
  return new MediaCache(options);
};

/**
 * Files of strangers on our disk, for as long as they are published to one network after another. One download per URL
 * at a time serves everybody who wants it; what was used longest ago makes room.
 */
export class MediaCache {
  /** By URL, what was used longest ago first. */
  private readonly entries = new Map<string, Entry>();
  private readonly inspector: Inspector;
  private readonly clock: Clock;
  private usedBytes = 0;

  /** Use {@link openMediaCache}. */
  constructor(private readonly options: MediaCacheOptions) {
    this.inspector = options.inspector ?? new Inspector();
    this.clock = options.clock ?? systemClock;
  }

  /**
   * The file behind a URL, on disk. The caller releases it.
   * @throws MediaFetchError; `storage` where everything in the cache is in use.
   */
  async fetchToDisk(url: string, wanted: FetchToDisk): Promise<CachedMedia> {
    for (;;) {
      const entry = this.fresh(url) ?? this.start(url, wanted.maxBytes);
      entry.users++;
      try {
        return this.lend(url, entry, await settled(entry.done, wanted.signal), wanted.maxBytes);
      } catch (error) {
        this.leave(url, entry);
        const isTooLargeForOthers = error instanceof MediaFetchError && error.code === 'too_large' && !entry.file;
        if (!(isTooLargeForOthers && entry.maxBytes < wanted.maxBytes)) throw error;
      }
    }
  }

  /** Stops downloads and removes all files. */
  async close(): Promise<void> {
    const entries = [...this.entries.values()];
    this.entries.clear();
    for (const { stop } of entries) stop.abort();
    await Promise.allSettled(entries.map(({ done }) => done));
    await Promise.all(entries.map(({ path }) => rm(path, { force: true })));
    if (!this.options.inspector) await this.inspector.close();
  }

  private fresh(url: string): Entry | undefined {
    const entry = this.entries.get(url);
    if (!entry?.file) return entry;
    this.entries.delete(url);
    if (this.clock.now() - entry.file.at < (this.options.maxAgeMs ?? 15 * 60_000)) {
      this.entries.set(url, entry);
      return entry;
    }
    if (entry.users === 0) this.remove(entry);
    return undefined;
  }

  private start(url: string, maxBytes: number): Entry {
    const path = join(this.options.directory, `${randomUUID()}.media`);
    const stop = new AbortController();
    const entry: Entry = { path, maxBytes, stop, users: 0, bytes: 0, file: undefined, done: notYet };
    this.entries.set(url, entry);
    entry.done = this.fill(url, entry);
    // Whoever waits for it learns of a failure; somebody who left does not want to.
    entry.done.catch(() => undefined);
    return entry;
  }

  private async fill(url: string, entry: Entry): Promise<StoredFile> {
    try {
      const { client, timeoutMs = 10 * 60_000 } = this.options;
      const { signal } = entry.stop;
      const reserve = (bytes: number): void => this.reserve(entry, bytes);
      const limits = { maxBytes: entry.maxBytes, timeoutMs, signal, reserve };
      const sizeBytes = await download(client, url, entry.path, limits);
      const examination = await this.examined(entry.path, sizeBytes);
      if (signal.aborted) throw aborted();
      return (entry.file = { ...examination, sizeBytes, at: this.clock.now() });
    } catch (error) {
      this.forget(url, entry);
      this.remove(entry);
      throw error;
    }
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
      for await (known of examine(read, this.inspector));
      return known;
    } catch (error) {
      throw storageError('could not be read from our disk', error);
    } finally {
      await file.close();
    }
  }

  /** Makes room for so many bytes, at the expense of files that nobody uses. */
  private reserve(entry: Entry, bytes: number): void {
    for (const [url, old] of this.entries) {
      if (this.usedBytes + bytes <= this.options.capacityBytes) break;
      if (old.users > 0 || !old.file) continue;
      this.entries.delete(url);
      this.remove(old);
    }
    if (this.usedBytes + bytes > this.options.capacityBytes)
      throw storageError('finds no room: everything in the media cache is in use');
    this.usedBytes += bytes;
    entry.bytes += bytes;
  }

  private lend(url: string, entry: Entry, file: StoredFile, maxBytes: number): CachedMedia {
    const { sizeBytes } = file;
    if (sizeBytes > maxBytes)
      throw new MediaFetchError('too_large', `has ${sizeBytes} bytes; at most ${maxBytes} are allowed`, {
        permanent: true,
      });
    let isReleased = false;
    return {
      ...factsOf(file),
      ...{ path: entry.path, sizeBytes },
      complaintAs: (type) => mediaComplaint(type, file),
      release: () => {
        if (!isReleased) this.leave(url, entry);
        isReleased = true;
      },
    };
  }

  /** One user less. A download that nobody waits for is stopped, a file that is out of date removed. */
  private leave(url: string, entry: Entry): void {
    entry.users--;
    if (entry.users > 0) return;
    if (!entry.file) {
      this.forget(url, entry);
      entry.stop.abort();
    } else if (this.entries.get(url) !== entry) this.remove(entry);
  }

  private forget(url: string, entry: Entry): void {
    if (this.entries.get(url) === entry) this.entries.delete(url);
  }

  private remove(entry: Entry): void {
    this.usedBytes -= entry.bytes;
    entry.bytes = 0;
    void rm(entry.path, { force: true }).catch(() => undefined);
  }
}

/** Waits for a promise, or for the signal. */
const settled = async (promise: Promise<StoredFile>, signal: AbortSignal | undefined): Promise<StoredFile> => {
  if (!signal) return promise;
  if (signal.aborted) throw aborted();
  let stop = (): void => undefined;
  const stopped = new Promise<never>((_, reject) => {
    stop = () => reject(aborted());
    signal.addEventListener('abort', stop, { once: true });
  });
  try {
    return await Promise.race([promise, stopped]);
  } finally {
    signal.removeEventListener('abort', stop);
  }
};

const aborted = (): MediaFetchError => new MediaFetchError('aborted', 'was no longer wanted', { permanent: false });
