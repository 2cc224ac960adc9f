import { randomBytes } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { HEADER_BYTES, headerOf, keyIdOf, KeyRing, openValue, sealValue } from '../../src/secrets/key-ring.js';

/** A secret that a release sealed, and that every later release must open. */
interface GoldenSecret {
  /** Base64. */
  readonly key: string;
  readonly id: string;
  /** Base64. */
  readonly sealed: string;
  readonly secret: object;
}

const fileOf = (name: string): URL => new URL(`./golden/${name}.json`, import.meta.url);
const WITHOUT_ID = 'without-key-id';
const WITH_ID = 'with-key-id';

const readGolden = (name: string): GoldenSecret => JSON.parse(readFileSync(fileOf(name), 'utf8')) as GoldenSecret;

/** Writes the golden file of the present form if it does not exist; an existing one is never changed. */
beforeAll(() => {
  if (existsSync(fileOf(WITH_ID))) return;
  const { key, id, secret } = readGolden(WITHOUT_ID);
  const [first] = new KeyRing(Buffer.from(key, 'base64')).keys;
  const sealed = sealValue(first!, id, JSON.stringify(secret)).toString('base64');
  writeFileSync(fileOf(WITH_ID), `${JSON.stringify({ key, id, sealed, secret }, null, 2)}\n`, { flag: 'wx' });
});

describe('a sealed secret of a former release', () => {
  it.each([WITHOUT_ID, WITH_ID])('is opened with its key, wherever that stands (%s)', (name) => {
    const { key, id, sealed, secret } = readGolden(name);
    const bytes = Buffer.from(key, 'base64');
    const others = [randomBytes(32), randomBytes(32)];
    for (const ring of [
      new KeyRing(bytes),
      new KeyRing(bytes, others),
      new KeyRing(others[0]!, [bytes, others[1]!]),
      new KeyRing(others[0]!, [others[1]!, bytes]),
    ])
      expect(JSON.parse(openValue(ring, id, Buffer.from(sealed, 'base64')))).toEqual(secret);
    expect(() => openValue(new KeyRing(others[0]!, [others[1]!]), id, Buffer.from(sealed, 'base64'))).toThrow();
    expect(() => openValue(new KeyRing(bytes), `${id}x`, Buffer.from(sealed, 'base64'))).toThrow();
  });

  it('names its key, or does not', () => {
    const { key, sealed } = readGolden(WITH_ID);
    expect(keyIdOf(Buffer.from(sealed, 'base64'))).toBe(new KeyRing(Buffer.from(key, 'base64')).first.id);
    expect(keyIdOf(Buffer.from(readGolden(WITHOUT_ID).sealed, 'base64'))).toBeNull();
  });
});

describe('a sealed secret', () => {
  it('begins with its key’s header, and has a nonce of its own', () => {
    const { first } = new KeyRing(randomBytes(32));
    const all = Array.from({ length: 100 }, () => sealValue(first, 'x', 'text'));
    for (const sealed of all) expect(sealed.subarray(0, HEADER_BYTES)).toEqual(headerOf(first));
    expect(new Set(all.map((sealed) => sealed.toString('hex', HEADER_BYTES, HEADER_BYTES + 12))).size).toBe(100);
  });

  it('cannot be given another key’s header', () => {
    const ring = new KeyRing(randomBytes(32), [randomBytes(32)]);
    const sealed = sealValue(ring.first, 'x', 'text');
    headerOf(ring.oldest).copy(sealed);
    expect(() => openValue(ring, 'x', sealed)).toThrow();
  });
});
