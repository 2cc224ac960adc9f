import type { Tx } from '../engine/projection.js';
import type { RowCache } from '../engine/row-cache.js';
import { Rows } from '../engine/rows.js';
import type { RowOfTable } from '../engine/table.js';
import { ALL_OWNERS, feedEndRows, type FeedRow, feedRows } from './activity.tables.js';

/** Number of entries in each feed. Readers see fewer, because they see only the latest entry of each publication. */
export const FEED_SIZE = 60;

type FeedEntry = Omit<FeedRow, 'feed_key' | 'owner_id' | 'number'>;

/** Returns the key of the entry with this number. */
export const feedKey = (ownerId: string, number: number): string => `${ownerId}/${number % FEED_SIZE}`;

/** Collects the entries of a batch for each owner's feed and for the feed of all owners. */
export class Feed {
  private readonly entries = new Map<string, FeedEntry[]>();

  add(ownerId: string, entry: FeedEntry): void {
    for (const owner of [ownerId, ALL_OWNERS]) {
      const known = this.entries.get(owner);
      if (known) known.push(entry);
      else this.entries.set(owner, [entry]);
    }
  }

  /** Writes the latest entries. */
  async flush(tx: Tx, cache?: RowCache): Promise<void> {
    if (this.entries.size === 0) return;
    const ends = await Rows.load<RowOfTable<typeof feedEndRows>>(tx, feedEndRows, this.entries.keys(), cache);
    const written: FeedRow[] = [];
    for (const [ownerId, entries] of this.entries) {
      const first = ends.get(ownerId)?.entries ?? 0;
      ends.put({ owner_id: ownerId, entries: first + entries.length });
      for (const [i, entry] of entries.entries()) {
        if (i < entries.length - FEED_SIZE) continue;
        const number = first + i;
        written.push({ feed_key: feedKey(ownerId, number), owner_id: ownerId, number, ...entry });
      }
    }
    // Loaded to update existing rows instead of inserting them; their content does not matter.
    const keys = written.map(({ feed_key }) => feed_key);
    const rows = await Rows.load(tx, feedRows, keys, cache);
    for (const row of written) rows.put(row);
    await ends.flush();
    await rows.flush();
  }
}
