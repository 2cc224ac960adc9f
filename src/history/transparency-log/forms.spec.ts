import { deriveHistoryKeys } from '../../secrets/key-ring.js';
import { parseBundle, parseEntry, parseTilePath, serializeBundle, serializeEntry } from './entry.js';
import { countHashes } from './merkle.js';
import { CheckpointSigner, openCheckpoint } from './published-checkpoint.js';

describe('paths of tiles', () => {
  it.each([
    ['0/005', { level: 0, number: 5, width: 256 }],
    ['0/x001/x234/067', { level: 0, number: 1_234_067, width: 256 }],
    ['1/001.p/17', { level: 1, number: 1, width: 17 }],
    ['entries/x273/000.p/112', { level: 'entries', number: 273_000, width: 112 }],
  ])('reads %s', (path, tile) => expect(parseTilePath(path)).toEqual(tile));

  it.each(['0/5', '0/000.p/0', '0/000.p/256', '64/000', '00/000', '0/x000/001', 'data/000', '0/000/'])(
    'refuses %s',
    (path) => expect(parseTilePath(path)).toBeNull(),
  );

  it('counts the hashes of each level of 70,000 entries', () => {
    const widths = [0, 1, 2, 3].map((level) => [
      Math.floor(countHashes(70_000, level) / 256),
      countHashes(70_000, level) % 256,
    ]);
    expect(widths).toEqual([
      [273, 112],
      [1, 17],
      [0, 1],
      [0, 0],
    ]);
  });
});

describe('entries', () => {
  const entry = { stream: 'owner-ä', revision: 12n, hash: '0f'.repeat(32) };

  it('have one form', () => {
    expect(serializeEntry(entry).toString()).toBe(`owner-ä\n12\n${'0f'.repeat(32)}\n`);
    expect(parseEntry(serializeEntry(entry))).toEqual(entry);
    expect(parseEntry(Buffer.from('owner\n1\n'))).toBeNull();
  });

  it('have their lengths before them in a bundle', () => {
    const entries = [serializeEntry(entry), Buffer.from('ab')];
    const bundle = serializeBundle(entries);
    expect([bundle.readUInt16BE(0), bundle.length]).toEqual([entries[0]!.length, entries[0]!.length + 6]);
    expect(parseBundle(bundle)).toEqual(entries);
  });
});

describe('checkpoints', () => {
  const seed = Buffer.alloc(32, 3);
  const signer = new CheckpointSigner('gateway.example.com/history', seed);
  const root = Buffer.alloc(32, 9);

  it('are read by the key that signed them', () => {
    const note = signer.sign(3, root);
    expect(note).toMatch(
      /^gateway\.example\.com\/history\n3\n[^\n]{44}\n\n\u2014 gateway\.example\.com\/history [^\n]+\n$/,
    );
    expect(openCheckpoint(note, signer.vkey)).toEqual({ origin: signer.origin, size: 3, root });
    expect(openCheckpoint(note.replace('\n3\n', '\n4\n'), signer.vkey)).toBeNull();
    expect(openCheckpoint(note, new CheckpointSigner(signer.origin, Buffer.alloc(32, 4)).vkey)).toBeNull();
    expect(openCheckpoint('text', signer.vkey)).toBeNull();
  });

  it('and seals have keys of their own', () => {
    const { signingKey, sealKey } = deriveHistoryKeys(seed);
    expect(signingKey).toHaveLength(32);
    expect(signingKey.equals(sealKey)).toBe(false);
  });
});
