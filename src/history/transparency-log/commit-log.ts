import type { Pool } from 'pg';
import { BEGINNING, type Position } from '../../event-store/port.js';
import { withTransaction } from '../../postgres/pool.js';
import { LOG_CHECKPOINT, type LogAppend, type LogHead, type LogIdentity, LogMoved, LogTables } from './log-tables.js';
import { rootOfEdge, type TreeEdge } from './merkle.js';
import { LOG_MESSAGES } from './messages.js';
import type { PublishedCheckpoints } from './published-checkpoint.js';
import type { CurrentLog } from './transparency-log.js';

/** Turns synchronous commit on if the server's default is off: a signed head must be durable before it can be read. */
export const COMMIT_DURABLY = `select set_config('synchronous_commit', 'on', true)
  where current_setting('synchronous_commit') = 'off'`;

/** Dependencies of {@link commitLog}. */
export interface LogSink {
  readonly pool: Pool;
  readonly identity: Pick<LogIdentity, 'sealKey'>;
  readonly published: Pick<PublishedCheckpoints, 'announce'>;
}

/** A batch of log entries to sign. */
export interface LogBatch extends Pick<LogAppend, 'from' | 'tiles' | 'entries'> {
  /** The tree including the entries. */
  readonly edge: TreeEdge;
  /** Position up to which the log covers the store after this batch. */
  readonly position: Position;
  /** Position of the last event that has an entry; null if there is none. */
  readonly lastEvent: Position | null;
}

/**
 * Signs a batch's head and writes both in one transaction. Records the head outside the database before it can be read,
 * so that a database restored from a backup cannot contradict it.
 * @throws LogMoved if another process has written the log: nothing is committed @throws Unavailable
 */
export const commitLog = async (
  { pool, identity, published }: LogSink,
  { signer, suffix, ended }: CurrentLog,
  { from, tiles, entries, edge, position, lastEvent }: LogBatch,
): Promise<LogHead> => {
  const { origin, vkey } = signer;
  const { size } = edge;
  const to = { size, position, origin, vkey, checkpoint: signer.sign(size, rootOfEdge(edge)) };
  const checkpoint = to.checkpoint === from?.checkpoint ? null : to.checkpoint;
  // The empty tree contradicts no other tree.
  const announced =
    size === 0 || checkpoint === null
      ? null
      : { suffix, vkey, checkpoint, position: String(lastEvent ?? BEGINNING), ended };
  await withTransaction(pool, async (tx) => {
    await tx.query(COMMIT_DURABLY);
    await new LogTables(tx).append({ from, to, tiles, entries }, identity.sealKey);
    const { rowCount } = await tx.query(
      `update ops_checkpoint set position = $3, moved_at = now(), error = null
       where name = $1 and version = 1 and position = $2`,
      [LOG_CHECKPOINT, from?.position ?? BEGINNING, position],
    );
    if (rowCount !== 1) throw new LogMoved(LOG_MESSAGES.movedElsewhere);
    if (announced) await published.announce(announced);
  });
  return to;
};
