import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { rm, statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { type Clock, type Instant, systemClock } from '../kernel/clock.js';
import { FetchError } from '../outbound-http/answer-receiver.js';
import { FETCH_MESSAGES } from '../outbound-http/messages.js';
import { openProcessDirectory, type ProcessDirectory } from '../runtime/process-directory.js';
import { storageError } from './download.js';
import { MEDIA_CACHE_MESSAGES } from './messages.js';

/** Options for a {@link DiskCache}. */
export interface DiskCacheOptions {
  /** Folder for the files; no other process may use it. */
  readonly directory: string;
  /** Maximum number of bytes on disk, including unfinished files. */
  readonly capacityBytes: number;
  /** Maximum age of a cached file, in ms; an older file is created again. Default 15 minutes. */
  readonly maxAgeMs?: number;
  /** How long a new file waits for space while all other files are in use, in ms; default 1 minute. */
  readonly spaceTimeoutMs?: number;
  readonly clock?: Clock;
}

/** Where and how to create a new file. */
export interface FileTarget {
  readonly path: string;
  /** Aborted when no caller is waiting for the file any more. */
  readonly signal: AbortSignal;
  /** Reserves space for more bytes; await it before writing them. Throws if there is no space. */
  readonly reserve: (bytes: number) => Promise<void>;
}

/** A file that remains on disk until it is released. */
export interface BorrowedFile<Facts> {
  readonly path: string;
  readonly facts: Facts;
  /** Further calls do nothing. */
  readonly release: () => void;
  /** Releases the file and removes it from the cache: the next caller gets a new file. */
  readonly discard: () => void;
}

/** Options for {@link DiskCache.borrow}. */
export interface BorrowOptions {
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

interface Sized {
  readonly sizeBytes: number;
}

/** A file on disk, complete or being created. */
interface Entry {
  readonly path: string;
  readonly maxBytes: number;
  readonly stop: AbortController;
  users: number;
  /** Bytes counted against the capacity. */
  bytes: number;
  /** Undefined until the file is complete. */
  file: { readonly facts: Sized; readonly at: Instant } | undefined;
  done: Promise<void>;
}

/**
 * Caches files on disk by key. Concurrent callers share one file. Evicts the least recently used files. Throws only
 * {@link FetchError}, provided that the functions that create files do.
 */
export class DiskCache {
  /** Entries by key, least recently used first. */
  private readonly entries = new Map<string, Entry>();
  private readonly spaceFreed = new EventEmitter().setMaxListeners(0);
  private readonly clock: Clock;
  private readonly maxAgeMs: number;
  private readonly sweeping: NodeJS.Timeout;
  private usedBytes = 0;

  constructor(private readonly options: DiskCacheOptions) {
    this.clock = options.clock ?? systemClock;
    this.maxAgeMs = options.maxAgeMs ?? 15 * 60_000;
    this.sweeping = setInterval(() => this.removeOld(), this.maxAgeMs).unref();
  }

  /**
   * Returns the file with the given key. The caller must release it.
   * @param fill creates the file if it is missing; must be equivalent for every caller with this key
   * @throws FetchError `too_large`, `storage` if all files remain in use, `aborted`, or an error of `fill`
   */
  async borrow<Facts extends Sized>(
    key: string,
    { maxBytes, signal }: BorrowOptions,
    fill: (filling: FileTarget) => Promise<Facts>,
  ): Promise<BorrowedFile<Facts>> {
    for (;;) {
      const entry = this.findUsable(key) ?? this.startFilling(key, maxBytes, fill);
      entry.users++;
      try {
        await waitFor(entry.done, signal);
        return this.toBorrowedFile<Facts>(key, entry, maxBytes);
      } catch (error) {
        this.release(key, entry);
        const isTooLargeForOthers = error instanceof FetchError && error.code === 'too_large' && !entry.file;
        if (!(isTooLargeForOthers && entry.maxBytes < maxBytes)) throw error;
      }
    }
  }

  /** Aborts unfinished files and removes all files. */
  async close(): Promise<void> {
    clearInterval(this.sweeping);
    const entries = [...this.entries.values()];
    this.entries.clear();
    for (const { stop } of entries) stop.abort();
    await Promise.allSettled(entries.map(({ done }) => done));
    await Promise.all(entries.map(({ path }) => rm(path, { force: true })));
  }

  /** Removes files that are too old to be used, so that no copy stays until its space is needed (D-100). */
  private removeOld(): void {
    const until = this.clock.now() - this.maxAgeMs;
    for (const [key, entry] of this.entries) {
      if (entry.users > 0 || !entry.file || entry.file.at > until) continue;
      this.entries.delete(key);
      this.remove(entry);
    }
  }

  private findUsable(key: string): Entry | undefined {
    const entry = this.entries.get(key);
    if (!entry?.file) return entry;
    this.entries.delete(key);
    if (this.clock.now() - entry.file.at < this.maxAgeMs) {
      this.entries.set(key, entry);
      return entry;
    }
    if (entry.users === 0) this.remove(entry);
    return undefined;
  }

  private startFilling(key: string, maxBytes: number, fill: (filling: FileTarget) => Promise<Sized>): Entry {
    const path = join(this.options.directory, `${randomUUID()}.media`);
    const stop = new AbortController();
    const entry: Entry = { path, maxBytes, stop, users: 0, bytes: 0, file: undefined, done: notYet };
    this.entries.set(key, entry);
    entry.done = this.fill(key, entry, fill);
    // Any waiting callers get the error themselves.
    entry.done.catch(() => undefined);
    return entry;
  }

  private async fill(key: string, entry: Entry, fill: (filling: FileTarget) => Promise<Sized>): Promise<void> {
    try {
      const { signal } = entry.stop;
      const reserve = (bytes: number): Promise<void> => this.reserve(entry, bytes);
      const facts = await fill({ path: entry.path, signal, reserve });
      if (signal.aborted) throw aborted();
      this.setBytes(entry, facts.sizeBytes);
      entry.file = { facts, at: this.clock.now() };
    } catch (error) {
      this.forget(key, entry);
      this.remove(entry);
      throw error;
    }
  }

  /** Reserves bytes. Evicts unused files and, if that is not enough, waits until files are released. */
  private async reserve(entry: Entry, bytes: number): Promise<void> {
    const { capacityBytes, spaceTimeoutMs = 60_000 } = this.options;
    if (entry.bytes + bytes > capacityBytes)
      throw new FetchError('too_large', MEDIA_CACHE_MESSAGES.largerThanCache, { isPermanent: true });
    const timeout = AbortSignal.any([entry.stop.signal, AbortSignal.timeout(spaceTimeoutMs)]);
    while (!this.evict(bytes)) {
      await once(this.spaceFreed, 'more', { signal: timeout }).catch(() => {
        if (entry.stop.signal.aborted) throw aborted();
        throw storageError(MEDIA_CACHE_MESSAGES.cacheFull);
      });
    }
    this.setBytes(entry, entry.bytes + bytes);
  }

  private evict(bytes: number): boolean {
    for (const [key, old] of this.entries) {
      if (this.usedBytes + bytes <= this.options.capacityBytes) break;
      if (old.users > 0 || !old.file) continue;
      this.entries.delete(key);
      this.remove(old);
    }
    return this.usedBytes + bytes <= this.options.capacityBytes;
  }

  private setBytes(entry: Entry, bytes: number): void {
    this.usedBytes += bytes - entry.bytes;
    const isLess = bytes < entry.bytes;
    entry.bytes = bytes;
    if (isLess) this.spaceFreed.emit('more');
  }

  /** The cast is safe because the key determines the type of the facts. */
  private toBorrowedFile<Facts>(key: string, entry: Entry, maxBytes: number): BorrowedFile<Facts> {
    const { facts } = entry.file!;
    if (facts.sizeBytes > maxBytes) {
      const problem = MEDIA_CACHE_MESSAGES.exceedsLimit({ bytes: facts.sizeBytes, limit: maxBytes });
      throw new FetchError('too_large', problem, { isPermanent: true });
    }
    let isReleased = false;
    const release = (): void => {
      if (!isReleased) this.release(key, entry);
      isReleased = true;
    };
    const discard = (): void => {
      this.forget(key, entry);
      release();
    };
    return { path: entry.path, facts: facts as Facts, release, discard };
  }

  /** Removes one user. When no users remain, aborts an unfinished file and removes a file that is no longer cached. */
  private release(key: string, entry: Entry): void {
    entry.users--;
    if (entry.users > 0) return;
    if (!entry.file) {
      this.forget(key, entry);
      entry.stop.abort();
    } else if (this.entries.get(key) !== entry) this.remove(entry);
    else this.spaceFreed.emit('more');
  }

  private forget(key: string, entry: Entry): void {
    if (this.entries.get(key) === entry) this.entries.delete(key);
  }

  private remove(entry: Entry): void {
    this.setBytes(entry, 0);
    void rm(entry.path, { force: true }).catch(() => undefined);
  }
}

const notYet = new Promise<never>(() => undefined);

/** Waits for a promise or the signal, whichever comes first. */
const waitFor = async (promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> => {
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

const aborted = (): FetchError => new FetchError('aborted', FETCH_MESSAGES.aborted, { isPermanent: false });

/** A folder for the files of one gateway. */
interface MediaDirectory extends ProcessDirectory {
  /** Maximum total size of its files, in bytes. */
  readonly capacityBytes: number;
}

/** Enough for a few posts of the maximum size (4 GB). */
const MAX_BYTES = 16 * 1_024 ** 3;
/** Fraction of the free disk space that the files may use. */
const FREE_SPACE_SHARE = 0.5;

/** Creates a folder for a gateway's files below `parent`, using {@link openProcessDirectory}. */
export const openMediaDirectory = async (parent: string): Promise<MediaDirectory> => {
  const directory = await openProcessDirectory(parent).catch((error: unknown) => {
    throw new Error(MEDIA_CACHE_MESSAGES.folder({ error: String(error) }));
  });
  const { bavail, bsize } = await statfs(directory.path);
  return { ...directory, capacityBytes: Math.min(MAX_BYTES, Math.floor(bavail * bsize * FREE_SPACE_SHARE)) };
};
