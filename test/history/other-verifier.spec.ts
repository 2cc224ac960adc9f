import { serializeEntry } from '../../src/history/transparency-log/entry.js';
import {
  appendLeaves,
  EMPTY_TREE,
  hashLeaf,
  readInclusionProof,
  readRoot,
  rootOfEdge,
} from '../../src/history/transparency-log/merkle.js';
import { CheckpointSigner } from '../../src/history/transparency-log/published-checkpoint.js';
import { Random } from '../e2e/random.js';
import { verifyProof } from './offline-verifier.js';
import { verifyProofElsewhere } from './other-verifier.js';

const random = new Random();
const PROOFS = process.env.TEST_LONG ? 20_000 : 300;
/** Three levels of tiles. */
const LARGEST = 66_000;

describe(`proofs by tiles, checked by other implementations (seed ${random.seed})`, () => {
  const signer = new CheckpointSigner('gateway.example.com/history', Buffer.alloc(32, 7));
  const entryAt = (index: number): Buffer =>
    serializeEntry({ stream: `channel-${index % 97}`, revision: BigInt(index), hash: 'ab'.repeat(32) });
  const tiles = new Map<string, Buffer>();
  const roots = new Map<number, Buffer>();

  beforeAll(() => {
    let edge = EMPTY_TREE;
    while (edge.size < LARGEST) {
      // Batches of every size, so that tiles are filled in one step and in many.
      const count = Math.min(LARGEST - edge.size, 1 + random.below(random.below(10) === 0 ? 2_000 : 300));
      const leaves = Array.from({ length: count }, (_, i) => hashLeaf(entryAt(edge.size + i)));
      const appended = appendLeaves(edge, leaves);
      for (const { level, number, hashes } of appended.tiles) tiles.set(`${level}/${number}`, hashes);
      edge = appended.edge;
      roots.set(edge.size, rootOfEdge(edge));
    }
  });

  const read = (level: number, number: number) => Promise.resolve(tiles.get(`${level}/${number}`)!);
  const prove = async (index: number, size: number): Promise<string> => {
    const hashes = (await readInclusionProof(read, index, size)).map((hash) => `${hash.toString('base64')}\n`);
    return `c2sp.org/tlog-proof@v1\nindex ${index}\n${hashes.join('')}\n${signer.sign(size, await readRoot(read, size))}`;
  };

  it('reads the root of every earlier tree from the tiles of the last one', async () => {
    for (const [size, root] of roots) expect((await readRoot(read, size)).equals(root)).toBe(true);
  });

  it('passes at every place of small trees', async () => {
    for (let size = 1; size <= 20; size++)
      for (let index = 0; index < size; index++)
        verifyProofElsewhere(await prove(index, size), entryAt(index), signer.vkey);
  });

  it('passes at random places of random trees, and at the edges of tiles', async () => {
    const edges = [1, 255, 256, 257, 511, 512, 65_535, 65_536, 65_537, LARGEST];
    for (let n = 0; n < PROOFS; n++) {
      const size = edges[n] ?? 1 + random.below(LARGEST);
      const index = n % 10 === 0 ? size - 1 : random.below(size);
      const proof = await prove(index, size);
      verifyProofElsewhere(proof, entryAt(index), signer.vkey);
      expect(verifyProof(proof, entryAt(index), signer.vkey)).toEqual({ index, size });
    }
  });

  it.each([
    ['another entry', (proof: string) => proof, entryAt(3)],
    ['another index', (proof: string) => proof.replace('index 2', 'index 3'), entryAt(2)],
    ['a hash less', (proof: string) => proof.replace(/\n[^\n]+\n\n/, '\n\n'), entryAt(2)],
    ['another size', (proof: string) => proof.replace('\n1000\n', '\n1001\n'), entryAt(2)],
  ])('fails with %s', async (_, forge, entry) => {
    const proof = await prove(2, 1_000);
    verifyProofElsewhere(proof, entryAt(2), signer.vkey);
    expect(() => verifyProofElsewhere(forge(proof), entry, signer.vkey)).toThrow();
    expect(() => verifyProof(forge(proof), entry, signer.vkey)).toThrow();
  });
});
