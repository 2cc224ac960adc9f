import type { RecordedEvent } from '../../kernel/events.js';
import type { Tx } from '../engine/projection.js';
import { type RowCache, Rows } from '../engine/rows.js';
import { type PlannedOwnerRow, plannedOwnerRows, type PlannedPostRow } from './planned-posts.tables.js';

/** A post's place in its owner's order of release (D-60). */
interface Place {
  readonly due_at: number;
  readonly accepted_position: string;
}

/** How an owner's posts have changed. */
interface OwnerChange {
  /** Posts added, less posts removed. */
  readonly added: number;
  /** The first place at which a post has changed; null for posts without a due time. */
  readonly from: Place | null;
}

/** Keeps the number of each owner's posts, and the first that will become due. */
export class PlannedOwners {
  private readonly changed = new Map<string, OwnerChange>();

  private constructor(
    private readonly tx: Tx,
    private readonly rows: Rows<PlannedOwnerRow>,
  ) {}

  static async load(tx: Tx, events: readonly RecordedEvent[], cache?: RowCache): Promise<PlannedOwners> {
    const ownerIds = events.map(({ data }) => (data as { readonly ownerId: string }).ownerId);
    return new PlannedOwners(tx, await Rows.load(tx, plannedOwnerRows, ownerIds, cache));
  }

  /** Records that a post was changed. @param added 1 if it was added, -1 if it was removed */
  change({ owner_id, is_pending, is_held, publish_at, accepted_position }: PlannedPostRow, added: -1 | 0 | 1): void {
    const place = is_pending || is_held ? null : { due_at: publish_at ?? 0, accepted_position };
    const before = this.changed.get(owner_id);
    this.changed.set(owner_id, { added: (before?.added ?? 0) + added, from: firstOf(before?.from ?? null, place) });
  }

  /**
   * Writes the owners whose posts have changed; call it after the posts were written. Searches for the first post from
   * the first place where one may be: before it, an index may have as many dead entries as posts were released.
   */
  async flush(): Promise<void> {
    const searched: (readonly [ownerId: string, from: Place])[] = [];
    for (const [ownerId, { added, from: place }] of this.changed) {
      const row = this.rows.get(ownerId);
      const posts = (row?.posts ?? 0) + added;
      const from = firstOf(row ? placeOf(row) : null, place);
      if (posts === 0) this.rows.remove(ownerId);
      else {
        this.rows.put({ owner_id: ownerId, posts, due_at: null, accepted_position: null });
        if (from) searched.push([ownerId, from]);
      }
    }
    this.changed.clear();
    if (searched.length > 0) await this.findFirst(searched);
    await this.rows.flush();
  }

  private async findFirst(searched: readonly (readonly [ownerId: string, from: Place])[]): Promise<void> {
    const { rows } = await this.tx.query<{ owner_id: string; due_at: string | null; accepted_position: string }>({
      name: 'first due planned posts',
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
      if (due_at !== null) this.rows.patch(owner_id, { due_at: Number(due_at), accepted_position });
  }

  /**
   * Finds the first posts of an owner, or of all, after a statement has changed many posts; call it after the posts were
   * written. @param ownerId null for all owners
   */
  async findAll(ownerId: string | null): Promise<void> {
    await this.flush();
    const { rows: changed } = await this.tx.query<{ owner_id: string }>(
      `update planned_owner o set (due_at, accepted_position) = (
         select p.due_at, p.accepted_position from planned_post p
         where p.owner_id = o.owner_id and p.due_at is not null order by p.due_at, p.accepted_position limit 1)
       where $1::text is null or owner_id = $1 returning owner_id`,
      [ownerId],
    );
    const ids = changed.map(({ owner_id }) => owner_id);
    const loaded = ids.filter((id) => this.rows.get(id));
    this.rows.evict(ids);
    await this.rows.loadMore(loaded);
  }
}

const placeOf = ({ due_at, accepted_position }: PlannedOwnerRow): Place | null =>
  due_at === null ? null : { due_at, accepted_position: accepted_position! };

const firstOf = (a: Place | null, b: Place | null): Place | null => {
  if (!a || !b) return a ?? b;
  const isFirst = a.due_at === b.due_at ? a.accepted_position <= b.accepted_position : a.due_at < b.due_at;
  return isFirst ? a : b;
};
