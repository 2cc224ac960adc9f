import { Client } from 'pg';
import type { Log } from '../kernel/log.js';
import { SERVER_MESSAGES } from './messages.js';

/** Number of checks; more than one, because a pooler may give a transaction the same session by chance. */
const LOOKS = 3;

/**
 * Detects a pooler in transaction or statement mode in front of the server: behind such a pooler, a client's server
 * session may serve another connection's transaction, or change between statements. A pooler in session mode is not
 * detected, and is allowed (D-54).
 * @returns a human-readable sentence; null if every connection has its own session
 */
export const findTransactionPooler = async (client: Client, connect: () => Promise<Client>): Promise<string | null> => {
  const other = await connect();
  try {
    for (let look = 0; look < LOOKS; look++) {
      const before = await readPid(client);
      await other.query('begin');
      const theirs = await readPid(other);
      // If there is only one session, the pooler would make this query wait for the other client's transaction, so
      // the sessions are compared first.
      const isShared = theirs === before || (await readPid(client)) !== before;
      await other.query('rollback');
      if (isShared) return SERVER_MESSAGES.transactionPooler;
    }
    return null;
  } finally {
    await other.end().catch(() => undefined);
  }
};

const readPid = async (client: Client): Promise<number> =>
  (await client.query<{ pid: number }>('select pg_backend_pid() as pid')).rows[0]!.pid;

/** The server at DATABASE_URL does not meet the requirements (D-54). The message says why and what to do. */
export class UnfitServer extends Error {
  override readonly name = 'UnfitServer';
}

/** Server properties that a process requires. */
export interface ServerRequirements {
  /** Maximum number of connections of the process: DATABASE_POOL. */
  readonly connections: number;
  /** True if DATABASE_POOL is set; false if the number is derived from the roles. */
  readonly isChosen: boolean;
  readonly log: Log;
}

/** Minimum value of DATABASE_POOL. */
const FEWEST_CONNECTIONS = 6;
/** Time limit for a server that accepts a connection but does not respond, in ms. */
const TIMEOUT_MS = 10_000;

interface Facts {
  readonly encoding: string;
  readonly role: string;
  readonly database: string;
  readonly canCreateSchemas: boolean;
  readonly hasPublic: boolean;
  readonly canUsePublic: boolean;
  readonly canCreateTables: boolean;
  readonly currentSchema: string | null;
  /** Null if there are no tables yet. */
  readonly owner: string | null;
  readonly actsAsOwner: boolean | null;
}

interface ConnectionLimit {
  /** Human-readable description of where the limit is set. */
  readonly where: string;
  /** Number of connections that the limit allows this role. */
  readonly most: number;
  /** Current number of connections of all roles, of this role, or to the database. */
  readonly used: number;
}

/**
 * Verifies that a server can be used: session mode, UTF-8, the rights to create schemas and tables, a search_path that
 * starts with public, the rights of the tables' owner, and as many connections as this process may open. Logs a warning
 * if the server allows that many, but other sessions currently leave fewer free. The version is checked before
 * migrations (migrations.ts).
 * @throws UnfitServer
 */
export const checkServer = async (connectionString: string, requirements: ServerRequirements): Promise<void> => {
  const connect = async (): Promise<Client> => {
    const client = new Client({
      connectionString,
      application_name: 'crosspost start',
      connectionTimeoutMillis: TIMEOUT_MS,
      query_timeout: TIMEOUT_MS,
    });
    client.on('error', () => undefined); // a running query fails with the same error
    await client.connect();
    return client;
  };
  const client = await connect();
  try {
    const pooler = await findTransactionPooler(client, connect);
    if (pooler !== null) throw new UnfitServer(pooler);
    const problem = findUnfit(await readFacts(client));
    if (problem !== null) throw new UnfitServer(problem);
    await checkConnections(client, requirements);
  } finally {
    await client.end().catch(() => undefined);
  }
};

const readFacts = async (client: Client): Promise<Facts> => {
  const { rows } = await client.query<Facts>(`
    select pg_encoding_to_char(d.encoding) as encoding, quote_ident(current_user) as role, quote_ident(d.datname) as database,
      has_database_privilege(d.oid, 'create') as "canCreateSchemas", n.oid is not null as "hasPublic",
      coalesce(has_schema_privilege(n.oid, 'usage'), false) as "canUsePublic",
      coalesce(has_schema_privilege(n.oid, 'create'), false) as "canCreateTables", current_schema() as "currentSchema",
      quote_ident(o.rolname) as owner, pg_has_role(o.oid, 'usage') as "actsAsOwner"
    from pg_database d
    left join pg_namespace n on n.nspname = 'public'
    left join pg_class c on c.relname = 'ops_migration' and c.relnamespace = n.oid
    left join pg_roles o on o.oid = c.relowner
    where d.datname = current_database()`);
  return rows[0]!;
};

/** Returns a sentence about the first requirement that the database does not meet; null if it meets them all. */
const findUnfit = (facts: Facts): string | null => {
  const { encoding, role, database, owner } = facts;
  if (encoding !== 'UTF8') return SERVER_MESSAGES.encoding({ encoding, role });
  const missing = [
    ...(facts.canCreateSchemas ? [] : [`GRANT CREATE ON DATABASE ${database} TO ${role};`]),
    ...(facts.hasPublic ? [] : [`CREATE SCHEMA public AUTHORIZATION ${role};`]),
    ...(facts.hasPublic && !(facts.canUsePublic && facts.canCreateTables)
      ? [`GRANT USAGE, CREATE ON SCHEMA public TO ${role};`]
      : []),
  ];
  if (missing.length > 0) return SERVER_MESSAGES.missingRights({ role, database, statements: missing.join('\n  ') });
  if (facts.currentSchema !== 'public')
    return SERVER_MESSAGES.searchPath({ role, database, schema: facts.currentSchema ?? '(none)' });
  if (owner !== null && facts.actsAsOwner !== true) return SERVER_MESSAGES.otherOwner({ role, database, owner });
  return null;
};

/** Reads the limits that apply to the role: a superuser may use all connections of the server. */
const readLimits = async (client: Client): Promise<readonly ConnectionLimit[]> => {
  // A role without special rights sees the database of other roles' sessions, but not their backend type.
  const { rows } = await client.query<ConnectionLimit>(`
    with others as (
      select datname, usename from pg_stat_activity
      where datid is not null and coalesce(backend_type, 'client backend') = 'client backend' and pid <> pg_backend_pid())
    select 'max_connections of the server, less those it reserves' as where,
      current_setting('max_connections')::int - case when r.rolsuper then 0 else
        current_setting('superuser_reserved_connections')::int + coalesce(current_setting('reserved_connections', true)::int, 0) end as most,
      (select count(*)::int from others) as used
    from pg_roles r where r.rolname = current_user
    union all
    select 'CONNECTION LIMIT of the role ' || quote_ident(rolname), rolconnlimit,
      (select count(*)::int from others where usename = rolname)
    from pg_roles where rolname = current_user and rolconnlimit >= 0 and not rolsuper
    union all
    select 'CONNECTION LIMIT of the database ' || quote_ident(datname), datconnlimit,
      (select count(*)::int from others o where o.datname = d.datname)
    from pg_database d join pg_roles r on r.rolname = current_user
    where datname = current_database() and datconnlimit >= 0 and not rolsuper`);
  return rows;
};

const checkConnections = async (client: Client, { connections, isChosen, log }: ServerRequirements): Promise<void> => {
  const limits = await readLimits(client);
  const [strictest] = [...limits].sort((a, b) => a.most - b.most);
  const pool = (isChosen ? SERVER_MESSAGES.pool : SERVER_MESSAGES.poolFromRoles)({ connections });
  if (strictest && strictest.most < connections) {
    const { most, where } = strictest;
    const describe = most < FEWEST_CONNECTIONS ? SERVER_MESSAGES.tooFewConnections : SERVER_MESSAGES.tooManyConnections;
    throw new UnfitServer(describe({ pool, most, where }));
  }
  const [fullest] = [...limits].sort((a, b) => a.most - a.used - (b.most - b.used));
  if (fullest && fullest.most - fullest.used < connections)
    log.warn(
      { limit: fullest.where, most: fullest.most, used: fullest.used, wanted: connections },
      SERVER_MESSAGES.connectionsInUse({ pool }),
    );
};
