import type { RecordedEvent } from '../../kernel/events.js';
import type { Tx } from '../engine/projection.js';
import type { RowCache } from '../engine/row-cache.js';
import { Rows } from '../engine/rows.js';
import { type PlannedOwnerRow, plannedOwnerRows, type PlannedPostRow } from './planned-posts.tables.js';

/** A post's place in its owner's order of release (D-60). */
type Place = Pick<PlannedOwnerRow, 'due_at' | 'accepted_position'>;

/** Keeps each owner's first post that will become due. */
export class FirstDuePosts {
  /** Owners whose posts have changed, with the first place at which one did; null for posts without a due time. */
  private readonly changed = new Map<string, Place | null>();

  private constructor(
    private readonly tx: Tx,
    private readonly rows: Rows<PlannedOwnerRow>,
  ) {}

  static async load(tx: Tx, events: readonly RecordedEvent[], cache?: RowCache): Promise<FirstDuePosts> {
    const ownerIds = events.map(({ data }) => (data as { readonly ownerId: string }).ownerId);
    return new FirstDuePosts(tx, await Rows.load(tx, plannedOwnerRows, ownerIds, cache));
  }

  /** Records that a post was added, changed or removed. */
  change({ owner_id, is_pending, publish_at, accepted_position }: PlannedPostRow): void {
    const place = is_pending ? null : { due_at: publish_at ?? 0, accepted_position };
    this.changed.set(owner_id, firstOf(this.changed.get(owner_id) ?? null, place));
  }

  /**
   * Finds the first posts of the owners whose posts have changed; call it after the posts were written. Searches from
   * the first place where one may be: before it, an index may have as many dead entries as posts were released.
   */
  async flush(): Promise<void> {
    const searched: [ownerId: string, from: Place][] = [];
    for (const [ownerId, place] of this.changed) {
      const from = firstOf(this.rows.get(ownerId) ?? null, place);
      if (from) searched.push([ownerId, from]);
    }
    this.changed.clear();
    if (searched.length === 0) return;
    const { rows } = await this.tx.query<{ owner_id: string; due_at: string | null; accepted_position: string }>({
      name: 'first due posts',
      text: `
        select o.owner_id, f.due_at, f.accepted_position
        from unnest($1::text[], $2::bigint[], $3::text[]) o(owner_id, due_at, accepted_position)
        left join lateral (
          select p.due_at, p.accepted_position from planned_post p
          where p.owner_id = o.owner_id and p.due_at is not null
            and (p.due_at, p.accepted_position) >= (o.due_at, o.accepted_position)
          order by p.due_at, p.accepted_position limit 1) f on true`,
      values: [
        searched.map(([ownerId]) => ownerId),
        searched.map(([, { due_at }]) => due_at),
        searched.map(([, { accepted_position }]) => accepted_position),
      ],
    });
    for (const { owner_id, due_at, accepted_position } of rows)
      if (due_at === null) this.rows.remove(owner_id);
      else this.rows.put({ owner_id, due_at: Number(due_at), accepted_position });
    await this.rows.flush();
  }
}

const firstOf = (a: Place | null, b: Place | null): Place | null => {
  if (!a || !b) return a ?? b;
  const isFirst = a.due_at === b.due_at ? a.accepted_position <= b.accepted_position : a.due_at < b.due_at;
  return isFirst ? a : b;
};
