import {
  isPlanned,
  PLANNED_POST_TYPES,
  type PlannedPostEvent,
  type PostAccepted,
  type PostRescheduled,
  type PostRevised,
} from '../../domain/post/post.events.js';
import type { RecoveryConfirmed, RecoveryStarted } from '../../domain/recovery/recovery.events.js';
import type { Instant } from '../../kernel/clock.js';
import type { RecordedEvent, RecordedEventOf } from '../../kernel/events.js';
import { padPosition } from '../../kernel/position-text.js';
import type { Projection, Tx } from '../engine/projection.js';
import { type RowCache, Rows } from '../engine/rows.js';
import { PlannedTargets } from '../planned-targets.js';
import {
  PLANNED_POSTS_VERSION,
  type PlannedOwnerRow,
  plannedOwnerRows,
  type PlannedPostRow,
  plannedPostRows,
  plannedPostsTables,
} from './planned-posts.tables.js';

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

type PostEvent = RecordedEventOf<PostAccepted | PlannedPostEvent>;
type HandledEvent = PostEvent | RecordedEventOf<RecoveryStarted | RecoveryConfirmed>;

interface LoadedRows {
  readonly tx: Tx;
  readonly posts: Rows<PlannedPostRow>;
  readonly targets: PlannedTargets;
  readonly owners: PlannedOwners;
  /** Earliest due time of the posts changed by this batch; Infinity if there is none. */
  earliest: Instant;
}

const TYPES: ReadonlySet<string> = new Set<HandledEvent['type']>([
  'PostAccepted',
  ...PLANNED_POST_TYPES,
  'RecoveryStarted',
  'RecoveryConfirmed',
]);

/** Number of posts that one statement holds or releases, so that it ends within the statement timeout. */
const HELD_AT_ONCE = 20_000;

/**
 * Planned posts and their due times (D-58). Also serves as the queue of the saga `release-planned-posts`, which reads a
 * post's stream before it acts.
 */
export const plannedPosts: Projection = {
  name: 'planned-posts',
  version: PLANNED_POSTS_VERSION,
  tables: plannedPostsTables,
  views: ['planned_post', 'planned_owner', 'planned_target', 'planned_count'],
  keepsAnchor: true,
  handles: (type) => TYPES.has(type),

  async apply(tx, events, cache) {
    const handled = (events as readonly HandledEvent[]).filter(
      ({ type, data }) => type !== 'PostAccepted' || isPlanned(data),
    );
    if (handled.length === 0) return;
    const changes = handled.filter(isChange);
    const postIds = changes.map(({ data }) => data.postId);
    const rows: LoadedRows = {
      tx,
      posts: await Rows.load(tx, plannedPostRows, postIds, cache),
      targets: await PlannedTargets.load(tx, changes),
      owners: await PlannedOwners.load(tx, handled.filter(isOfPost), cache),
      earliest: Infinity,
    };
    for (const event of handled) {
      rows.targets.apply(event);
      if (event.type === 'RecoveryStarted') await setHeld(rows, true, null);
      else if (event.type !== 'RecoveryConfirmed') handle(event, rows);
      else if (event.data.planned === 'keep') await setHeld(rows, false, event.data.ownerId);
    }
    await rows.posts.flush();
    await rows.targets.flush();
    await rows.owners.flush();
    if (rows.earliest < Infinity) await tx.query(`select pg_notify('planned', $1)`, [String(rows.earliest)]);
  },
};

const isOfPost = (event: HandledEvent): event is PostEvent =>
  event.type !== 'RecoveryStarted' && event.type !== 'RecoveryConfirmed';

const isChange = (event: HandledEvent): event is RecordedEventOf<PlannedPostEvent> =>
  isOfPost(event) && event.type !== 'PostAccepted';

/** Holds all planned posts (D-80), or lets go of an owner's. @param ownerId null for all owners */
const setHeld = async (rows: LoadedRows, isHeld: boolean, ownerId: string | null): Promise<void> => {
  const { tx, posts } = rows;
  await posts.flush();
  for (let last = ''; ;) {
    const { rows: changed } = await tx.query<{ post_id: string }>(
      `update planned_post set is_held = $1 where post_id in (
         select post_id from planned_post
         where post_id > $2 and is_held <> $1 and ($3::text is null or owner_id = $3) order by post_id limit $4)
       returning post_id`,
      [isHeld, last, ownerId, HELD_AT_ONCE],
    );
    const ids = changed.map(({ post_id }) => post_id);
    const loaded = ids.filter((id) => posts.get(id));
    posts.evict(ids);
    await posts.loadMore(loaded);
    if (!isHeld && ids.length > 0) rows.earliest = 0;
    if (ids.length < HELD_AT_ONCE) break;
    last = ids.reduce((a, b) => (a > b ? a : b));
  }
  await rows.owners.findAll(ownerId);
};

const handle = (event: PostEvent, rows: LoadedRows): void => {
  const { posts } = rows;
  const { postId } = event.data;
  if (event.type === 'PostAccepted') return addPost(event, rows);
  const row = posts.get(postId);
  if (!row) return;
  switch (event.type) {
    case 'PostReleased':
      return endPost(row, rows);
    case 'PostRescheduled':
      return replan(row, event.data, rows);
    case 'PostRevised':
      return replan({ ...row, targets: event.data.targets.length }, event.data, rows);
    case 'PostApprovalRequested':
      return; // the event that accepted or changed the post already contains this
    case 'PostWithdrawn':
    case 'PostEdited':
      return; // only what was released has these
    case 'PostApproved':
      return putPost({ ...row, is_pending: false, is_held: false }, rows);
    case 'PostRejected':
    case 'PlannedPublicationsCancelled': {
      const { publicationIds, isLast } = event.data;
      if (isLast) return endPost(row, rows);
      rows.targets.drop(postId, publicationIds);
      // A person who cancels a part has looked at the post; the deletion of a channel has not.
      const is_held = row.is_held && event.actor.startsWith('system:');
      putPost({ ...row, targets: row.targets - publicationIds.length, is_held }, rows);
    }
  }
};

const addPost = (event: RecordedEvent<PostAccepted>, rows: LoadedRows): void => {
  const { postId, endpointId, ownerId, plan, targets } = event.data;
  const row = {
    post_id: postId,
    endpoint_id: endpointId,
    owner_id: ownerId,
    stream: event.stream,
    revision: String(event.revision),
    accepted_position: padPosition(event.position),
    publish_at: plan!.publishAt,
    is_pending: plan!.requiresApproval,
    targets: targets.length,
    is_held: false,
  };
  putPost(row, rows, 1);
};

const endPost = (row: PlannedPostRow, { posts, owners }: LoadedRows): void => {
  posts.remove(row.post_id);
  owners.change(row, -1);
};

const putPost = (row: PlannedPostRow, rows: LoadedRows, added: 0 | 1 = 0): void => {
  rows.posts.put(row);
  rows.owners.change(row, added);
  if (!row.is_pending && !row.is_held) rows.earliest = Math.min(rows.earliest, row.publish_at ?? 0);
};

const replan = (
  row: PlannedPostRow,
  { publishAt, needsApproval }: (PostRescheduled | PostRevised)['data'],
  rows: LoadedRows,
): void =>
  putPost({ ...row, publish_at: publishAt, is_pending: row.is_pending || needsApproval, is_held: false }, rows);
