import { Client } from 'pg';
import { until } from '../e2e/until.js';

/** Runs SQL on a connection of its own. */
export const runSql = async (url: string, sql: string): Promise<void> => {
  const client = new Client({ connectionString: url });
  await client.connect();
  await client.query(sql).finally(() => client.end());
};

/** Splits a database's URL into the URL of the server's own database and the name of the database. */
const splitUrl = (url: string): { readonly server: string; readonly name: string } => {
  const server = new URL(url);
  const name = server.pathname.slice(1);
  server.pathname = '/postgres';
  return { server: String(server), name };
};

/** Ends all sessions in a database, and waits until they are gone. */
const endSessions = async (server: string, name: string): Promise<void> => {
  const client = new Client({ connectionString: server });
  await client.connect();
  try {
    const sessions = 'from pg_stat_activity where datname = $1';
    await client.query(`select pg_terminate_backend(pid) ${sessions}`, [name]);
    await until(`${name} is unused`, async () => (await client.query(`select ${sessions}`, [name])).rows.length === 0);
  } finally {
    await client.end();
  }
};

/** A copy of a database. */
export interface DatabaseBackup {
  /** Replaces the database with the copy, also under the gateways that use it. */
  restore(): Promise<void>;
  drop(): Promise<void>;
}

/** Copies a database. Gateways that use it lose their connections for a moment. */
export const backUpDatabase = async (url: string): Promise<DatabaseBackup> => {
  const { server, name } = splitUrl(url);
  const copy = `${name}_backup_${Date.now().toString(36)}`;
  await runSql(server, `alter database ${name} allow_connections false`);
  await endSessions(server, name);
  await runSql(server, `create database ${copy} template ${name}`);
  await runSql(server, `alter database ${name} allow_connections true`);
  return {
    async restore() {
      const restored = `${name}_restored`;
      await runSql(server, `create database ${restored} template ${copy}`);
      await runSql(server, `drop database ${name} with (force)`);
      await runSql(server, `alter database ${restored} rename to ${name}`);
      await runSql(server, `alter database ${name} allow_connections true`);
    },
    drop: () => runSql(server, `drop database ${copy} with (force)`),
  };
};
