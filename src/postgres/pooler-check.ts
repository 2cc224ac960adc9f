import type { Client } from 'pg';
import { SERVER_MESSAGES } from './messages.js';

/** A pooler may give a transaction the same session by chance; several looks in a row make that unlikely. */
const LOOKS = 3;

/**
 * Finds out whether a pooler in transaction or statement mode stands before the server. While another connection is in a
 * transaction, a session of the server that is not bound to its client serves that transaction or changes. A pooler in session
 * mode is not noticed, and may be there (D-54).
 * @returns a sentence for people; null if every connection has a session of its own
 */
export const findTransactionPooler = async (client: Client, connect: () => Promise<Client>): Promise<string | null> => {
  const other = await connect();
  try {
    for (let look = 0; look < LOOKS; look++) {
      const before = await readPid(client);
      await other.query('begin');
      const theirs = await readPid(other);
      // With a single session the pooler would let this query wait for the other's transaction: so that is compared first.
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
