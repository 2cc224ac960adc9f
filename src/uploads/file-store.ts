import type { Readable } from 'node:stream';
import type { Instant } from '../kernel/clock.js';

/** Bytes of a file, from `start` to `end` inclusive. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}

/** Something in the store: a file, or what an interrupted upload left behind. */
export interface StoredItem {
  readonly file: string;
  /** False for what an interrupted upload left behind, and for an upload under way. */
  readonly isComplete: boolean;
  readonly modifiedAt: Instant;
  /** Removes it. Safe to repeat. */
  readonly remove: () => Promise<void>;
}

/**
 * Keeps the bytes of uploaded files (D-92). One suite of tests holds for every adapter: test/uploads/contract.ts. A
 * file's name is chosen by the gateway: `<owner id>/<32 hex digits>`, or `archive/…` for archived history. All methods
 * throw {@link StoreUnavailable}.
 */
export interface FileStore {
  /** What it is called in messages, without secrets. */
  readonly name: string;
  /**
   * Stores a file. It is durable once this returns, and does not exist before; afterwards nothing changes it. Holds at
   * most a few MB in memory. If it throws, nothing is left, except after an outage: the sweep removes such remains.
   * @throws StoreFull, the error of the body, or the signal's reason
   */
  write(file: string, body: Readable, signal: AbortSignal): Promise<void>;
  /**
   * Opens a file. An outage during the reading is an error of the stream.
   * @param range null for the whole file; must lie within the file
   * @throws FileGone
   */
  read(file: string, range: ByteRange | null, signal?: AbortSignal): Promise<Readable>;
  /** Returns a file's size in bytes; null if there is no such file. */
  sizeOf(file: string): Promise<number | null>;
  /** Removes a file. Safe to repeat. */
  remove(file: string): Promise<void>;
  /**
   * Lists all files and what interrupted uploads left behind, in any order. Leaves out whatever else is in the folder or
   * bucket, so that nothing of another program is ever removed.
   * @param kind uploaded files by default
   */
  list(kind?: StoredKind): AsyncIterable<StoredItem>;
  /** Returns the content of the store's mark; null if it has none. */
  readMark(): Promise<string | null>;
  /** Writes the mark. */
  writeMark(mark: string): Promise<void>;
  /** Checks that the store answers. @throws StoreFull if it takes no files */
  check(): Promise<void>;
  close(): Promise<void>;
}

/** The form of uploaded files' names. */
export const FILE_NAME = /^own_[0-9a-f]{32}\/[0-9a-f]{32}$/;

/** The form of the names of archived history (D-101), which the store keeps as well. */
const ARCHIVE_NAME = /^archive\/[\w.-]+$/;

/** What the store keeps: the form of the names, and the folder if it is only one. */
export const STORED_KINDS = {
  uploads: { names: FILE_NAME, folder: null },
  archive: { names: ARCHIVE_NAME, folder: 'archive' },
} as const;
type StoredKind = keyof typeof STORED_KINDS;

/** Returns a file's name. @throws Error if it has another form, because it would be a path to anywhere */
export const checkFileName = (file: string): string => {
  if (!FILE_NAME.test(file) && !ARCHIVE_NAME.test(file)) throw new Error(`not a name of a file: ${file}`);
  return file;
};

/** Injection token for the {@link FileStore}. */
export const FILE_STORE = Symbol('FileStore');

/** The store cannot be reached, or does not answer properly: a later attempt may succeed. `cause` holds the reason. */
export class StoreUnavailable extends Error {
  override name = 'StoreUnavailable';
}

/** The store has too little space left. */
export class StoreFull extends StoreUnavailable {
  override name = 'StoreFull';
}

/** The store answers, but does not have the file. */
export class FileGone extends Error {
  override name = 'FileGone';
}
