import type { Instant } from '../../kernel/instant.js';
import type { Tx } from '../engine/projection.js';
import type { RowCache } from '../engine/row-cache.js';
import { Rows, type RowTable } from '../engine/rows.js';

/** A batch's counts for one interval. */
interface Counted<Row> {
  readonly row: Row;
  /** True if the batch also counted another interval in this row, so the stored row is outdated. */
  readonly replaces: boolean;
}

/**
 * Counts events by interval in rings of rows. An interval starts at its row's `at` and reuses the row of the interval
 * one turn earlier. Rows depend only on the times of events, so a rebuild yields the same rows.
 */
export class RingCounters<Row extends { readonly at: Instant }> {
  private readonly counted = new Map<string, Counted<Row>>();

  /**
   * @param intervalMs length of an interval
   * @param size number of intervals in a turn; more than readers see, because events may arrive a little late
   */
  constructor(
    private readonly table: RowTable<Row>,
    private readonly intervalMs: number,
    private readonly size: number,
    private readonly add: (to: Row, counts: Row) => Row,
  ) {}

  /**
   * Adds counts to the interval that contains a time.
   * @param series the first part of the key, which distinguishes the rings of a table
   * @param build builds a row with the counts
   */
  count(series: string, at: Instant, build: (key: string, start: Instant) => Row): void {
    const start = at - (at % this.intervalMs);
    const key = `${series}/${(start / this.intervalMs) % this.size}`;
    const counts = build(key, start);
    const known = this.counted.get(key);
    if (!known) this.counted.set(key, { row: counts, replaces: false });
    else if (known.row.at !== start) this.counted.set(key, { row: counts, replaces: true });
    else this.counted.set(key, { ...known, row: this.add(known.row, counts) });
  }

  /** Adds the counts of the batch to the rows of the table. */
  async flush(tx: Tx, cache?: RowCache): Promise<void> {
    if (this.counted.size === 0) return;
    const rows = await Rows.load(tx, this.table, this.counted.keys(), cache);
    for (const [key, { row, replaces }] of this.counted) {
      const stored = rows.get(key);
      rows.put(!replaces && stored?.at === row.at ? this.add(stored, row) : row);
    }
    await rows.flush();
  }
}
