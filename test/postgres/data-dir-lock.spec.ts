import { execFileSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { DataDirInUse, lockDataDir } from '../../src/postgres/embedded/cluster.js';
import { newDataDir } from '../support/postgres.js';
import { killSpawned, spawnEmbedded } from './spawn-embedded.js';

describe('the lock on DATA_DIR', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await newDataDir();
  });
  afterEach(() => {
    killSpawned();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('is held by one process, which the error names, until it is released', () => {
    const lock = lockDataDir(dataDir);
    expect(() => lockDataDir(dataDir)).toThrow(DataDirInUse);
    expect(() => lockDataDir(dataDir)).toThrow(`in use by process ${process.pid}. Stop it`);
    lock.release();
    lock.release();
    lockDataDir(dataDir).release();
  });

  it('is not inherited by the programs that its holder starts', () => {
    const lock = lockDataDir(dataDir);
    const orphan = execFileSync('/bin/sh', ['-c', 'sleep 300 >/dev/null 2>&1 & echo $!'], { encoding: 'utf8' });
    lock.release();
    lockDataDir(dataDir).release();
    process.kill(Number(orphan), 'SIGKILL');
  });

  it('is released by a crash', async () => {
    const { child, nextLine, exited } = await spawnEmbedded(dataDir);
    await nextLine();
    expect(() => lockDataDir(dataDir)).toThrow(`in use by process ${child.pid}.`);
    child.kill('SIGKILL');
    await exited;
    lockDataDir(dataDir).release();
  });

  it('uses perl if there is no flock, as on macOS', async () => {
    const programs = join(dataDir, 'programs');
    mkdirSync(programs);
    for (const name of ['perl', 'id', 'chown'])
      symlinkSync(execFileSync('which', [name], { encoding: 'utf8' }).trim(), join(programs, name));
    const first = await spawnEmbedded(dataDir, { PATH: programs });
    expect(await first.nextLine()).toHaveProperty('port');
    expect(() => lockDataDir(dataDir)).toThrow(DataDirInUse);
    const second = await spawnEmbedded(dataDir, { PATH: programs });
    expect(await second.nextLine()).toBeNull();
    expect(await second.stderr).toContain(`in use by process ${first.pid}.`);
    first.child.kill('SIGTERM');
    expect(await first.nextLine()).toEqual({ stopped: true });
  });

  it('reports the missing programs if there is neither flock nor perl', async () => {
    const child = await spawnEmbedded(dataDir, { PATH: '/nowhere' });
    expect(await child.nextLine()).toBeNull();
    expect(await child.stderr).toMatch(/needs the program flock or perl .* set DATABASE_URL/);
    expect(readFileSync(join(dataDir, 'lock'), 'utf8')).toBe('');
  });
});
