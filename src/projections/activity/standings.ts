import type { Instant } from '../../kernel/instant.js';
import type { Tx } from '../engine/projection.js';
import type { RowCache } from '../engine/row-cache.js';
import { Rows } from '../engine/rows.js';
import { ALL_OWNERS, type OpenState, type StandingRow, standingRows } from './activity.tables.js';

interface StandingChange {
  readonly owner_id: string;
  readonly platform: string;
  readonly counts: Record<OpenState, number>;
  publishedAt: Instant | null;
}

/** An owner and a network. */
interface Place {
  readonly owner_id: string;
  readonly platform: string;
}

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
    for (const { counts } of this.changesAt(place)) {
      if (from !== null) counts[from] -= 1;
      if (to !== null) counts[to] += 1;
    }
  }

  /** Records when a publication was published. */
  recordPublished(place: Place, at: Instant): void {
    for (const change of this.changesAt(place)) change.publishedAt = at;
  }

  async flush(tx: Tx, cache?: RowCache): Promise<void> {
    if (this.changes.size === 0) return;
    const rows = await Rows.load<StandingRow>(tx, standingRows, this.changes.keys(), cache);
    for (const [key, { owner_id, platform, counts, publishedAt }] of this.changes) {
      const row = rows.get(key) ?? newStanding(key, { owner_id, platform });
      rows.put({
        ...row,
        queued: row.queued + counts.queued,
        publishing: row.publishing + counts.publishing,
        failed: row.failed + counts.failed,
        in_doubt: row.in_doubt + counts.in_doubt,
        last_published_at: publishedAt ?? row.last_published_at,
      });
    }
    await rows.flush();
  }

  private changesAt({ owner_id, platform }: Place): StandingChange[] {
    return [owner_id, ALL_OWNERS].map((owner) => {
      const key = `${owner}/${platform}`;
      const known = this.changes.get(key);
      if (known) return known;
      const counts = { queued: 0, publishing: 0, failed: 0, in_doubt: 0 };
      const change: StandingChange = { owner_id: owner, platform, counts, publishedAt: null };
      this.changes.set(key, change);
      return change;
    });
  }
}

const newStanding = (standing_key: string, place: Place): StandingRow => ({
  standing_key,
  owner_id: place.owner_id,
  platform: place.platform,
  queued: 0,
  publishing: 0,
  failed: 0,
  in_doubt: 0,
  last_published_at: null,
});
