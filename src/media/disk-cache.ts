import { randomUUID } from 'node:crypto';
import { EventEmitter, once } from 'node:events';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { systemClock, type Clock } from '../kernel/clock.js';
import type { Instant } from '../kernel/instant.js';
import { storageError } from './download.js';
import { MediaFetchError } from '../outbound-http/fetch-error.js';

/** How a {@link DiskCache} is set up. */
export interface DiskCacheOptions {
  /** Of this process alone. */
  readonly directory: string;
  /** Bytes on disk, files under way included. */
  readonly capacityBytes: number;
  /** What a file was made from may change: after so many milliseconds it is made anew; 15 minutes. */
  readonly maxAgeMs?: number;
  /** Milliseconds for which a file waits for room while everything is in use; 1 minute. */
  readonly roomMs?: number;
  readonly clock?: Clock;
}

/** Where a file is to be put, by whoever makes it. */
export interface Filling {
  readonly path: string;
  /** Nobody wants the file any more. */
  readonly signal: AbortSignal;
  /** To be awaited before so many more bytes are written; throws where there is no room for them. */
  readonly reserve: (bytes: number) => Promise<void>;
}

/** A file that lies on disk until it is released. */
export interface Lent<Facts> {
  readonly path: string;
  readonly facts: Facts;
  /** Says that the file may go. Calling it again does nothing. */
  readonly release: () => void;
  /** Releases it, and sees to it that whoever asks next gets another. */
  readonly discard: () => void;
}

/** What whoever asks for a file allows. */
export interface Wanted {
  /** A larger file is `too_large`. */
  readonly maxBytes: number;
  readonly signal?: AbortSignal | undefined;
}

interface Sized {
  readonly sizeBytes: number;
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
  file: { readonly facts: Sized; readonly at: Instant } | undefined;
  done: Promise<void>;
}

/**
 * Files under names, made once for everybody who wants them at a time; what was used longest ago makes room. Every
 * failure is a {@link MediaFetchError}, if those who make files throw no other.
 */
export class DiskCache {
  /** By key, what was used longest ago first. */
  private readonly entries = new Map<string, Entry>();
  private readonly room = new EventEmitter().setMaxListeners(0);
  private readonly clock: Clock;
  private usedBytes = 0;

  constructor(private readonly options: DiskCacheOptions) {
    this.clock = options.clock ?? systemClock;
  }

  /**
   * The file under a key. The caller releases it.
   * @param fill makes it where it is not there; the same for every caller with this key
   * @throws `too_large`; `storage` where everything in the cache stays in use.
   */
  async lend<Facts extends Sized>(
    key: string,
    { maxBytes, signal }: Wanted,
    fill: (filling: Filling) => Promise<Facts>,
  ): Promise<Lent<Facts>> {
    for (;;) {
      const entry = this.fresh(key) ?? this.start(key, maxBytes, fill);
      entry.users++;
      try {
        await settled(entry.done, signal);
        return this.handOver<Facts>(key, entry, maxBytes);
      } catch (error) {
        this.leave(key, entry);
        const isTooLargeForOthers = error instanceof MediaFetchError && error.code === 'too_large' && !entry.file;
        if (!(isTooLargeForOthers && entry.maxBytes < maxBytes)) throw error;
      }
    }
  }

  /** Stops what is being made and removes all files. */
  async close(): Promise<void> {
    const entries = [...this.entries.values()];
    this.entries.clear();
    for (const { stop } of entries) stop.abort();
    await Promise.allSettled(entries.map(({ done }) => done));
    await Promise.all(entries.map(({ path }) => rm(path, { force: true })));
  }

  private fresh(key: string): Entry | undefined {
    const entry = this.entries.get(key);
    if (!entry?.file) return entry;
    this.entries.delete(key);
    if (this.clock.now() - entry.file.at < (this.options.maxAgeMs ?? 15 * 60_000)) {
      this.entries.set(key, entry);
      return entry;
    }
    if (entry.users === 0) this.remove(entry);
    return undefined;
  }

  private start(key: string, maxBytes: number, fill: (filling: Filling) => Promise<Sized>): Entry {
    const path = join(this.options.directory, `${randomUUID()}.media`);
    const stop = new AbortController();
    const entry: Entry = { path, maxBytes, stop, users: 0, bytes: 0, file: undefined, done: notYet };
    this.entries.set(key, entry);
    entry.done = this.fill(key, entry, fill);
    // Whoever waits for it learns of a failure; somebody who left does not want to.
    entry.done.catch(() => undefined);
    return entry;
  }

  private async fill(key: string, entry: Entry, fill: (filling: Filling) => Promise<Sized>): Promise<void> {
    try {
      const { signal } = entry.stop;
      const reserve = (bytes: number): Promise<void> => this.reserve(entry, bytes);
      const facts = await fill({ path: entry.path, signal, reserve });
      if (signal.aborted) throw aborted();
      this.count(entry, facts.sizeBytes);
      entry.file = { facts, at: this.clock.now() };
    } catch (error) {
      this.forget(key, entry);
      this.remove(entry);
      throw error;
    }
  }

  /** Makes room for so many bytes, at the expense of files that nobody uses; waits for those that are in use. */
  private async reserve(entry: Entry, bytes: number): Promise<void> {
    const { capacityBytes, roomMs = 60_000 } = this.options;
    if (entry.bytes + bytes > capacityBytes)
      throw new MediaFetchError('too_large', 'is larger than our media cache', { permanent: true });
    const patience = AbortSignal.any([entry.stop.signal, AbortSignal.timeout(roomMs)]);
    while (!this.makeRoom(bytes)) {
      await once(this.room, 'more', { signal: patience }).catch(() => {
        if (entry.stop.signal.aborted) throw aborted();
        throw storageError('finds no room: everything in the media cache is in use');
      });
    }
    this.count(entry, entry.bytes + bytes);
  }

  private makeRoom(bytes: number): boolean {
    for (const [key, old] of this.entries) {
      if (this.usedBytes + bytes <= this.options.capacityBytes) break;
      if (old.users > 0 || !old.file) continue;
      this.entries.delete(key);
      this.remove(old);
    }
    return this.usedBytes + bytes <= this.options.capacityBytes;
  }

  private count(entry: Entry, bytes: number): void {
    this.usedBytes += bytes - entry.bytes;
    const isLess = bytes < entry.bytes;
    entry.bytes = bytes;
    if (isLess) this.room.emit('more');
  }

  /** Whoever has the key knows what its file's facts are. */
  private handOver<Facts>(key: string, entry: Entry, maxBytes: number): Lent<Facts> {
    const { facts } = entry.file!;
    if (facts.sizeBytes > maxBytes)
      throw new MediaFetchError('too_large', `has ${facts.sizeBytes} bytes; at most ${maxBytes} are allowed`, {
        permanent: true,
      });
    let isReleased = false;
    const release = (): void => {
      if (!isReleased) this.leave(key, entry);
      isReleased = true;
    };
    const discard = (): void => {
      this.forget(key, entry);
      release();
    };
    return { path: entry.path, facts: facts as Facts, release, discard };
  }

  /** One user less. A file that nobody waits for is not made any further, one that is out of date removed. */
  private leave(key: string, entry: Entry): void {
    entry.users--;
    if (entry.users > 0) return;
    if (!entry.file) {
      this.forget(key, entry);
      entry.stop.abort();
    } else if (this.entries.get(key) !== entry) this.remove(entry);
    else this.room.emit('more');
  }

  private forget(key: string, entry: Entry): void {
    if (this.entries.get(key) === entry) this.entries.delete(key);
  }

  private remove(entry: Entry): void {
    this.count(entry, 0);
    void rm(entry.path, { force: true }).catch(() => undefined);
  }
}

const notYet = new Promise<never>(() => undefined);

/** Waits for a promise, or for the signal. */
const settled = async (promise: Promise<void>, signal: AbortSignal | undefined): Promise<void> => {
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
