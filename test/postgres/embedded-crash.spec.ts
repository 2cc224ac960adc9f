import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, statSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '../../src/config/logger.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/postgres/embedded.js';
import { shutDownServer } from '../../src/postgres/embedded/postmaster.js';
import { createPool } from '../../src/postgres/pool.js';
import { newDataDir } from '../support/postgres.js';
import { isAlive, killSpawned, killTogether, postmasterPid, query, spawnEmbedded, until } from './spawn-embedded.js';

const logger = createLogger({ logLevel: 'silent' });

/** Finds all processes of the server: the postmaster, its children, the shell and the guard. */
const findProcesses = (dataDir: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        const isOfServer = readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(dataDir);
        return isOfServer && pid !== process.pid && !readFileSync(`/proc/${pid}/comm`, 'utf8').startsWith('node');
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
    await until('no server is left', () => findProcesses(dataDir).length === 0);
    await rm(dataDir, { recursive: true, force: true });
  });

  /** Starts the server again and checks that committed data are there. A restart must need nothing else. */
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

  it('ends with its process when that is killed', async () => {
    const { child } = await startWithData();
    const pid = postmasterPid(dataDir);
    child.kill('SIGKILL');
    await until('the server has ended', () => !isAlive(pid));
    await expectIntact();
  });

  it('starts again at once, even while the former server is shutting down', async () => {
    const { child, exited } = await startWithData();
    const pid = postmasterPid(dataDir);
    child.kill('SIGKILL');
    await exited;
    await expectIntact();
    expect(isAlive(pid)).toBe(false);
  });

  it('is shut down first if it outlived both its process and its guard', async () => {
    const spawned = await startWithData();
    const pid = postmasterPid(dataDir);
    const shells = findProcesses(dataDir).filter((p) => /^(sh|dash|bash)$/.test(commOf(p)));
    await killTogether(spawned, shells.reverse()); // the guard before the shell
    await spawned.exited;
    expect(isAlive(pid)).toBe(true);
    await expectIntact();
    expect(isAlive(pid)).toBe(false);
  });

  it('recovers when its process, the server and all its children were killed at once', async () => {
    const spawned = await startWithData();
    await killTogether(spawned, findProcesses(dataDir));
    await spawned.exited;
    await expectIntact();
  });

  it('recovers when only its process and the postmaster were killed', async () => {
    const spawned = await startWithData();
    await killTogether(spawned, [postmasterPid(dataDir)]);
    await spawned.exited;
    await expectIntact();
  });

  it('starts even if another program has the dead server’s pid', async () => {
    const spawned = await startWithData();
    const { uid, gid } = statSync(join(dataDir, 'postgres/data'));
    await killTogether(spawned, findProcesses(dataDir));
    await spawned.exited;
    const otherProgram = spawn('sleep', ['600'], process.getuid?.() === 0 ? { uid, gid } : {});
    const file = join(dataDir, 'postgres/data/postmaster.pid');
    await writeFile(file, readFileSync(file, 'utf8').replace(/^\d+/, String(otherProgram.pid)));
    await expectIntact();
    expect(isAlive(otherProgram.pid!)).toBe(true);
    otherProgram.kill('SIGKILL');
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
    'creates its cluster again when it was killed %i ms after it began',
    async (delay) => {
      await rm(join(dataDir, 'postgres'), { recursive: true });
      const { child, exited } = await spawnEmbedded(dataDir);
      await until('the creation of the cluster begins', () =>
        readdirSync(dataDir).some((name) => name.startsWith('postgres')),
      );
      await sleep(delay);
      child.kill('SIGKILL');
      await exited;
      const next = await startEmbeddedPostgres({ dataDir, logger });
      expect(await query(next.connectionString, 'select count(*)::int as tables from pg_tables')).not.toEqual([]);
      await next.stop();
      expect(readdirSync(dataDir).filter((name) => name !== 'lock')).toEqual(['postgres']);
    },
  );

  it('is killed if it does not respond to a shutdown', async () => {
    const { child, exited } = await startWithData();
    const pid = postmasterPid(dataDir);
    process.kill(pid, 'SIGSTOP');
    child.kill('SIGKILL');
    await exited;
    await shutDownServer(pid, join(dataDir, 'postgres/data'), { fastMs: 100, immediateMs: 100 }, logger);
    expect(isAlive(pid)).toBe(false);
    await expectIntact();
  });

  describe('of the server only', () => {
    let running: EmbeddedPostgres;
    beforeEach(async () => {
      running = await startEmbeddedPostgres({ dataDir, logger });
      await query(running.connectionString, 'create table kept as select 42 as n');
    });
    afterEach(() => running.stop());

    const isResponding = (): Promise<boolean> =>
      query(running.connectionString, 'select n from kept').then(
        () => true,
        () => false,
      );

    it('restarts on the same port, calls the listeners, and pools continue with it', async () => {
      const exits: (number | null)[] = [];
      running.onExit(({ status }) => exits.push(status));
      const pool = createPool(running.connectionString, { max: 4, applicationName: 'crash-spec', logger });
      const borrowed = await pool.connect();
      await pool.query('select 1'); // leaves an idle connection beside the one in use
      for (let crash = 1; crash <= 3; crash++) {
        const pid = postmasterPid(dataDir);
        kill(pid);
        await until('there is a new server', async () => (await isResponding()) && postmasterPid(dataDir) !== pid);
      }
      expect(exits).toEqual([137, 137, 137]);
      borrowed.release(true);
      await until('the pool works again', () =>
        pool
          .query('select 1')
          .then(() => true)
          .catch(() => false),
      );
      expect((await pool.query('select n from kept')).rows).toEqual([{ n: 42 }]);
      await pool.end();
    });

    it('restarts when its shell was killed, which ended the server', async () => {
      const pid = postmasterPid(dataDir);
      for (const shell of findProcesses(dataDir).filter((p) => isParent(p, pid))) kill(shell);
      await until('there is a new server', async () => (await isResponding()) && postmasterPid(dataDir) !== pid);
    });

    it('can be stopped while it is restarting', async () => {
      kill(postmasterPid(dataDir));
      await running.stop();
    });
  });
});

const kill = (pid: number): void => void process.kill(pid, 'SIGKILL');
const commOf = (pid: number): string => readFileSync(`/proc/${pid}/comm`, 'utf8').trim();
const isParent = (pid: number, child: number): boolean =>
  new RegExp(`^PPid:\\s+${pid}$`, 'm').test(readFileSync(`/proc/${child}/status`, 'utf8'));
