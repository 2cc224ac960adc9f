import { randomBytes } from 'node:crypto';
import type { Pool } from 'pg';
import { iso } from '../../kernel/clock.js';
import { ENDED_LOG_STREAM, type EndedLog, EndedLogTable, type EndReason, headOfEnded } from './ended-logs.js';
import { serializeEntry } from './entry.js';
import { LOG_CHECKPOINT, type LogIdentity, originOf } from './log-identity.js';
import { CheckpointSigner, deriveKeyOfLog, openCheckpoint } from './published-checkpoint.js';

/** The log that is being written. */
export interface CurrentLog {
  readonly signer: CheckpointSigner;
  /** Suffix of its origin; empty for the first log. */
  readonly suffix: string;
  /** Logs that have ended, in order. */
  readonly ended: readonly EndedLog[];
}

/** A log, as described by its newest known checkpoint. */
export interface KnownLog {
  readonly vkey: string;
  readonly checkpoint: string;
  readonly suffix: string;
}

/** Returns the log that is being written. @param head its newest checkpoint, if any */
export const createCurrentLog = (
  identity: LogIdentity,
  head: { readonly origin: string } | null,
  ended: readonly EndedLog[],
): CurrentLog => {
  const last = ended.at(-1);
  const suffix = last?.next_suffix ?? '';
  const base =
    identity.origin ??
    (head && withoutSuffix(head.origin, suffix)) ??
    (last && withoutSuffix(last.origin, last.suffix)) ??
    originOf(identity.baseUrl);
  return { signer: createSigner(identity, base, suffix), suffix, ended };
};

/** Returns the first entries of a log: the heads of the logs that had ended when it began. */
export const firstEntries = ({ ended, suffix }: CurrentLog): readonly Buffer[] =>
  ended
    .filter(({ next_suffix }) => next_suffix === suffix)
    .map((log) => {
      const { origin, size, root } = headOfEnded(log);
      const stream = `${ENDED_LOG_STREAM}${origin}`;
      return serializeEntry({ stream, revision: BigInt(size), hash: root.toString('hex') });
    });

/**
 * Ends logs and starts a new, empty log with another name and key. Keeps the heads of the ended logs and the tree of
 * this database. Call it in a transaction.
 * @param logs this database's log first
 * @returns origin of the next log
 */
export const endLogs = async (
  tx: Pick<Pool, 'query'>,
  identity: LogIdentity,
  logs: readonly KnownLog[],
  reason: EndReason,
): Promise<string> => {
  const table = new EndedLogTable(tx);
  const now = Date.now();
  const next_suffix = createSuffix(now);
  const first = headOfEnded(logs[0]!).origin;
  const base = identity.origin ?? withoutSuffix(first, logs[0]!.suffix);
  const next = `${base}/${next_suffix}`;
  for (const log of logs) {
    const statement = signEnd(identity, log, next);
    await table.add([{ ...log, origin: headOfEnded(log).origin, statement, reason, ended_at: iso(now), next_suffix }]);
  }
  const { rows } = await tx.query<{ size: bigint }>('select size from ops_history_log');
  await table.keepTree(first, Number(rows[0]?.size ?? 0));
  await tx.query('delete from ops_checkpoint where name = $1', [LOG_CHECKPOINT]);
  return next;
};

const createSigner = (identity: LogIdentity, base: string, suffix: string): CheckpointSigner =>
  new CheckpointSigner(suffix === '' ? base : `${base}/${suffix}`, deriveKeyOfLog(identity.key, suffix));

/**
 * Signs a statement that a log has ended. Returns null if this identity lacks the log's key: no other key may sign it.
 */
const signEnd = (identity: LogIdentity, { checkpoint, vkey, suffix }: KnownLog, next: string): string | null => {
  const { origin } = headOfEnded({ checkpoint });
  const signer = createSigner(identity, withoutSuffix(origin, suffix), suffix);
  const head = signer.vkey === vkey && signer.origin === origin ? openCheckpoint(checkpoint, vkey) : null;
  return head && signer.sign(head.size, head.root, [`ended ${next}`]);
};

/** Returns a new suffix, made of the time and random digits so that it is unique even if a backup was restored. */
const createSuffix = (now: number): string =>
  `${iso(now).slice(0, 19).replaceAll(/[-:]/g, '')}Z-${randomBytes(3).toString('hex')}`;

const withoutSuffix = (origin: string, suffix: string): string =>
  suffix !== '' && origin.endsWith(`/${suffix}`) ? origin.slice(0, -suffix.length - 1) : origin;
