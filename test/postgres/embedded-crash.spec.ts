import { execFileSync, spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '../../src/config/logger.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/postgres/embedded.js';
import { shutDown } from '../../src/postgres/embedded/postmaster.js';
import { createPool } from '../../src/postgres/pool.js';
import { newDataDir } from '../support/postgres.js';
import { isAlive, killSpawned, postmasterPid, query, spawnEmbedded, until } from './spawn-embedded.js';

const logger = createLogger({ logLevel: 'silent' });

/** Every process of the server: the postmaster, its children, and the shell and guard beside it. */
const processesOf = (dataDir: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const mine = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(dataDir);
        return mine && pid !== process.pid && !readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('node');
      } catch {
        return false;
      }
    });

describe('the embedded PostgreSQL after a crash', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await newDataDir();
  });
  afterEach(async () => {
    killSpawned();
    await until('no server is left', () => processesOf(dataDir).length === 0);
    await rm(dataDir, { recursive: true, force: true });
  });

  /** Starts anew and finds what was committed before; nothing else is needed to go on. */
  const expectIntact = async (): Promise<void> => {
    const next = await startEmbeddedPostgres({ dataDir, logger });
    try {
      expect(await query(next.connectionString, 'select n from kept')).toEqual([{ n: 42 }]);
    } finally {
      await next.stop();
    }
  };
  const startWithData = async (): Promise<Awaited<ReturnType<typeof spawnEmbedded>>> => {
    const process = await spawnEmbedded(dataDir);
    const line = await process.nextLine();
    await query(line!.connectionString!, 'create table kept as select 42 as n');
    return process;
  };

  it('does not outlive a process that was killed', async () => {
    const { child } = await startWithData();
    const pid = postmasterPid(dataDir);
    child.kill('SIGKILL');
    await until('the server is gone', () => !isAlive(pid));
    await expectIntact();
  });

  it('starts again at once, while the former server may still be shutting down', async () => {
    const { child, exited } = await startWithData();
    const pid = postmasterPid(dataDir);
    child.kill('SIGKILL');
    await exited;
    await expectIntact();
    expect(isAlive(pid)).toBe(false);
  });

  it('is shut down first where it outlived both its process and its guard', async () => {
    const { child, exited } = await startWithData();
    const pid = postmasterPid(dataDir);
    // the guard first, and all in one go: whoever is left would shut the server down
    const shells = processesOf(dataDir).filter((p) => /^(sh|dash|bash)$/.test(commOf(p)));
    execFileSync('kill', ['-9', ...shells.reverse().map(String), String(child.pid)]);
    await exited;
    expect(isAlive(pid)).toBe(true);
    await expectIntact();
    expect(isAlive(pid)).toBe(false);
  });

  it('recovers when its process, the server and all of its children were killed at one stroke', async () => {
    const { child, exited } = await startWithData();
    execFileSync('kill', ['-9', String(child.pid), ...processesOf(dataDir).map(String)]);
    await exited;
    await expectIntact();
  });

  it('recovers when its process and the postmaster alone were killed', async () => {
    const { child, exited } = await startWithData();
    execFileSync('kill', ['-9', String(child.pid), String(postmasterPid(dataDir))]);
    await exited;
    await expectIntact();
  });

  it('is not put off by another program that has been given the dead server’s pid', async () => {
    const { child, exited } = await startWithData();
    const { uid, gid } = statSync(join(dataDir, 'postgres/data'));
    execFileSync('kill', ['-9', String(child.pid), ...processesOf(dataDir).map(String)]);
    await exited;
    const bystander = spawn('sleep', ['60'], process.getuid?.() === 0 ? { uid, gid } : {});
    const file = join(dataDir, 'postgres/data/postmaster.pid');
    await writeFile(file, readFileSync(file, 'utf8').replace(/^\d+/, String(bystander.pid)));
    await expectIntact();
    expect(isAlive(bystander.pid!)).toBe(true);
    bystander.kill('SIGKILL');
  });

  it('survives Ctrl-C, which a terminal sends to the whole process group, until it is stopped', async () => {
    const { child, nextLine, exited } = await startWithData();
    const pid = postmasterPid(dataDir);
    process.kill(-child.pid!, 'SIGINT');
    expect(await nextLine()).toEqual({ interrupted: true });
    await sleep(300);
    expect(isAlive(pid)).toBe(true);
    child.kill('SIGTERM');
    expect(await nextLine()).toEqual({ stopped: true });
    await exited;
    expect(isAlive(pid)).toBe(false);
  });

  it.each(process.env.TEST_LONG ? [0, 20, 50, 100, 150, 200, 250, 300, 400, 500, 600, 700] : [50, 300, 600])(
    'makes its cluster anew when it was killed %i ms into the making',
    async (delay) => {
      await rm(join(dataDir, 'postgres'), { recursive: true });
      const { child, exited } = await spawnEmbedded(dataDir);
      await until('the making begins', () => readdirSync(dataDir).some((name) => name.startsWith('postgres')));
      await sleep(delay);
      child.kill('SIGKILL');
      await exited;
      const next = await startEmbeddedPostgres({ dataDir, logger });
      expect(await query(next.connectionString, 'select count(*)::int as tables from pg_tables')).not.toEqual([]);
      await next.stop();
      expect(readdirSync(dataDir).filter((name) => name !== 'lock')).toEqual(['postgres']);
    },
  );

  it('is killed where it answers to no shutdown', async () => {
    const { child, exited } = await startWithData();
    const pid = postmasterPid(dataDir);
    process.kill(pid, 'SIGSTOP');
    child.kill('SIGKILL');
    await exited;
    await shutDown(pid, join(dataDir, 'postgres/data'), { fastMs: 100, immediateMs: 100 }, logger);
    expect(isAlive(pid)).toBe(false);
    await expectIntact();
  });

  describe('of the server alone', () => {
    let running: EmbeddedPostgres;
    beforeEach(async () => {
      running = await startEmbeddedPostgres({ dataDir, logger });
      await query(running.connectionString, 'create table kept as select 42 as n');
    });
    afterEach(() => running.stop());

    const answers = (): Promise<boolean> =>
      query(running.connectionString, 'select n from kept').then(
        () => true,
        () => false,
      );

    it('starts again on the same port, tells who asked, and pools go on with it', async () => {
      const exits: (number | null)[] = [];
      running.onExit(({ status }) => exits.push(status));
      const pool = createPool(running.connectionString, { max: 4, applicationName: 'crash-spec', logger });
      const borrowed = await pool.connect();
      await pool.query('select 1'); // leaves an idle connection beside the borrowed one
      for (let crash = 1; crash <= 3; crash++) {
        const pid = postmasterPid(dataDir);
        kill(pid);
        await until('the server is another', async () => (await answers()) && postmasterPid(dataDir) !== pid);
      }
      expect(exits).toEqual([137, 137, 137]);
      borrowed.release(true);
      await until('the pool answers', () =>
        pool
          .query('select 1')
          .then(() => true)
          .catch(() => false),
      );
      expect((await pool.query('select n from kept')).rows).toEqual([{ n: 42 }]);
      await pool.end();
    });

    it('starts again when its shell was killed and the server went with it', async () => {
      const pid = postmasterPid(dataDir);
      for (const shell of processesOf(dataDir).filter((p) => isParent(p, pid))) kill(shell);
      await until('the server is another', async () => (await answers()) && postmasterPid(dataDir) !== pid);
    });

    it('can be stopped while it is being started again', async () => {
      kill(postmasterPid(dataDir));
      await running.stop();
    });
  });
});

const kill = (pid: number): void => void process.kill(pid, 'SIGKILL');
const commOf = (pid: number): string => readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
const isParent = (pid: number, child: number): boolean =>
  new RegExp(`^PPid:\\s+${pid}$`, 'm').test(readFileSync(`/proc/${child}/status`, 'utf8'));
