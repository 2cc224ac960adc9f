import { createCipheriv, randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { createLogger } from '../../src/config/logger.js';
import type { Job, JobContext } from '../../src/jobs/job.js';
import { createPool } from '../../src/postgres/pool.js';
import { claimDatabase, readFormerKeys } from '../../src/secrets/database-keys.js';
import { deriveHistoryKeys, keyIdOf, KeyRing } from '../../src/secrets/key-ring.js';
import { createResealHandler, RESEAL_SECRETS } from '../../src/secrets/reseal-job.js';
import { UnreadableSecrets } from '../../src/secrets/unreadable-secrets.js';
import { SecretVault, UnreadableSecret } from '../../src/secrets/vault.js';
import { until } from '../e2e/until.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';

const log = createLogger({ logLevel: 'silent' });
const [A, B, C] = [1, 2, 3].map((n) => Buffer.alloc(32, n)) as [Buffer, Buffer, Buffer];

let postgres: TestPostgres;
let pool: Pool;
beforeEach(async () => {
  postgres = await startTestPostgres({ migrated: true });
  pool = createPool(postgres.connectionString, { max: 8, applicationName: 'rotation-spec', logger: log });
});
afterEach(async () => {
  await pool.end();
  await postgres.stop();
});

/** Seals a secret as releases without key ids did. */
const storeWithoutKeyId = async (key: Buffer, id: string, secret: object): Promise<void> => {
  const iv = randomBytes(12);
  const cipher = createCipheriv('aes-256-gcm', key, iv).setAAD(Buffer.from(id));
  const text = Buffer.concat([cipher.update(JSON.stringify(secret)), cipher.final()]);
  const sealed = Buffer.concat([iv, cipher.getAuthTag(), text]);
  await pool.query(`insert into ops_secret (secret_id, sealed, stream) values ($1, $2, 'channel-x')`, [id, sealed]);
};

const jobFor = (key: Buffer): Job => ({
  id: 'job_1',
  kind: RESEAL_SECRETS,
  state: 'running',
  progress: 0,
  etaSeconds: null,
  result: null,
  params: { key: new KeyRing(key).first.id },
});

const context = (overrides: Partial<JobContext> = {}): JobContext => ({
  report: () => undefined,
  signal: new AbortController().signal,
  ...overrides,
});

const reseal = (ring: KeyRing, key: Buffer, db: Pool = pool) =>
  createResealHandler(db, ring).run(jobFor(key), context());

/** A pool whose statements fail after the n-th, as in a killed process; `sent` counts them. */
const dyingPool = (n: number): { readonly pool: Pool; readonly sent: () => number } => {
  let sent = 0;
  const check = (): void => {
    if (++sent > n) throw new Error('killed');
  };
  const wrap = <T extends object>(target: T): T =>
    new Proxy(target, {
      get(one, name) {
        if (name === 'query')
          return (...args: unknown[]) => {
            // The server rolls back a killed process's transaction, so a rollback always succeeds.
            if (args[0] !== 'rollback') check();
            return (one as unknown as Pool).query(...(args as [string]));
          };
        if (name === 'connect') return async () => wrap(await (one as unknown as Pool).connect());
        const value = Reflect.get(one, name) as unknown;
        return typeof value === 'function' ? (value as () => unknown).bind(one) : value;
      },
    });
  return { pool: wrap(pool), sent: () => sent };
};

const keyIds = async (): Promise<readonly (string | null)[]> =>
  (await pool.query<{ sealed: Buffer }>('select sealed from ops_secret')).rows.map(({ sealed }) => keyIdOf(sealed));

describe('the key of a database', () => {
  it('is the one that it was first started with, even if processes start at once', async () => {
    const rings = [new KeyRing(A), new KeyRing(B)];
    const outcomes = await Promise.allSettled([0, 1, 0, 1].map((i) => claimDatabase(pool, rings[i]!)));
    const accepted = outcomes.map(({ status }) => status === 'fulfilled');
    expect(accepted[0]).toBe(accepted[2]);
    expect(accepted[1]).toBe(accepted[3]);
    expect(accepted[0]).not.toBe(accepted[1]);
    const [right, wrong] = accepted[0] ? rings : rings.toReversed();
    await claimDatabase(pool, right!);
    await expect(claimDatabase(pool, wrong!)).rejects.toThrow('SECRETS_KEY is not the key of this database');
    const { rows } = await pool.query<{ value: string }>('select value from ops_setting');
    for (const { value } of rows) expect(value).not.toContain(right!.first.bytes.toString('hex'));
  });

  it('may be a previous one until the secrets are resealed, and is needed until that has ended', async () => {
    await claimDatabase(pool, new KeyRing(A));
    const both = new KeyRing(B, [A]);
    await claimDatabase(pool, both);
    const vault = new SecretVault(pool, both);
    const id = await vault.storeSecret({ token: '1' }, 'channel-x');
    // Processes that do not have the new key yet can read secrets that are stored now.
    expect(await new SecretVault(pool, new KeyRing(A)).readSecret(id)).toEqual({ token: '1' });
    await expect(claimDatabase(pool, new KeyRing(B))).rejects.toThrow('add the former one to SECRETS_KEY_PREVIOUS');

    const cut = dyingPool(12);
    await expect(reseal(both, B, cut.pool)).rejects.toThrow('killed');
    expect(await readFormerKeys(pool)).toEqual([new KeyRing(A).first.id]);
    await expect(claimDatabase(pool, new KeyRing(B))).rejects.toThrow(
      /still encrypted with a former key \(id [0-9a-f]{16}\)/,
    );
    await expect(claimDatabase(pool, new KeyRing(A))).rejects.toThrow('SECRETS_KEY is not the key of this database');

    expect(await reseal(both, B)).toMatchObject({ sealed: 1, unreadable: 0 });
    await claimDatabase(pool, new KeyRing(B));
    expect(await new SecretVault(pool, new KeyRing(B)).readSecret(id)).toEqual({ token: '1' });
  });
});

describe('the keys of the history', () => {
  const derived = deriveHistoryKeys(A);

  it('are those of a release that derived them, also if the key is replaced at the same time', async () => {
    const { fingerprint } = new KeyRing(A).first;
    await pool.query(`insert into ops_setting (name, value) values ('secrets_key_fingerprint', $1)`, [fingerprint]);
    expect(await claimDatabase(pool, new KeyRing(B, [A]))).toEqual(derived);
  });

  it('stay the same whatever key seals them', async () => {
    expect(await claimDatabase(pool, new KeyRing(A))).toEqual(derived);
    await reseal(new KeyRing(B, [A]), B);
    expect(await claimDatabase(pool, new KeyRing(B))).toEqual(derived);
    await reseal(new KeyRing(C, [B]), C);
    expect(await claimDatabase(pool, new KeyRing(C))).toEqual(derived);
  });

  it('follow from the oldest key in a new database', async () => {
    expect(await claimDatabase(pool, new KeyRing(C, [B, A]))).toEqual(derived);
  });

  it('are refused if their row was changed', async () => {
    await claimDatabase(pool, new KeyRing(A));
    await pool.query(`update ops_setting set value = 'AAAA' || value where name = 'history_keys'`);
    await expect(claimDatabase(pool, new KeyRing(A))).rejects.toThrow('keys of the history');
  });
});

describe('resealing', () => {
  it('goes on after a kill at each of its statements, beside other processes that store and erase', async () => {
    await claimDatabase(pool, new KeyRing(A));
    const both = new KeyRing(B, [A]);
    const expected = new Map<string, object>();
    const vaults = [new SecretVault(pool, both), new SecretVault(pool, new KeyRing(A, [B]))];
    for (let n = 0; n < 250; n++) {
      const id = `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`;
      if (n % 2 === 0) await storeWithoutKeyId(A, id, { n: String(n) });
      else await vaults[n % 4 === 1 ? 0 : 1]!.storeSecret({ n: String(n) }, 'channel-x', id);
      expected.set(id, { n: String(n) });
    }
    let kills = 0;
    for (let after = 0; ; after++) {
      const dying = dyingPool(after);
      const [outcome] = await Promise.allSettled([
        reseal(both, B, dying.pool),
        ...vaults.map(async (vault, i) => {
          const id = await vault.storeSecret({ n: `${after}/${i}` }, 'channel-x');
          expected.set(id, { n: `${after}/${i}` });
        }),
        (async () => {
          const [id] = expected.keys();
          await vaults[0]!.eraseSecret(id!);
          expected.delete(id!);
        })(),
      ]);
      const fresh = new SecretVault(pool, both);
      for (const [id, secret] of expected) expect([id, await fresh.readSecret(id)]).toEqual([id, secret]);
      if (outcome.status === 'fulfilled') break;
      kills += 1;
    }
    expect(kills).toBeGreaterThan(10);
    await claimDatabase(pool, new KeyRing(B));
    const alone = new SecretVault(pool, new KeyRing(B));
    for (const [id, secret] of expected) expect([id, await alone.readSecret(id)]).toEqual([id, secret]);
    expect(new Set(await keyIds())).toEqual(new Set([new KeyRing(B).first.id]));
  });

  it('leaves nothing under the former key, however stores and the change of the key interleave', async () => {
    await claimDatabase(pool, new KeyRing(A));
    const both = new KeyRing(B, [A]);
    const vaults = Array.from({ length: 4 }, () => new SecretVault(pool, both));
    await vaults[0]!.storeSecret({ n: 'first' }, null);
    for (const [target, ring] of [
      [B, both],
      [A, new KeyRing(A, [B])],
      [B, both],
    ] as const) {
      const storing = vaults.map(async (vault) => {
        for (let n = 0; n < 50; n++) await vault.storeSecret({ n: String(n) }, 'channel-x');
      });
      await reseal(ring, target);
      const { id } = new KeyRing(target).first;
      expect(new Set(await keyIds())).toEqual(new Set([id]));
      await Promise.all(storing);
      expect(new Set(await keyIds())).toEqual(new Set([id]));
    }
  });

  it('waits in a process without the key, and names what no key opens', async () => {
    await claimDatabase(pool, new KeyRing(A));
    await expect(reseal(new KeyRing(A), B)).rejects.toMatchObject({ name: 'Unavailable' });
    const both = new KeyRing(B, [A]);
    await storeWithoutKeyId(C, 'lost', { token: 'x' });
    await storeWithoutKeyId(A, 'kept', { token: 'y' });
    const progress: number[] = [];
    const result = await createResealHandler(pool, both).run(jobFor(B), context({ report: (p) => progress.push(p) }));
    expect(result).toEqual({ key: both.first.id, sealed: 1, unreadable: 1, unreadable_ids: ['lost'] });
    expect(progress[0]).toBe(0);
    expect(progress.at(-1)).toBe(1);
    await claimDatabase(pool, new KeyRing(B));
    await expect(new SecretVault(pool, new KeyRing(B)).readSecret('lost')).rejects.toThrow(UnreadableSecret);
    expect(await new SecretVault(pool, new KeyRing(C)).readSecret('lost')).toEqual({ token: 'x' });
  });

  it('takes an exported secret with the key that sealed it, and seals it with the present one', async () => {
    await claimDatabase(pool, new KeyRing(B));
    await storeWithoutKeyId(A, 'exported', { token: 'x' });
    const [listed] = await new SecretVault(pool, new KeyRing(A)).listSealed('', 1);
    await pool.query('delete from ops_secret');
    await expect(new SecretVault(pool, new KeyRing(B)).storeSealed(listed!)).rejects.toThrow(UnreadableSecret);
    await new SecretVault(pool, new KeyRing(B, [A])).storeSealed(listed!);
    expect(await new SecretVault(pool, new KeyRing(B)).readSecret('exported')).toEqual({ token: 'x' });
  });
});

it('secrets that no key opens are named, until they are replaced', async () => {
  await claimDatabase(pool, new KeyRing(A));
  for (let n = 0; n < 450; n++) await storeWithoutKeyId(n % 150 === 0 ? C : A, `s${n}`, { n });
  const unreadable = new UnreadableSecrets(pool, new KeyRing(A), log);
  expect(await unreadable.describe()).toBeNull();
  unreadable.start();
  const sentence = await until('the secrets are found', () => unreadable.describe());
  expect(sentence).toContain('3 stored secrets, such as s0, s150, s300, cannot be opened');
  await pool.query(`delete from ops_secret where secret_id in ('s0', 's150', 's300')`);
  expect(await unreadable.describe()).toBeNull();
  await unreadable.stop();
});
