import type { Pool } from 'pg';

/** The history's transparency log, as shown in /readyz. */
export interface HistoryReport {
  /** Name of the current log; null before its first checkpoint. */
  readonly origin: string | null;
  readonly size: number;
  /** Logs that ended because they could not be continued (ADR-213), in order. */
  readonly ended: readonly {
    readonly origin: string;
    readonly size: number;
    readonly ended_at: string;
    readonly reason: string;
  }[];
}

/** Reads the history's current log and its ended logs. */
export const readHistory = async (pool: Pick<Pool, 'query'>): Promise<HistoryReport> => {
  const { rows } = await pool.query<HistoryReport>(
    `select l.origin, coalesce(l.size, 0)::float8 as size,
       coalesce((select json_agg(json_build_object('origin', e.origin, 'size', split_part(e.checkpoint, E'\\n', 2)::int8,
         'ended_at', to_char(e.ended_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'), 'reason', e.reason) order by e.number)
         from ops_history_ended_log e), '[]') as ended
     from (values (1)) one left join ops_history_log l on true`,
  );
  const { origin, size, ended } = rows[0]!;
  return { origin, size, ended };
};
