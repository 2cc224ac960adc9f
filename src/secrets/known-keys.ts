import type { Pool } from 'pg';
import type { SecretsKey } from './key-ring.js';

/** Namespace of the advisory locks that sessions hold to show that their process has a key. */
const LOCK_CLASS = 7003;

const lockNumber = ({ id }: SecretsKey): number => Buffer.from(id, 'hex').readInt32BE();

/**
 * SQL that a process runs to show that it has a key. Run it in the session that listens for notifications, because each
 * process has exactly one such session.
 */
export const lockKeyStatement = (key: SecretsKey): string =>
  `select pg_advisory_lock_shared(${LOCK_CLASS}, ${lockNumber(key)})`;

/** Returns the sessions, as `<server process id>@<client address>`, of processes that do not have a key. */
export const findSessionsWithoutKey = async (db: Pick<Pool, 'query'>, key: SecretsKey): Promise<readonly string[]> => {
  const { rows } = await db.query<{ session: string }>(
    `select concat(a.pid, '@', coalesce(host(a.client_addr), 'local')) as session from pg_stat_activity a
     where a.datname = current_database() and a.application_name = 'crosspost notifications' and not exists (
       select from pg_locks l where l.pid = a.pid and l.locktype = 'advisory' and l.granted
         and l.database = a.datid and l.classid = ${LOCK_CLASS} and l.objid::bigint = $1)
     order by 1`,
    [Buffer.from(key.id, 'hex').readUInt32BE()],
  );
  return rows.map(({ session }) => session);
};
