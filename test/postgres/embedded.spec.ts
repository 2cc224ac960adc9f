import { execFileSync } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { chmod, mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { createLogger } from '../../src/config/logger.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from '../../src/postgres/embedded.js';
import { newDataDir } from '../support/postgres.js';
import { emptyDataDir, isAlive, killSpawned, postmasterPid, query, spawnEmbedded } from './spawn-embedded.js';

const logger = createLogger({ logLevel: 'silent' });

describe('the embedded PostgreSQL', () => {
  let dataDir: string;
  beforeEach(async () => {
    dataDir = await emptyDataDir();
  });
  afterEach(async () => {
    killSpawned();
    await rm(dataDir, { recursive: true, force: true });
  });

  describe('while it runs', () => {
    let running: EmbeddedPostgres;
    beforeEach(async () => {
      await rm(dataDir, { recursive: true });
      dataDir = await newDataDir();
      running = await startEmbeddedPostgres({ dataDir, logger });
    });
    afterEach(() => running.stop());

    it('is PostgreSQL 18, durable, in UTF-8 and UTC, with checksums and the built-in collation', async () => {
      const names =
        'server_encoding data_checksums fsync synchronous_commit full_page_writes TimeZone listen_addresses';
      const columns = names.split(' ').map((name) => `current_setting('${name}') as "${name}"`);
      const [row] = await query(
        running.connectionString,
        `select ${columns.join()}, current_setting('server_version_num')::int / 10000 as major, datlocprovider, datlocale
         from pg_database where datname = current_database()`,
      );
      expect(row).toEqual({
        server_encoding: 'UTF8',
        data_checksums: 'on',
        fsync: 'on',
        synchronous_commit: 'on',
        full_page_writes: 'on',
        TimeZone: 'UTC',
        listen_addresses: '127.0.0.1',
        major: 18,
        datlocprovider: 'b',
        datlocale: 'C.UTF-8',
      });
    });

    it('requires its password, which only its owner can read', async () => {
      const wrong = running.connectionString.replace(/:[^:@]+@/, ':guess@');
      await expect(query(wrong, 'select 1')).rejects.toMatchObject({ code: '28P01' });
      expect(statSync(join(dataDir, 'postgres/password')).mode & 0o777).toBe(0o600);
      expect(statSync(join(dataDir, 'postgres')).mode & 0o777).toBe(0o700);
    });

    it('rejects a second process on its DATA_DIR, with a sentence that says what to do', async () => {
      const second = await spawnEmbedded(dataDir);
      expect(await second.nextLine()).toBeNull();
      expect(await second.stderr).toBe(
        `DATA_DIR ${dataDir} is in use by process ${process.pid}. Stop it, set DATA_DIR to another folder, or share one database between processes with DATABASE_URL.\n`,
      );
      expect(await query(running.connectionString, 'select 1 as one')).toEqual([{ one: 1 }]);
    });

    it('rejects a second start in the same process', async () => {
      await expect(startEmbeddedPostgres({ dataDir, logger })).rejects.toThrow(`in use by process ${process.pid}`);
    });

    it('can be stopped twice, and leaves nothing running', async () => {
      const pid = postmasterPid(dataDir);
      await Promise.all([running.stop(), running.stop()]);
      expect(isAlive(pid)).toBe(false);
      const again = await startEmbeddedPostgres({ dataDir, logger });
      await again.stop();
    });
  });

  it('keeps data and password over a restart, even if another program has its former port', async () => {
    const first = await startEmbeddedPostgres({ dataDir, logger });
    await query(first.connectionString, 'create table kept as select 42 as n');
    await first.stop();
    const otherProgram = await listen(first.port);
    const second = await startEmbeddedPostgres({ dataDir, logger });
    expect(second.port).not.toBe(first.port);
    expect(new URL(second.connectionString).password).toBe(new URL(first.connectionString).password);
    expect(await query(second.connectionString, 'select n from kept')).toEqual([{ n: 42 }]);
    await second.stop();
    otherProgram.close();
  });

  it('accepts data that root has copied, e.g. from a backup', async () => {
    await rm(dataDir, { recursive: true });
    dataDir = await newDataDir();
    const copied = join(dataDir, 'copied');
    execFileSync('cp', ['-R', join(dataDir, 'postgres'), copied]); // owned by the user who runs the test
    const restored = join(dataDir, 'restored');
    await mkdir(restored);
    await rename(copied, join(restored, 'postgres'));
    const running = await startEmbeddedPostgres({ dataDir: restored, logger });
    expect(await query(running.connectionString, 'select 1 as one')).toEqual([{ one: 1 }]);
    await running.stop();
  });

  it('ignores the locale, home and PostgreSQL variables of its caller', async () => {
    const child = await spawnEmbedded(dataDir, {
      PATH: '/usr/bin:/bin',
      LC_ALL: 'xx_XX',
      PGPORT: '1',
      PGDATA: '/nowhere',
    });
    const line = await child.nextLine();
    expect(await query(line!.connectionString!, 'select 1 as one')).toEqual([{ one: 1 }]);
    child.child.kill('SIGTERM');
    expect(await child.nextLine()).toEqual({ stopped: true });
    await child.exited;
  });

  it('works in a folder whose parents are closed to other users, under any user', async () => {
    await chmod(dataDir, 0o700);
    const inside = join(dataDir, 'a', 'b');
    const running = await startEmbeddedPostgres({ dataDir: inside, logger });
    expect(await query(running.connectionString, 'select 1 as one')).toEqual([{ one: 1 }]);
    const pid = postmasterPid(inside);
    await running.stop();
    expect(isAlive(pid)).toBe(false);
  });

  it('names the file if DATA_DIR is not a folder', async () => {
    const file = join(dataDir, 'file');
    await writeFile(file, '');
    await expect(startEmbeddedPostgres({ dataDir: file, logger })).rejects.toThrow(`DATA_DIR ${file} cannot be used`);
  });

  it('rejects data of another major version, and changes nothing', async () => {
    const data = join(dataDir, 'postgres/data');
    await mkdir(data, { recursive: true });
    await writeFile(join(data, 'PG_VERSION'), '17\n');
    await expect(startEmbeddedPostgres({ dataDir, logger })).rejects.toThrow(
      /created by PostgreSQL 17.*contains version 18/,
    );
    expect(readFileSync(join(data, 'PG_VERSION'), 'utf8')).toBe('17\n');
  });
});

const listen = (port: number): Promise<Server> =>
  new Promise((resolve, reject) => {
    const server = createServer()
      .once('error', reject)
      .listen(port, '127.0.0.1', () => resolve(server));
  });
