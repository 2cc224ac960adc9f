import type { Client } from 'pg';
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
