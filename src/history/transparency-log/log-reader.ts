import { type LogEntry, parseEntry } from './entry.js';
import { type LogTables, SEAL_BYTES, sealEntry, type StoredBundle } from './log-tables.js';
import { TILE_WIDTH } from './merkle.js';

/** An entry of the log as a verification reads it. */
export interface SealedEntry {
  readonly index: number;
  readonly bytes: Buffer;
  /** Null: the bytes are no entry. */
  readonly entry: LogEntry | null;
  /** True if its seal fits: it is as it was written. */
  readonly isSealed: boolean;
}

/** Bundles per read: about 3 MB. */
const BUNDLES = 100;

/** Reads all entries of the log in order, up to its signed size. */
export async function* readEntries(tables: LogTables, size: number, sealKey: Buffer): AsyncGenerator<SealedEntry[]> {
  for (let number = 0; number * TILE_WIDTH < size;) {
    const bundles = await tables.readBundles(number, BUNDLES);
    if (bundles.length === 0) return;
    for (const bundle of bundles) {
      yield splitBundle(bundle, size, sealKey);
      number = bundle.number + 1;
    }
  }
}

const splitBundle = ({ number, entries, seals }: StoredBundle, size: number, sealKey: Buffer): SealedEntry[] =>
  entries.slice(0, size - number * TILE_WIDTH).map((bytes, i) => {
    const index = number * TILE_WIDTH + i;
    const seal = seals.subarray(i * SEAL_BYTES, (i + 1) * SEAL_BYTES);
    return { index, bytes, entry: parseEntry(bytes), isSealed: seal.equals(sealEntry(sealKey, index, bytes)) };
  });
