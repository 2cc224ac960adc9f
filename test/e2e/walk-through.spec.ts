import { execFile } from 'node:child_process';
import { readFile, symlink } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { e2eTest } from './e2e-harness.js';
import { until } from './until.js';

const README = new URL('../../README.md', import.meta.url);
const SECTION = /^## From owner to first post, with curl$(.*?)^## /ms;
/** Address of the gateway in the README; the test's gateway has another. */
const ADDRESS = 'http://127.0.0.1:3000';

/** Returns the shell blocks of the walk-through, joined, as a reader types them. */
const readCommands = async (): Promise<string> => {
  const [, section = ''] = SECTION.exec(await readFile(README, 'utf8')) ?? [];
  return [...section.matchAll(/^```sh$(.*?)^```$/gms)].map(([, block]) => block).join('');
};

describe('the walk-through of README.md', () => {
  e2eTest('leads from an owner to the first post, as typed, with curl alone', async (harness) => {
    const folder = await harness.createFolder();
    const dataDir = await harness.createDataDir();
    await symlink(dataDir, join(folder, '.data'));
    const { url } = await harness.startDemo(dataDir);

    const script = (await readCommands()).replaceAll(ADDRESS, url);
    const bash = ['--norc', '-euo', 'pipefail', '-c', script]; // without --norc, bash runs the user’s startup file if its input is a socket
    const { stdout, stderr } = await promisify(execFile)('bash', bash, { cwd: folder });
    expect(stderr).toBe('');
    const [accepted, post] = stdout.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
    expect(accepted).toMatchObject({ ok: true, id: expect.stringMatching(/^post_/) as string, queued_targets: 1 });
    expect(post).toMatchObject({ id: accepted!.id, payload: { text: 'Good morning, harbour' } });

    await until('the post is on the wall', async () => {
      const walls = await (await fetch(`${url}/walls`)).text();
      return /Good morning<\/(b|strong)>, harbour/.test(walls);
    });
  });
});
