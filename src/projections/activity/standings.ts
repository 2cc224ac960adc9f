import type { Instant } from '../../kernel/clock.js';
import type { Tx } from '../engine/projection.js';
import { type RowCache, Rows } from '../engine/rows.js';
import { ALL_OWNERS, type OpenState, type StandingRow, standingRows } from './activity.tables.js';

type Place = Pick<StandingRow, 'owner_id' | 'platform'>;

/** Changes to a standing: `last_published_at` is the new value, and the counts are differences. */
type StandingChange = { -readonly [Column in keyof StandingRow]: StandingRow[Column] };

/** Counts the open publications by owner, network and state. */
export class Standings {
  private readonly changes = new Map<string, StandingChange>();

  /**
   * Counts a publication's change of state.
   * @param from null if the publication is new
   * @param to null if it is finished
   */
  move(place: Place, from: OpenState | null, to: OpenState | null): void {
    if (from === to) return;
    for (const change of this.changesAt(place)) {
      if (from !== null) change[from] -= 1;
      if (to !== null) change[to] += 1;
    }
  }

  /** Records when a publication was published. */
  recordPublished(place: Place, at: Instant): void {
    for (const change of this.changesAt(place)) change.last_published_at = at;
  }

  async flush(tx: Tx, cache?: RowCache): Promise<void> {
    if (this.changes.size === 0) return;
    const rows = await Rows.load<StandingRow>(tx, standingRows, this.changes.keys(), cache);
    for (const [key, change] of this.changes) {
      const row = rows.get(key);
      rows.put(row ? addChange(row, change) : change);
    }
    await rows.flush();
  }

  private changesAt({ owner_id, platform }: Place): StandingChange[] {
    return [owner_id, ALL_OWNERS].map((owner) => {
      const key = `${owner}/${platform}`;
      const change = this.changes.get(key) ?? {
        standing_key: key,
        owner_id: owner,
        platform,
        queued: 0,
        publishing: 0,
        failed: 0,
        in_doubt: 0,
        last_published_at: null,
      };
      this.changes.set(key, change);
      return change;
    });
  }
}

const addChange = (row: StandingRow, change: StandingChange): StandingRow => ({
  ...row,
  queued: row.queued + change.queued,
  publishing: row.publishing + change.publishing,
  failed: row.failed + change.failed,
  in_doubt: row.in_doubt + change.in_doubt,
  last_published_at: change.last_published_at ?? row.last_published_at,
});
