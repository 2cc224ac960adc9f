import type { Pool } from 'pg';
import type { JsonObject } from '../../kernel/ids.js';
import { HASH_BYTES, readRoot, type ReadTile, TILE_WIDTH } from './merkle.js';
import { LOG_MESSAGES } from './messages.js';
import { type Checkpoint, parseCheckpoint } from './published-checkpoint.js';

/** Reason why a log ended: a reset to another event store, or entries that could not be rebuilt. */
export type EndReason = 'store_reset' | 'entries_lost';

/** A log that has ended because its past cannot be continued (ADR-213). */
export interface EndedLog extends JsonObject {
  readonly origin: string;
  readonly vkey: string;
  /** Its newest known checkpoint. */
  readonly checkpoint: string;
  /** The same checkpoint with a line that declares the log ended, signed with the log's key; null without that key. */
  readonly statement: string | null;
  readonly reason: EndReason;
  /** ISO 8601. */
  readonly ended_at: string;
  /** Suffix of its origin; empty for the first log. */
  readonly suffix: string;
  /** Suffix of the next log. */
  readonly next_suffix: string;
}

/** Returns an ended log as the API shows it. */
export const showEnded = (log: EndedLog) => {
  const { origin, size, root } = headOfEnded(log);
  const { vkey, checkpoint, statement, reason, ended_at } = log;
  const message = LOG_MESSAGES[reason];
  return { origin, size, root: root.toString('base64'), vkey, ended_at, reason, message, checkpoint, statement };
};

/** Prefix of the stream in the entry for an ended log; the log's origin follows. No event's stream has this prefix. */
export const ENDED_LOG_STREAM = 'historyLog-';

/** True if a value in an export line is an ended log. */
export const isEndedLog = (value: unknown): value is EndedLog => {
  const { origin, vkey, checkpoint, statement, reason, ended_at, suffix, next_suffix } = (value ??
    {}) as Partial<EndedLog>;
  return (
    [origin, vkey, suffix, next_suffix].every((text) => typeof text === 'string') &&
    (statement === null || typeof statement === 'string') &&
    (reason === 'store_reset' || reason === 'entries_lost') &&
    Number.isFinite(Date.parse(String(ended_at))) &&
    typeof checkpoint === 'string' &&
    parseCheckpoint(checkpoint)?.origin === origin
  );
};

/** Returns the head that an ended log is known to have reached. */
export const headOfEnded = ({ checkpoint }: Pick<EndedLog, 'checkpoint'>): Checkpoint => {
  const head = parseCheckpoint(checkpoint);
  if (!head) throw new Error(`not a checkpoint: ${checkpoint}`);
  return head;
};

/** The table of ended logs. */
export class EndedLogTable {
  constructor(private readonly db: Pick<Pool, 'query'>) {}

  /** Lists the ended logs in the order they ended. */
  async list(): Promise<readonly EndedLog[]> {
    const { rows } = await this.db.query<EndedLog & { ended_at: unknown }>(
      `select origin, vkey, checkpoint, statement, reason, suffix, next_suffix,
         to_char(ended_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"') as ended_at
       from ops_history_ended_log order by number`,
    );
    return rows;
  }

  /** Adds ended logs that this database does not know yet. */
  async add(logs: readonly EndedLog[]): Promise<void> {
    for (const log of logs)
      await this.db.query(
        `insert into ops_history_ended_log (origin, vkey, checkpoint, statement, reason, ended_at, suffix, next_suffix)
         values ($1, $2, $3, $4, $5, $6, $7, $8) on conflict (origin) do nothing`,
        [log.origin, log.vkey, log.checkpoint, log.statement, log.reason, log.ended_at, log.suffix, log.next_suffix],
      );
  }

  /**
   * Keeps this database's tree as evidence for an ended log, unless an earlier tree was kept. Leaves the log empty.
   * Call it in a transaction.
   */
  async keepTree(origin: string, size: number): Promise<void> {
    const { rowCount } = await this.db.query(
      'update ops_history_ended_log set tree_size = $2 where origin = $1 and tree_size = 0',
      [origin, size],
    );
    if (rowCount === 1) {
      await this.db.query('insert into ops_history_ended_tile select $1, t.* from ops_history_tile t', [origin]);
      await this.db.query('insert into ops_history_ended_bundle select $1, b.* from ops_history_bundle b', [origin]);
    }
    for (const table of ['ops_history_tile', 'ops_history_bundle', 'ops_history_log'])
      await this.db.query(`delete from ${table}`);
  }

  /** False if the known head or the kept tree of an ended log contradicts a checkpoint. */
  async mayContain({ origin, checkpoint }: EndedLog, { size, root }: Checkpoint): Promise<boolean> {
    const head = headOfEnded({ checkpoint });
    if (size === head.size) return root.equals(head.root);
    const text = 'select tree_size::float8 as size from ops_history_ended_log where origin = $1';
    const kept = (await this.db.query<{ size: number }>(text, [origin])).rows[0]?.size ?? 0;
    if (size > kept) return true;
    return root.equals(await readRoot(this.tilesOf(origin), size));
  }

  private tilesOf(origin: string): ReadTile {
    const text = 'select hashes from ops_history_ended_tile where origin = $1 and level = $2 and number = $3';
    return async (level, number) =>
      (await this.db.query<{ hashes: Buffer }>(text, [origin, level, number])).rows[0]?.hashes ??
      Buffer.alloc(TILE_WIDTH * HASH_BYTES);
  }
}
