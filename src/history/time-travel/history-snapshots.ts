import { Inject, Injectable } from '@nestjs/common';
import type { Pool } from 'pg';
import type { Instant } from '../../kernel/clock.js';
import { LOG, type Log } from '../../kernel/log.js';
import { reasonOf } from '../../kernel/reason.js';
import { POOL } from '../../postgres/tokens.js';
import { RepeatedFailure } from '../../runtime/failing-work.js';
import type { Folded, HistoryAggregate } from '../aggregates/history-aggregate.js';

/** Where a fold stops: at the last event at or before a time, at a revision, or (default) at the end of the stream. */
export interface Until {
  readonly at?: Instant;
  readonly revision?: bigint;
}

/** The methods of {@link HistorySnapshotTable}. */
export type HistorySnapshots = Pick<HistorySnapshotTable, 'findBefore' | 'save'>;

type Row = { readonly revision: bigint; readonly at: bigint; readonly hash: string; readonly folded: string };

/**
 * Folded states at many revisions of long streams, in `ops_history_snapshot` (ADR-138). Its rows may be deleted at any
 * time. No method throws: without a snapshot, a stream is read from its start.
 */
@Injectable()
export class HistorySnapshotTable {
  private readonly failure = new RepeatedFailure();

  constructor(
    @Inject(POOL) private readonly pool: Pool,
    @Inject(LOG) private readonly log: Log,
  ) {}

  /** Finds the newest snapshot at or before the end of a fold. */
  async findBefore({ version }: HistoryAggregate, stream: string, until: Until): Promise<Folded | null> {
    const text = `
      select revision, at, hash, folded from ops_history_snapshot
      where stream = $1 and version = $2 and ($3::bigint is null or revision <= $3) and ($4::bigint is null or at <= $4)
      order by revision desc limit 1`;
    const values = [stream, version, until.revision ?? null, until.at ?? null];
    const found = await this.withoutFailure(() => this.pool.query<Row>(text, values));
    const row = found?.rows[0];
    if (!row) return null;
    const { state, changes } = JSON.parse(row.folded) as Pick<Folded, 'state' | 'changes'>;
    return { state, changes, revision: row.revision, at: Number(row.at), hash: row.hash };
  }

  /** Saves snapshots of a stream, and replaces any at the same revisions. */
  async save({ version }: HistoryAggregate, stream: string, snapshots: readonly Folded[]): Promise<void> {
    const text = `
      insert into ops_history_snapshot (stream, version, revision, at, hash, folded)
      select $1, $2, * from unnest($3::bigint[], $4::bigint[], $5::text[], $6::text[])
      on conflict (stream, version, revision) do update
        set at = excluded.at, hash = excluded.hash, folded = excluded.folded`;
    const folded = snapshots.map(({ state, changes }) => JSON.stringify({ state, changes }));
    const values = [
      ...[stream, version, snapshots.map(({ revision }) => revision), snapshots.map(({ at }) => at)],
      ...[snapshots.map(({ hash }) => hash), folded],
    ];
    await this.withoutFailure(() => this.pool.query(text, values));
  }

  private async withoutFailure<T>(call: () => Promise<T>): Promise<T | null> {
    try {
      return await call();
    } catch (error) {
      const reason = reasonOf(error);
      if (this.failure.shouldLog(reason))
        this.log.warn({ reason }, 'a snapshot of history cannot be used; the stream is read from its start');
      return null;
    }
  }
}
