import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { HEADER_BYTES, KeyRing } from './key-ring.js';
import { SecretVault, UnreadableSecret } from './vault.js';

const KEY = randomBytes(32);
const SECRET = { bot_token: '1000:secret' };

/** Creates an in-memory table `ops_secret`, in a database whose key is `key`. */
const createTable = (key: Buffer = KEY) => {
  const rows = new Map<string, Buffer>();
  const readMany = ({ values: [ids] }: { readonly values: readonly [readonly string[]] }) =>
    ids.flatMap((id) => (rows.has(id) ? [{ id, sealed: rows.get(id) }] : []));
  const query = async (
    text: string | Parameters<typeof readMany>[0],
    [id, sealed]: readonly [string, Buffer?] = [''],
  ) => {
    if (typeof text !== 'string') return { rows: readMany(text) };
    if (text.includes('from ops_setting') && !text.startsWith('insert'))
      return { rows: [{ value: new KeyRing(key).first.fingerprint }] };
    if (text.startsWith('insert')) {
      if (!rows.has(id)) rows.set(id, sealed!);
      return { rows: [], rowCount: 1 };
    }
    if (text.startsWith('delete')) rows.delete(id);
    return { rows: [] };
  };
  return { rows, pool: { query } as unknown as Pool };
};

/** Returns a vault with an empty cache. */
const vaultOn = (pool: Pool, key: Buffer = KEY): SecretVault => new SecretVault(pool, new KeyRing(key));

describe('the vault', () => {
  it('returns what it stored, from the table alone', async () => {
    const { pool, rows } = createTable();
    const id = await vaultOn(pool).storeSecret(SECRET, null);
    expect(await vaultOn(pool).readSecret(id)).toEqual(SECRET);
    expect(rows.get(id)!.toString('latin1')).not.toContain('secret');
  });

  it('returns to each of many concurrent callers the secret it asked for, and rejects only those of unreadable ones', async () => {
    const { pool, rows } = createTable();
    const vault = vaultOn(pool);
    const ids: string[] = [];
    for (let i = 0; i < 250; i++) ids.push(await vault.storeSecret({ bot_token: `${i}` }, null));
    const damaged = ids[7]!;
    rows.set(damaged, Buffer.alloc(64));
    rows.delete(ids[8]!);
    const other = vaultOn(pool);
    const read = await Promise.allSettled(ids.map((id) => other.readSecret(id)));
    const values = read.map((each) => (each.status === 'fulfilled' ? each.value : each.reason));
    expect(values[7]).toBeInstanceOf(UnreadableSecret);
    expect(values[8]).toBeNull();
    const others = values.filter((_, i) => i !== 7 && i !== 8);
    expect(others).toEqual([...ids.keys()].filter((i) => i !== 7 && i !== 8).map((i) => ({ bot_token: `${i}` })));
  });

  it('does not decrypt a ciphertext that was moved to another id', async () => {
    const { pool, rows } = createTable();
    const vault = vaultOn(pool);
    const [mine, other] = [
      await vault.storeSecret(SECRET, null),
      await vault.storeSecret({ bot_token: 'other' }, null),
    ];
    rows.set(mine, rows.get(other)!);
    await expect(vaultOn(pool).readSecret(mine)).rejects.toThrow(UnreadableSecret);
  });

  it('does not decrypt under another key, or a ciphertext of which any byte has changed or is missing', async () => {
    const { pool, rows } = createTable();
    const id = await vaultOn(pool).storeSecret(SECRET, null);
    await expect(vaultOn(pool, randomBytes(32)).readSecret(id)).rejects.toThrow(UnreadableSecret);
    const sealed = rows.get(id)!;
    for (let at = 0; at < sealed.length; at++) {
      const changed = Buffer.from(sealed);
      changed[at]! ^= 1;
      rows.set(id, changed);
      await expect(vaultOn(pool).readSecret(id)).rejects.toThrow(UnreadableSecret);
      rows.set(id, sealed.subarray(0, at));
      await expect(vaultOn(pool).readSecret(id)).rejects.toThrow(UnreadableSecret);
    }
  });

  it('uses a nonce of its own for each secret: equal secrets have different ciphertexts', async () => {
    const { pool, rows } = createTable();
    const vault = vaultOn(pool);
    for (let i = 0; i < 1_000; i++) await vault.storeSecret(SECRET, null);
    const nonces = new Set(
      [...rows.values()].map((sealed) => sealed.subarray(HEADER_BYTES, HEADER_BYTES + 12).toString('hex')),
    );
    expect(nonces.size).toBe(1_000);
    expect(new Set([...rows.values()].map((sealed) => sealed.subarray(HEADER_BYTES + 28).toString('hex'))).size).toBe(
      1_000,
    );
  });

  it.each([0, 16, 24, 31, 33])('takes no key of %i bytes', (size) => {
    expect(() => new KeyRing(Buffer.alloc(size))).toThrow('not 32');
    expect(() => new KeyRing(KEY, [Buffer.alloc(size)])).toThrow('not 32');
  });

  it('erases a secret from the table and from its memory', async () => {
    const { pool, rows } = createTable();
    const vault = vaultOn(pool);
    const id = await vault.storeSecret(SECRET, null);
    expect(await vault.readSecret(id)).toEqual(SECRET);
    await vault.eraseSecret(id);
    expect(rows.size).toBe(0);
    expect(await vault.readSecret(id)).toBeNull();
  });
});
