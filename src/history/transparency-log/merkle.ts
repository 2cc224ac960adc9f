import { hash } from 'node:crypto';

/** Size of a SHA-256 hash. */
export const HASH_BYTES = 32;

/** Number of hashes in a full tile. */
export const TILE_WIDTH = 256;

const TILE_BYTES = TILE_WIDTH * HASH_BYTES;
/** Number of levels of the binary tree that one tile spans. */
const LEVELS_PER_TILE = 8;
const LEAF_PREFIX = Buffer.from([0]);
const NODE_PREFIX = Buffer.from([1]);

const sha256 = (data: Buffer): Buffer => hash('sha256', data, 'buffer');

/** Root of the empty tree (RFC 6962 section 2.1). */
const EMPTY_ROOT = sha256(Buffer.alloc(0));

/** Returns the hash of a leaf (RFC 6962 section 2.1). */
export const hashLeaf = (entry: Buffer): Buffer => sha256(Buffer.concat([LEAF_PREFIX, entry]));

const hashNode = (left: Buffer, right: Buffer): Buffer => sha256(Buffer.concat([NODE_PREFIX, left, right]));

const hashAt = (hashes: Buffer, index: number): Buffer => hashes.subarray(index * HASH_BYTES, (index + 1) * HASH_BYTES);

/** Folds `count` neighbouring hashes, a power of two, into the root of their perfect subtree. */
const foldPerfect = (hashes: Buffer, first: number, count: number): Buffer =>
  count === 1
    ? hashAt(hashes, first)
    : hashNode(foldPerfect(hashes, first, count / 2), foldPerfect(hashes, first + count / 2, count / 2));

/** A tile of the tree: up to 256 neighbouring hashes of one level (C2SP tlog-tiles). */
export interface Tile {
  /** 0 for the leaf hashes. */
  readonly level: number;
  readonly number: number;
  readonly hashes: Buffer;
}

/** The right edge of a tree: enough to append to it and to compute its root. */
export interface TreeEdge {
  /** Number of leaves. */
  readonly size: number;
  /** Hashes of the last tile on each level; empty if that tile is full. */
  readonly partial: readonly Buffer[];
}

/** The empty tree. */
export const EMPTY_TREE: TreeEdge = { size: 0, partial: [] };

/** Returns the number of hashes that a tree of this size has on one level of tiles. */
export const countHashes = (size: number, level: number): number => Math.floor(size / TILE_WIDTH ** level);

/** Appends leaves. Returns the tree's new edge and the tiles that are new or have grown. */
export const appendLeaves = (
  edge: TreeEdge,
  leaves: readonly Buffer[],
): { readonly edge: TreeEdge; readonly tiles: readonly Tile[] } => {
  const partial = [...edge.partial];
  const tiles: Tile[] = [];
  let added = leaves;
  for (let level = 0; added.length > 0; level++) {
    const first = countHashes(edge.size, level + 1);
    const hashes = Buffer.concat([partial[level] ?? Buffer.alloc(0), ...added]);
    const roots: Buffer[] = [];
    for (let at = 0; at < hashes.length; at += TILE_BYTES) {
      const tile = { level, number: first + at / TILE_BYTES, hashes: hashes.subarray(at, at + TILE_BYTES) };
      tiles.push(tile);
      if (tile.hashes.length === TILE_BYTES) roots.push(foldPerfect(tile.hashes, 0, TILE_WIDTH));
    }
    partial[level] = Buffer.from(hashes.subarray(hashes.length - (hashes.length % TILE_BYTES)));
    added = roots;
  }
  return { edge: { size: edge.size + leaves.length, partial }, tiles };
};

/** Appends entries as leaves: see {@link appendLeaves}. */
export const appendEntries = (edge: TreeEdge, entries: readonly { readonly bytes: Buffer }[]) =>
  appendLeaves(
    edge,
    entries.map(({ bytes }) => hashLeaf(bytes)),
  );

/** Computes a tree's root from its edge by folding its perfect subtrees, smallest first. */
export const rootOfEdge = ({ partial }: TreeEdge): Buffer => {
  const peaks: Buffer[] = [];
  for (const hashes of partial.toReversed()) {
    let first = 0;
    for (let count = TILE_WIDTH / 2; count >= 1; count /= 2) {
      if (((hashes.length / HASH_BYTES) & count) === 0) continue;
      peaks.push(foldPerfect(hashes, first, count));
      first += count;
    }
  }
  const last = peaks.pop();
  return last ? peaks.reduceRight((right, left) => hashNode(left, right), last) : EMPTY_ROOT;
};

/** Reads the hashes of a tile. A partial tile has at least the hashes of the tree being read. */
export type ReadTile = (level: number, number: number) => Promise<Buffer>;

/** Reads the root of the perfect subtree with 2^height leaves, starting at leaf `first`. */
const readPerfect = async (read: ReadTile, height: number, first: number): Promise<Buffer> => {
  const level = Math.floor(height / LEVELS_PER_TILE);
  const index = first / TILE_WIDTH ** level;
  const tile = await read(level, Math.floor(index / TILE_WIDTH));
  return foldPerfect(tile, index % TILE_WIDTH, 2 ** (height % LEVELS_PER_TILE));
};

/** Returns the largest power of two below a number above 1. */
const splitOf = (count: number): number => {
  let half = 1;
  while (half * 2 < count) half *= 2;
  return half;
};

/** Reads the hash of the node over the leaves from `first` (inclusive) to `end` (exclusive): `MTH` in RFC 6962. */
const readNode = async (read: ReadTile, first: number, end: number): Promise<Buffer> => {
  const count = end - first;
  const height = Math.log2(count);
  if (Number.isInteger(height)) return readPerfect(read, height, first);
  const middle = first + splitOf(count);
  return hashNode(await readNode(read, first, middle), await readNode(read, middle, end));
};

/** Reads the root of the tree's first `size` leaves. */
export const readRoot = async (read: ReadTile, size: number): Promise<Buffer> =>
  size === 0 ? EMPTY_ROOT : readNode(read, 0, size);

/** Reads the inclusion proof of a leaf, from its sibling up to a child of the root (`PATH` of RFC 6962). */
export const readInclusionProof = async (
  read: ReadTile,
  index: number,
  end: number,
  first = 0,
): Promise<readonly Buffer[]> => {
  if (end - first === 1) return [];
  const middle = first + splitOf(end - first);
  return index < middle
    ? [...(await readInclusionProof(read, index, middle, first)), await readNode(read, middle, end)]
    : [...(await readInclusionProof(read, index, end, middle)), await readNode(read, first, middle)];
};
