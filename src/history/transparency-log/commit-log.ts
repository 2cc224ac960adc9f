import type { Pool } from 'pg';
import { BEGINNING, type Position } from '../../event-store/port.js';
import { withTransaction } from '../../postgres/pool.js';
import { type LogAppend, type LogHead, LogMoved, LogTables } from './log-tables.js';
import { LOG_MESSAGES } from './messages.js';
import { rootOfEdge, type TreeEdge } from './merkle.js';
import type { CheckpointSigner } from './signed-note.js';

/** Checkpoint of the transparency log, in `ops_checkpoint`. */
export const LOG_CHECKPOINT = 'saga/write-transparency-log';

/** Name and key of the log. */
export interface LogIdentity {
  /** HISTORY_ORIGIN; null: the origin of the log so far, else the one from the base URL. */
  readonly origin: string | null;
  /** Base URL of this process; empty until it is known. */
  readonly baseUrl: string;
  /** Seed of the key that signs, 32 bytes. */
  readonly key: Buffer;
  /** Key of the seals (ADR-143). */
  readonly sealKey: Buffer;
}

/** SQL: a signed head must be durable before anybody reads it, whatever the server's default is. */
const COMMIT_DURABLY = `select set_config('synchronous_commit', 'on', true)
  where current_setting('synchronous_commit') = 'off'`;

/** A batch of the log, to be signed. */
export interface LogBatch extends Pick<LogAppend, 'from' | 'tiles' | 'entries'> {
  /** The tree with the entries. */
  readonly edge: TreeEdge;
  /** Position up to which the log then covers the store. */
  readonly position: Position;
}

/**
 * Signs the head of a batch and writes both in one transaction, which moves the head only from where the caller knows it to be.
 * @throws LogMoved another process has written the log: nothing is committed
 */
export const commitLog = async (
  { pool, identity }: { readonly pool: Pool; readonly identity: Pick<LogIdentity, 'sealKey'> },
  signer: CheckpointSigner,
  { from, tiles, entries, edge, position }: LogBatch,
): Promise<LogHead> => {
  const { origin, vkey } = signer;
  const { size } = edge;
  const to = { size, position, origin, vkey, checkpoint: signer.sign(size, rootOfEdge(edge)) };
  await withTransaction(pool, async (tx) => {
    await tx.query(COMMIT_DURABLY);
    await new LogTables(tx).append({ from, to, tiles, entries }, identity.sealKey);
    const { rowCount } = await tx.query(
      `update ops_checkpoint set position = $3, moved_at = now(), error = null
       where name = $1 and version = 1 and position = $2`,
      [LOG_CHECKPOINT, from?.position ?? BEGINNING, position],
    );
    if (rowCount !== 1) throw new LogMoved(LOG_MESSAGES.movedElsewhere);
  });
  return to;
};

/** Returns the default origin: the base URL without its scheme, and `/history`. An origin has no `+`. */
export const originOf = (baseUrl: string): string =>
  `${baseUrl.replace(/^[a-z]+:\/\//i, '').replaceAll('+', '%2B')}/history`;
