import { createReadStream } from 'node:fs';
import {
  access,
  type FileHandle,
  mkdir,
  open,
  opendir,
  readFile,
  rename,
  rm,
  stat,
  statfs,
  writeFile,
} from 'node:fs/promises';
import { join } from 'node:path';
import { addAbortSignal, type Readable } from 'node:stream';
import { reasonOf } from '../kernel/result.js';
import {
  type ByteRange,
  checkFileName,
  FileGone,
  type FileStore,
  STORED_KINDS,
  type StoredItem,
  StoreFull,
  StoreUnavailable,
} from './file-store.js';
import { FILE_STORE_MESSAGES } from './messages.js';

/** Uploads are refused if a folder's disk has fewer free bytes (D-92). */
const MIN_FREE_BYTES = 1024 ** 3;
/** The free space is checked again each time this many bytes have been written. */
const CHECK_INTERVAL_BYTES = 64 * 1024 ** 2;
/** Suffix of a file that is being written. */
const PARTIAL = '.partial';
const MARK = 'crosspost-store';

/** Keeps files in a folder, with a subfolder for each owner (D-92). Several machines may share a network folder. */
export class FolderStore implements FileStore {
  readonly name: string;

  /** @param folder created with the mark if it does not exist */
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
      handle = await open(partial, 'w', 0o600); // may be left of an archived file, which has the same name again
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
      throw toStoreError(error);
    }
  }

  private async copy(body: Readable, handle: FileHandle, signal: AbortSignal): Promise<void> {
    let unchecked = 0;
    for await (const chunk of addAbortSignal(signal, body) as AsyncIterable<Buffer>) {
      await handle.writeFile(chunk);
      unchecked += chunk.length;
      if (unchecked < CHECK_INTERVAL_BYTES) continue;
      unchecked = 0;
      await this.check();
    }
  }

  async read(file: string, range: ByteRange | null, signal?: AbortSignal): Promise<Readable> {
    try {
      const handle = await open(this.pathOf(file), 'r');
      return createReadStream('', { fd: handle, ...range, ...(signal && { signal }) });
    } catch (error) {
      if (!isMissing(error)) throw toStoreError(error);
      await this.requireFolder();
      throw new FileGone(FILE_STORE_MESSAGES.fileGone, { cause: error });
    }
  }

  async sizeOf(file: string): Promise<number | null> {
    try {
      return (await stat(this.pathOf(file))).size;
    } catch (error) {
      if (!isMissing(error)) throw toStoreError(error);
      await this.requireFolder();
      return null;
    }
  }

  remove(file: string): Promise<void> {
    return this.removePath(this.pathOf(file));
  }

  async *list(kind: keyof typeof STORED_KINDS = 'uploads'): AsyncIterable<StoredItem> {
    const { names, folder } = STORED_KINDS[kind];
    for await (const owner of folder === null ? this.entriesOf(this.folder) : [folder]) {
      for await (const name of this.entriesOf(join(this.folder, owner))) {
        const isPartial = name.endsWith(PARTIAL);
        const file = `${owner}/${isPartial ? name.slice(0, -PARTIAL.length) : name}`;
        if (!names.test(file)) continue;
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
      if (code !== 'ENOENT' && code !== 'ENOTDIR') throw toStoreError(error);
    }
  }

  async readMark(): Promise<string | null> {
    try {
      return await readFile(join(this.folder, MARK), 'utf8');
    } catch (error) {
      if (isMissing(error)) return null;
      throw toStoreError(error);
    }
  }

  async writeMark(mark: string): Promise<void> {
    try {
      await mkdir(this.folder, { recursive: true, mode: 0o700 });
      await writeFile(join(this.folder, MARK), mark, { mode: 0o600, flush: true });
      await syncFolder(this.folder);
    } catch (error) {
      throw toStoreError(error);
    }
  }

  async check(): Promise<void> {
    let free: number;
    try {
      const { bavail, bsize } = await statfs(this.folder);
      free = bavail * bsize;
    } catch (error) {
      throw toStoreError(error);
    }
    if (free < this.minFreeBytes) {
      const figures = { store: this.folder, free: Math.round(free / 1024 ** 2) };
      throw new StoreFull(FILE_STORE_MESSAGES.nearlyFull(figures));
    }
  }

  close(): Promise<void> {
    return Promise.resolve();
  }

  /** Tells a missing file from a folder that is not mounted. @throws StoreUnavailable */
  private async requireFolder(): Promise<void> {
    try {
      await access(this.folder);
    } catch (error) {
      throw toStoreError(error);
    }
  }

  private pathOf(file: string): string {
    return join(this.folder, checkFileName(file));
  }

  private async removePath(path: string): Promise<void> {
    try {
      await rm(path, { force: true });
    } catch (error) {
      throw toStoreError(error);
    }
  }
}

const isMissing = (error: unknown): boolean => (error as NodeJS.ErrnoException).code === 'ENOENT';

/** Makes the names of new files in a folder durable. */
const syncFolder = async (folder: string): Promise<void> => {
  const handle = await open(folder, 'r');
  await handle.sync().finally(() => handle.close());
};

/** Converts an error of the file system; returns the body's own errors unchanged. */
const toStoreError = (error: unknown): unknown => {
  const { code, syscall } = error as NodeJS.ErrnoException;
  if (syscall === undefined) return error;
  const options = { cause: error };
  if (code === 'ENOSPC' || code === 'EDQUOT') return new StoreFull(reasonOf(error), options);
  return new StoreUnavailable(reasonOf(error), options);
};
