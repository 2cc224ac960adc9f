import { execFile } from 'node:child_process';
import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { scene } from './e2e-harness.js';
import { until } from './until.js';

const README = new URL('../../README.md', import.meta.url);
const SECTION = /^## From owner to first post, with curl$(.*?)^## /ms;
/** Where README has the gateway; the test's listens elsewhere. */
const ADDRESS = 'http://127.0.0.1:3000';

/** The shell blocks of the walk-through, one after the other, as they are typed. */
const typed = async (): Promise<string> => {
  const [, section = ''] = SECTION.exec(await readFile(README, 'utf8')) ?? [];
  return [...section.matchAll(/^```sh$(.*?)^```$/gms)].map(([, block]) => block).join('');
};

describe('the walk-through of README.md', () => {
  scene('leads from owner to first post, as it is typed, with curl alone', async (stage) => {
    const folder = await stage.folder();
    const dataDir = await stage.dataDir();
    await symlink(dataDir, join(folder, '.data'));
    const { url } = await stage.demo(dataDir);

    const script = (await typed()).replaceAll(ADDRESS, url);
    const bash = ['--norc', '-euo', 'pipefail', '-c', script]; // fed by a socket, it would read its user’s start file
    const { stdout, stderr } = await promisify(execFile)('bash', bash, { cwd: folder });
    expect(stderr).toBe('');
    const [accepted, post] = stdout.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(accepted).toMatchObject({ ok: true, id: expect.stringMatching(/^post_/) as string, queued_targets: 1 });
    expect(post).toMatchObject({ id: accepted!.id, payload: { text: 'Good morning, harbour' } });

    await until('the post stands on the wall', async () => {
      const walls = await (await fetch(`${url}/walls`)).text();
      return /Good morning<\/(b|strong)>, harbour/.test(walls);
    });
  });
});
