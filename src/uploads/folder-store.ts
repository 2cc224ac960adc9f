import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, opendir, readFile, rename, rm, stat, statfs, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { reasonOf } from '../kernel/result.js';
import {
  type ByteRange,
  FILE_NAME,
  FileGone,
  type FileStore,
  type StoredItem,
  StoreFull,
  StoreUnavailable,
} from './file-store.js';
import { FILE_STORE_MESSAGES } from './messages.js';

/** Uploads are refused if a folder's disk has fewer free bytes (D-92). */
const MIN_FREE_BYTES = 1024 ** 3;
/** How many bytes are written between two looks at the free space. */
const LOOK_BYTES = 64 * 1024 ** 2;
/** End of the name of a file that is being written. */
const PARTIAL = '.partial';
const MARK = 'crosspost-store';

/** A folder of files, one folder for each owner (D-92). Several machines may share it if it is a network folder. */
export class FolderStore implements FileStore {
  readonly name: string;

  /** @param folder is created if it is missing */
  constructor(
    private readonly folder: string,
    private readonly minFreeBytes = MIN_FREE_BYTES,
  ) {
    this.name = folder;
  }

  async write(file: string, body: Readable, signal: AbortSignal): Promise<void> {
    const path = this.pathOf(file);
    const partial = `${path}${PARTIAL}`;
    const owner = join(path, '..');
    let handle: FileHandle | null = null;
    try {
      await this.check();
      await mkdir(owner, { recursive: true, mode: 0o700 });
      handle = await open(partial, 'wx', 0o600);
      await this.copy(body, handle, signal);
      await handle.sync();
      await handle.close();
      handle = null;
      await rename(partial, path);
      for (const each of [owner, this.folder]) await syncFolder(each);
    } catch (error) {
      await handle?.close().catch(() => undefined);
      await rm(partial, { force: true }).catch(() => undefined);
      signal.throwIfAborted();
      throw asStoreError(error);
    }
  }

  private async copy(body: Readable, handle: FileHandle, signal: AbortSignal): Promise<void> {
    let unlooked = 0;
    for await (const chunk of addAbortSignal(signal, body) as AsyncIterable<Buffer>) {
      await handle.writeFile(chunk);
      unlooked += chunk.length;
      if (unlooked < LOOK_BYTES) continue;
      unlooked = 0;
      await this.check();
    }
  }

  async read(file: string, range: ByteRange | null, signal?: AbortSignal): Promise<Readable> {
    try {
      const handle = await open(this.pathOf(file), 'r');
      return createReadStream('', { fd: handle, ...range, ...(signal && { signal }) });
    } catch (error) {
      throw asStoreError(error);
    }
  }

  async sizeOf(file: string): Promise<number | null> {
    try {
      return (await stat(this.pathOf(file))).size;
    } catch (error) {
      if (isMissing(error)) return null;
      throw asStoreError(error);
    }
  }

  remove(file: string): Promise<void> {
    return this.removePath(this.pathOf(file));
  }

  async *list(): AsyncIterable<StoredItem> {
    for await (const owner of this.entriesOf(this.folder)) {
      for await (const name of this.entriesOf(join(this.folder, owner))) {
        const isPartial = name.endsWith(PARTIAL);
        const file = `${owner}/${isPartial ? name.slice(0, -PARTIAL.length) : name}`;
        if (!FILE_NAME.test(file)) continue;
        const path = join(this.folder, owner, name);
        const found = await stat(path).catch(() => null); // it may have been removed in the meantime
        if (!found) continue;
        const remove = () => this.removePath(path);
        yield { file, isComplete: !isPartial, modifiedAt: found.mtimeMs, remove };
      }
    }
  }

  private async *entriesOf(folder: string): AsyncIterable<string> {
    try {
      for await (const { name } of await opendir(folder)) yield name;
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException;
      if (code !== 'ENOENT' && code !== 'ENOTDIR') throw asStoreError(error);
    }
  }

  async readMark(): Promise<string | null> {
    try {
      return await readFile(join(this.folder, MARK), 'utf8');
    } catch (error) {
      if (isMissing(error)) return null;
      throw asStoreError(error);
    }
  }

  async writeMark(mark: string): Promise<void> {
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await writeFile(join(this.folder, MARK), mark, { mode: 0o600, flush: true });
      await syncFolder(this.folder);
    } catch (error) {
      throw asStoreError(error);
    }
  }

  async check(): Promise<void> {
    let free: number;
    try {
      const { bavail, bsize } = await statfs(this.folder);
      free = bavail * bsize;
    } catch (error) {
      throw asStoreError(error);
    }
    if (free < this.minFreeBytes) {
      const figures = { store: this.folder, free: Math.round(free / 1024 ** 2) };
      throw new StoreFull(FILE_STORE_MESSAGES.nearlyFull(figures));
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  private pathOf(file: string): string {
    if (!FILE_NAME.test(file)) throw new Error(`not a name of a file: ${file}`);
    return join(this.folder, file);
  }

  private async removePath(path: string): Promise<void> {
    try {
      await rm(path, { force: true });
    } catch (error) {
      throw asStoreError(error);
    }
  }
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** Makes new names in a folder durable. */
const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
};

/** Returns the store's error for an error of the file system; the body's own errors stay as they are. */
const asStoreError = (error: unknown): unknown => {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  const options = { cause: error };
  if (code === 'ENOENT') return new FileGone(FILE_STORE_MESSAGES.fileGone, options);
  if (code === 'ENOSPC' || code === 'EDQUOT') return new StoreFull(reasonOf(error), options);
  return new StoreUnavailable(reasonOf(error), options);
};
