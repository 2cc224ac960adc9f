import { createHmac } from 'node:crypto';
import type { Pool } from 'pg';
import { type LogEntry, parseBundle, parseEntry, serializeBundle } from './entry.js';
import { countHashes, EMPTY_TREE, HASH_BYTES, type Tile, TILE_WIDTH, type TreeEdge } from './merkle.js';
import { LOG_MESSAGES } from './messages.js';

/** The signed head of the log. */
export interface LogHead {
  /** Number of entries. */
  readonly size: number;
  /** Position of the last event that the log covers. */
  readonly position: bigint;
  readonly origin: string;
  readonly vkey: string;
  /** The signed note. */
  readonly checkpoint: string;
}

/** A batch of log entries to write in one transaction. */
export interface LogAppend {
  /** The previous head; null for the first batch. */
  readonly from: LogHead | null;
  readonly to: LogHead;
  readonly tiles: readonly Tile[];
  readonly entries: readonly { readonly bytes: Buffer; readonly position: bigint }[];
}

/** A bundle of entries as stored in the database. */
export interface StoredBundle {
  readonly number: number;
  readonly entries: readonly Buffer[];
  /** Position of its first event; for an event removed before an import, the position after the previous event. */
  readonly first: bigint;
  /** A seal for each entry. */
  readonly seals: Buffer;
}

/** Another process has written the log since it was read. */
export class LogMoved extends Error {}

/** Size of a seal. */
export const SEAL_BYTES = 8;

/** Returns the seal of an entry. Seals locate changes that a checkpoint can only detect (ADR-143). */
export const sealEntry = (key: Buffer, index: number, entry: Buffer): Buffer =>
  createHmac('sha256', key).update(`crosspost history seal\n${index}\n`).update(entry).digest().subarray(0, SEAL_BYTES);

const describeHead = (head: LogHead | null): string =>
  head ? `size ${head.size} at position ${head.position}` : 'none';

/** The head, tiles and bundles of the transparency log, rebuilt only in a lost or restored database (ADR-213). */
export class LogTables {
  constructor(private readonly db: Pick<Pool, 'query'>) {}

  /** Returns the head; null if none has been signed yet. @param lock keeps other transactions from changing it */
  async readHead(lock = false): Promise<LogHead | null> {
    const { rows } = await this.db.query<{ size: bigint } & Omit<LogHead, 'size'>>(
      `select size, position, origin, vkey, checkpoint from ops_history_log ${lock ? 'for update' : ''}`,
    );
    return rows[0] ? { ...rows[0], size: Number(rows[0].size) } : null;
  }

  /** Returns the hashes of a tile; undefined if there is none. */
  async readTile(level: number, number: number): Promise<Buffer | undefined> {
    const text = 'select hashes from ops_history_tile where level = $1 and number = $2';
    return (await this.db.query<{ hashes: Buffer }>(text, [level, number])).rows[0]?.hashes;
  }

  /** Returns bundles in order. */
  async readBundles(from: number, limit = 1): Promise<readonly StoredBundle[]> {
    const text = `select number::float8 as number, first_position as first, entries, seals from ops_history_bundle
      where number >= $1 order by number limit $2`;
    const { rows } = await this.db.query<{ number: number; first: bigint; entries: Buffer; seals: Buffer }>(text, [
      from,
      limit,
    ]);
    return rows.map((row) => ({ ...row, entries: parseBundle(row.entries) }));
  }

  /**
   * Reads the bundles that hold the first `size` entries, in order. Leaves out entries added later.
   * @param from number of the first bundle
   * @param perRead maximum number of bundles to read at a time
   */
  async *readBundlesUpTo(size: number, { from = 0, perRead }: { from?: number; perRead: number }) {
    const end = Math.ceil(size / TILE_WIDTH);
    for (let next = from; next < end;) {
      const bundles = await this.readBundles(next, Math.min(perRead, end - next));
      if (bundles.length === 0) return;
      for (const bundle of bundles) {
        if (bundle.number >= end) return; // a preceding bundle is missing
        const entries = bundle.entries.slice(0, size - bundle.number * TILE_WIDTH);
        yield { ...bundle, entries } satisfies StoredBundle;
        next = bundle.number + 1;
      }
    }
  }

  /** Returns the index of an entry, given its event's position; null if the log does not contain it. */
  async findEntry(entry: Buffer, position: bigint): Promise<number | null> {
    const bundle = await this.findBundle(position);
    if (!bundle) return null;
    const at = parseBundle(bundle.entries).findIndex((bytes) => bytes.equals(entry));
    return at < 0 ? null : bundle.number * TILE_WIDTH + at;
  }

  /** Returns the bundle that covers a position, and the position of its first event; null if there is none. */
  async findBundle(position: bigint) {
    const { rows } = await this.db.query<{ number: number; first: bigint; entries: Buffer }>(
      `select number::float8 as number, first_position as first, entries from ops_history_bundle
       where first_position <= $1 order by first_position desc, number desc limit 1`,
      [position],
    );
    return rows[0] ?? null;
  }

  /** Reads the edge of the tree at its current size. */
  async readEdge(size: number): Promise<TreeEdge> {
    if (size === 0) return EMPTY_TREE;
    const partial: Buffer[] = [];
    for (let level = 0; countHashes(size, level) > 0; level++) {
      const count = countHashes(size, level);
      const width = count % TILE_WIDTH;
      const tile = width === 0 ? Buffer.alloc(0) : await this.readTile(level, Math.floor(count / TILE_WIDTH));
      if (tile?.length !== width * HASH_BYTES)
        throw new Error(LOG_MESSAGES.tileDoesNotFit({ number: Math.floor(count / TILE_WIDTH), level, size }));
      partial.push(tile);
    }
    return { size, partial };
  }

  /**
   * Writes a batch: tiles and bundles first, the head last. Call it in a transaction. An existing tile may only grow.
   * @throws LogMoved if the head is no longer `from`, or a tile would change: nothing may be committed
   */
  async append({ from, to, tiles, entries }: LogAppend, sealKey: Buffer): Promise<void> {
    const head = await this.readHead(true);
    if (head?.checkpoint !== from?.checkpoint || (head?.position ?? -1n) !== (from?.position ?? -1n))
      throw new LogMoved(LOG_MESSAGES.moved({ found: describeHead(head), expected: describeHead(from) }));
    await this.writeTree({ size: from?.size ?? 0, tiles, entries }, sealKey);
    await this.writeHead(to);
  }

  /**
   * Appends entries to a tree of the given size, and writes the tiles that cover them.
   * @throws LogMoved if a tile would change
   */
  async writeTree(
    { size, tiles, entries }: Pick<LogAppend, 'tiles' | 'entries'> & { readonly size: number },
    sealKey: Buffer,
  ): Promise<void> {
    if (tiles.length > 0) await this.writeTiles(tiles);
    await this.writeBundles(size, entries, sealKey);
  }

  /** Replaces the head. */
  async writeHead(to: LogHead): Promise<void> {
    await this.db.query(
      `insert into ops_history_log as l (size, position, origin, vkey, checkpoint) values ($1, $2, $3, $4, $5)
       on conflict (is_only) do update set size = excluded.size, position = excluded.position, origin = excluded.origin,
         vkey = excluded.vkey, checkpoint = excluded.checkpoint`,
      [to.size, to.position, to.origin, to.vkey, to.checkpoint],
    );
  }

  private async writeTiles(tiles: readonly Tile[]): Promise<void> {
    const { rowCount } = await this.db.query(
      `insert into ops_history_tile as t (level, number, hashes)
       select * from unnest($1::smallint[], $2::bigint[], $3::bytea[])
       on conflict (level, number) do update set hashes = excluded.hashes
       where substr(excluded.hashes, 1, length(t.hashes)) = t.hashes`,
      [tiles.map(({ level }) => level), tiles.map(({ number }) => number), tiles.map(({ hashes }) => hashes)],
    );
    if (rowCount !== tiles.length) throw new LogMoved(LOG_MESSAGES.tileWouldChange);
  }

  private async writeBundles(size: number, entries: LogAppend['entries'], sealKey: Buffer): Promise<void> {
    for (let at = 0; at < entries.length;) {
      const index = size + at;
      const part = entries.slice(at, at + TILE_WIDTH - (index % TILE_WIDTH));
      const seals = part.map(({ bytes }, i) => sealEntry(sealKey, index + i, bytes));
      await this.db.query(
        `insert into ops_history_bundle as b (number, first_position, entries, seals) values ($1, $2, $3, $4)
         on conflict (number) do update set entries = b.entries || excluded.entries, seals = b.seals || excluded.seals`,
        [
          Math.floor(index / TILE_WIDTH),
          part[0]!.position,
          serializeBundle(part.map(({ bytes }) => bytes)),
          Buffer.concat(seals),
        ],
      );
      at += part.length;
    }
  }
}

/** Name of the transparency log's checkpoint in `ops_checkpoint`. */
export const LOG_CHECKPOINT = 'saga/write-transparency-log';

/** Name and key of the log. */
export interface LogIdentity {
  /** HISTORY_ORIGIN. If null, an existing log keeps its origin and a new log derives one from the base URL. */
  readonly origin: string | null;
  /** Base URL of this process; empty until it is known. */
  readonly baseUrl: string;
  /** Seed of the first log's signing key, 32 bytes. The seeds of later logs are derived from it. */
  readonly key: Buffer;
  /** Key for the seals (ADR-143). */
  readonly sealKey: Buffer;
}

/** Injection token for the {@link LogIdentity}. */
export const LOG_IDENTITY = Symbol('LogIdentity');

/** Returns the default origin: the base URL without its scheme, plus `/history`. Escapes `+`, which is not allowed. */
export const originOf = (baseUrl: string): string =>
  `${baseUrl.replace(/^[a-z]+:\/\//i, '').replaceAll('+', '%2B')}/history`;

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
