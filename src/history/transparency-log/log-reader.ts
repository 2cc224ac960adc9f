import { type LogEntry, parseEntry } from './entry.js';
import { type LogTables, SEAL_BYTES, sealEntry, type StoredBundle } from './log-tables.js';
import { TILE_WIDTH } from './merkle.js';

/** A log entry as read for verification. */
export interface SealedEntry {
  readonly index: number;
  readonly bytes: Buffer;
  /** Null if the bytes are not an entry. */
  readonly entry: LogEntry | null;
  /** True if its seal matches: the entry is unchanged. */
  readonly isSealed: boolean;
}

/** Number of bundles per read: about 3 MB. */
const BUNDLES = 100;

/** Reads all entries of the log in order, up to its signed size. */
export async function* readEntries(tables: LogTables, size: number, sealKey: Buffer): AsyncGenerator<SealedEntry[]> {
  for await (const bundle of tables.readBundlesUpTo(size, { perRead: BUNDLES })) yield splitBundle(bundle, sealKey);
}

const splitBundle = ({ number, entries, seals }: StoredBundle, sealKey: Buffer): SealedEntry[] =>
  entries.map((bytes, i) => {
    const index = number * TILE_WIDTH + i;
    const seal = seals.subarray(i * SEAL_BYTES, (i + 1) * SEAL_BYTES);
    return { index, bytes, entry: parseEntry(bytes), isSealed: seal.equals(sealEntry(sealKey, index, bytes)) };
  });
