import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { makeVideo } from '../../media/make-videos.js';
import { NETWORK_NAMES, type NetworkName, NETWORKS } from '../wire/networks.js';
import { RECORDED, spoil } from './recording.js';

const ROOT = fileURLToPath(new URL('../../../', import.meta.url));

let folder: string;
beforeAll(async () => void (folder = await mkdtemp(join(tmpdir(), 'crosspost-record-program-'))));
afterAll(() => rm(folder, { recursive: true }));

/** Runs `npm run networks:record` with these variables and no others of its own. */
const record = (variables: Readonly<Record<string, string>>): Promise<string> =>
  new Promise((resolve, reject) => {
    const env = { PATH: process.env['PATH'], RECORD_FOLDER: join(folder, 'fixtures'), ...variables };
    const program = ['--import', './test/support/typescript-loader.js', 'test/platforms/recorded/main.ts'];
    execFile(process.execPath, program, { cwd: ROOT, env }, (error, stdout, stderr) =>
      error ? reject(new Error(`${stdout}${stderr}`)) : resolve(stdout),
    );
  });

/** Makes a stand-in refuse the wrong tokens that the program sends. */
const refuseWrong = (network: NetworkName, token: string): object => {
  if (network === 'vk') return { token, kind: 'revoked' };
  return network === 'ok' ? { token, state: 'unknown' } : { token, revoked: true };
};

describe('npm run networks:record', () => {
  it('names the variables that a network lacks, and skips it', async () => {
    const lines = await record({ RECORD_TELEGRAM_BOT_TOKEN: '1:x', RECORD_OK_GROUP_ID: '70' });
    expect(lines.trimEnd().split('\n')).toEqual([
      'telegram: skipped, because RECORD_TELEGRAM_CHAT_ID is not set.',
      'vk: skipped, because RECORD_VK_ACCESS_TOKEN, RECORD_VK_GROUP_ID is not set.',
      'max: skipped, because RECORD_MAX_ACCESS_TOKEN, RECORD_MAX_CHAT_ID is not set.',
      'ok: skipped, because RECORD_OK_APPLICATION_KEY, RECORD_OK_APPLICATION_SECRET, RECORD_OK_ACCESS_TOKEN is not set.',
      'Nothing was recorded: see docs/real-networks.md.',
    ]);
  });

  it('records stand-ins in place of the networks, without secrets, and finds them equal to themselves', async () => {
    const video = join(folder, 'clip.mp4');
    await writeFile(video, makeVideo({ seconds: 3 }));
    const variables: Record<string, string> = { RECORD_VIDEO: video };
    const secrets: string[] = [];
    const stops: (() => Promise<void>)[] = [];
    try {
      for (const name of NETWORK_NAMES) {
        const { start, address, credentials } = NETWORKS[name];
        const standIn = await start();
        stops.push(standIn.stop);
        variables[`${name.toUpperCase()}_API_URL`] = standIn.url;
        const { uploads: _, ...place } = address as Record<string, string>;
        for (const [key, value] of Object.entries({ ...credentials, ...place }))
          variables[`RECORD_${name}_${key}`.toUpperCase()] = value;
        secrets.push(...Object.values<string>(credentials));
        for (const [key, token] of Object.entries(spoil(credentials)))
          if (key.endsWith('token')) await standIn.control.request('POST', 'tokens', refuseWrong(name, token));
      }
      const output = await record(variables);
      expect(output).toContain('No answer differs from the stand-ins.\n');
      for (const name of NETWORK_NAMES) {
        const files = await readdir(join(folder, 'fixtures', name));
        expect(files.sort()).toEqual(RECORDED.map((one) => `${one}.json`).sort());
        for (const file of files) {
          const text = await readFile(join(folder, 'fixtures', name, file), 'utf8');
          for (const secret of secrets) expect(text).not.toContain(secret);
          expect(JSON.parse(text)).toMatchObject({
            network: name,
            ends: expect.stringMatching(file.includes('wrong') ? /failed/ : /^done$|rights passed/),
          });
        }
      }
    } finally {
      for (const stop of stops) await stop();
    }
  });
});
