import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { completeKeys } from '../../src/config/generated-keys.js';

describe('generated keys', () => {
  let dataDir: string;
  let file: string;
  beforeEach(() => {
    dataDir = join(mkdtempSync(join(tmpdir(), 'keys-')), 'data');
    file = join(dataDir, 'keys.json');
  });
  afterEach(() => rmSync(join(dataDir, '..'), { recursive: true }));

  const settings = (given: { operatorKey?: string; secretsKey?: Buffer } = {}): Parameters<typeof completeKeys>[0] => ({
    dataDir,
    brand: 'acme',
    operatorKey: given.operatorKey ?? null,
    secretsKey: given.secretsKey ?? null,
  });

  it('are generated once, stored for the next start, and readable only by their owner', async () => {
    const first = await completeKeys(settings());
    expect(first.operatorKey).toMatch(/^acme_operator_[\w-]{43}$/);
    expect(first.secretsKey).toHaveLength(32);
    expect(first.operatorKeyGenerated).toBe('now');
    expect(await completeKeys(settings())).toEqual({ ...first, operatorKeyGenerated: 'before' });
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(readdirSync(dataDir)).toEqual(['keys.json']);
  });

  it('are not generated if both are set', async () => {
    const given = { operatorKey: 'mine', secretsKey: Buffer.alloc(32, 1) };
    expect(await completeKeys(settings(given))).toEqual({ ...given, operatorKeyGenerated: null });
    expect(() => statSync(dataDir)).toThrow('ENOENT');
  });

  it('are generated only if they are not set, and added when they are needed later', async () => {
    const secretsKey = Buffer.alloc(32, 1);
    const first = await completeKeys(settings({ secretsKey }));
    expect(first.secretsKey).toEqual(secretsKey);
    expect(Object.keys(JSON.parse(readFileSync(file, 'utf8')))).toEqual(['OPERATOR_KEY']);
    const second = await completeKeys(settings());
    expect(second.operatorKey).toBe(first.operatorKey);
    expect([first, second].map(({ operatorKeyGenerated }) => operatorKeyGenerated)).toEqual(['now', 'before']);
    expect(second.secretsKey).not.toEqual(secretsKey);
    expect((await completeKeys(settings())).secretsKey).toEqual(second.secretsKey);
    expect(await completeKeys(settings({ operatorKey: 'mine' }))).toMatchObject({
      operatorKey: 'mine',
      operatorKeyGenerated: null,
    });
  });

  it('give all processes of a database the same operator key in any folder, because it is derived from SECRETS_KEY', async () => {
    const secretsKey = Buffer.alloc(32, 1);
    const elsewhere = { ...settings({ secretsKey }), dataDir: join(dataDir, '..', 'other') };
    const { operatorKey } = await completeKeys(settings({ secretsKey }));
    expect(operatorKey).toMatch(/^acme_operator_[\w-]{43}$/);
    expect((await completeKeys(elsewhere)).operatorKey).toBe(operatorKey);
    const another = { ...settings({ secretsKey: Buffer.alloc(32, 2) }), dataDir: join(dataDir, '..', 'another') };
    expect((await completeKeys(another)).operatorKey).not.toBe(operatorKey);
  });

  it('are the same for all processes that start at once', async () => {
    const all = await Promise.all(Array.from({ length: 20 }, () => completeKeys(settings())));
    expect(new Set(all.map(({ operatorKey }) => operatorKey)).size).toBe(1);
    expect(new Set(all.map(({ secretsKey }) => secretsKey.toString('hex'))).size).toBe(1);
    expect(readdirSync(dataDir)).toEqual(['keys.json']);
  });

  it('are readable only by their owner in each file that is written, whatever the umask', async () => {
    const umask = process.umask(0);
    try {
      await completeKeys(settings({ secretsKey: Buffer.alloc(32, 1) }));
      expect(statSync(file).mode & 0o777).toBe(0o600);
      chmodSync(file, 0o666);
      // The second key replaces the file; the new one has the mode that it was created with.
      await completeKeys(settings());
      expect(statSync(file).mode & 0o777).toBe(0o600);
      await completeKeys(settings());
      expect(statSync(file).mode & 0o777).toBe(0o600);
      expect(readdirSync(dataDir)).toEqual(['keys.json']);
    } finally {
      process.umask(umask);
    }
  });

  it('are made private again if the file’s mode was widened', async () => {
    await completeKeys(settings());
    chmodSync(file, 0o644);
    await completeKeys(settings());
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it.each(['', '{"OPERATOR_KEY":"x"', '[]x', '{"SECRETS_KEY":"short"}', '{"OPERATOR_KEY":5}', 'null'])(
    'are never replaced if the file is damaged (%p)',
    async (content) => {
      await completeKeys(settings());
      writeFileSync(file, content);
      await expect(completeKeys(settings())).rejects.toThrow(`${file} is damaged`);
      expect(readFileSync(file, 'utf8')).toBe(content);
    },
  );

  it('report the file that cannot be written', async () => {
    writeFileSync(dataDir, 'a file in the way');
    await expect(completeKeys(settings())).rejects.toThrow(
      /cannot be stored in .*keys\.json \(E\w+\)\. Make DATA_DIR a folder/,
    );
  });
});
