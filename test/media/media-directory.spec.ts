import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, rm, utimes, writeFile } from 'node:fs/promises';
import { hostname, tmpdir } from 'node:os';
import { join } from 'node:path';
import { openMediaDirectory } from '../../src/media/disk-cache.js';

let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'crosspost-directory-'));
});
afterEach(() => rm(parent, { recursive: true }));

const OWN = `${hostname()}_${process.pid}`;
/** Makes a folder with a file in it. */
const left = async (name: string, minutesAgo = 0): Promise<string> => {
  const path = join(parent, name);
  await mkdir(path);
  await writeFile(join(path, 'file'), 'x');
  const at = new Date(Date.now() - minutesAgo * 60_000);
  await utimes(path, at, at);
  return path;
};
const deadPid = (): number => spawnSync(process.execPath, ['--version']).pid;

it('is created if missing, and removed when closed', async () => {
  const { path, capacityBytes, close } = await openMediaDirectory(join(parent, 'new', 'media'));
  expect(existsSync(path)).toBe(true);
  expect(capacityBytes).toBeGreaterThan(0);
  await close();
  expect(existsSync(path)).toBe(false);
});

describe('folders of killed processes are removed at the next start', () => {
  it.each([
    ['of this very name', () => left(OWN)],
    ['of a process of this machine that is dead', () => left(`${hostname()}_${deadPid()}`)],
    ['of another machine, without a sign of life for long', () => left('elsewhere_1', 25)],
    ['of a process that was given a dead one’s number', () => left(`${hostname()}_${process.ppid}`, 25)],
  ])('%s', async (_, leave) => {
    const path = await leave();
    const { close } = await openMediaDirectory(parent);
    expect(existsSync(join(path, 'file'))).toBe(false);
    await close();
  });
});

it('two gateways of one process that start and stop at the same time keep theirs', async () => {
  const open = () => Promise.all(Array.from({ length: 20 }, () => openMediaDirectory(parent)));
  const directories = await open();
  expect(new Set(directories.map(({ path }) => path)).size).toBe(20);
  const [more] = await Promise.all([open(), ...directories.slice(1).map(({ close }) => close())]);
  for (const { path } of [directories[0]!, ...more]) expect(existsSync(path)).toBe(true);
});

describe('folders that may be in use are kept', () => {
  it.each([
    ['of a living process of this machine', () => left(`${hostname()}_${process.ppid}`)],
    ['of another machine', () => left('elsewhere_1', 10)],
    ['of another program', () => left('notes', 100)],
  ])('%s', async (_, leave) => {
    const path = await leave();
    const { close } = await openMediaDirectory(parent);
    expect(existsSync(join(path, 'file'))).toBe(true);
    await close();
  });
});

it('an unusable place is reported at the start', async () => {
  await writeFile(join(parent, 'file'), '');
  await expect(openMediaDirectory(join(parent, 'file'))).rejects.toThrow(
    'DATA_DIR must be a folder that this user can write to',
  );
});
