import { execFileSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { chown, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createLogger } from '../../src/config/logger.js';
import { chooseRunAs, CURRENT_USER, findUnprivilegedAccount } from '../../src/postgres/embedded/run-as.js';
import { startServer } from '../../src/postgres/embedded/server.js';
import { freePort } from './free-port.js';

const FOLDER = '/usr/lib/postgresql';

/** Folder of the newest PostgreSQL of Debian, with its server and its tools; null if none is installed. */
export const SYSTEM_POSTGRES: string | null =
  (existsSync(FOLDER) ? readdirSync(FOLDER) : [])
    .toSorted((a, b) => Number(b) - Number(a))
    .map((version) => join(FOLDER, version, 'bin'))
    .find((bin) =>
      ['initdb', 'postgres', 'pg_dump', 'pg_restore', 'createdb'].every((tool) => existsSync(join(bin, tool))),
    ) ?? null;

/** A PostgreSQL of Debian. The tools of a release refuse newer servers, such as the embedded one. */
interface SystemPostgres {
  /** URL of its maintenance database. */
  readonly url: string;
  readonly stop: () => Promise<void>;
}

/** Starts a server of its own. @param bin see {@link SYSTEM_POSTGRES} */
export const startSystemPostgres = async (bin: string): Promise<SystemPostgres> => {
  const logger = createLogger({ logLevel: 'error' });
  const folder = await mkdtemp(join(tmpdir(), 'crosspost-system-postgres-'));
  const postgres = join(bin, 'postgres');
  const account = process.getuid?.() === 0 ? findUnprivilegedAccount() : null;
  if (account) await chown(folder, account.uid, account.gid);
  const runAs = account ? chooseRunAs(account, postgres, folder, logger) : CURRENT_USER;
  const data = join(folder, 'data');
  const [command = '', ...args] = [
    ...runAs.prefix,
    join(bin, 'initdb'),
    ...['--pgdata', data, '--username=postgres', '--auth=trust', '--encoding=UTF8', '--locale=C', '--no-sync'],
  ];
  execFileSync(command, args, { ...runAs.options, stdio: 'ignore' });
  const port = await freePort();
  const settings = { fsync: 'off', shared_buffers: '64MB' };
  const server = startServer({ binaries: { initdb: '', postgres }, runAs, data, port, settings, logger });
  await server.ready;
  return {
    url: `postgresql://postgres@127.0.0.1:${port}/postgres`,
    stop: async () => {
      await server.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 3 });
    },
  };
};
