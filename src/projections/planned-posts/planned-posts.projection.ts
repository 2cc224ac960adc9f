import {
  isPlanned,
  PLANNED_POST_TYPES,
  type PlannedPostEvent,
  type PostAccepted,
  type PostRescheduled,
  type PostRevised,
  type Target,
} from '../../domain/post/post.events.js';
import type { RecoveryConfirmed, RecoveryStarted } from '../../domain/recovery/recovery.events.js';
import type { Instant } from '../../kernel/clock.js';
import type { RecordedEvent, RecordedEventOf } from '../../kernel/events.js';
import { padPosition } from '../../kernel/position-text.js';
import type { Projection, Tx } from '../engine/projection.js';
import { Rows } from '../engine/rows.js';
import { listPublicationIds } from '../posts/post-rows.js';
import { PlannedOwners } from './planned-owners.js';
import {
  PLANNED_POSTS_VERSION,
  type PlannedPostRow,
  plannedPostRows,
  plannedPostsTables,
  type PlannedPublicationRow,
  plannedPublicationRows,
} from './planned-posts.tables.js';

type PostEvent = RecordedEventOf<PostAccepted | PlannedPostEvent>;
type HandledEvent = PostEvent | RecordedEventOf<RecoveryStarted | RecoveryConfirmed>;

interface LoadedRows {
  readonly tx: Tx;
  readonly posts: Rows<PlannedPostRow>;
  readonly publications: Rows<PlannedPublicationRow>;
  /** Posts that were released, rejected or cancelled. */
  readonly ended: string[];
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
  views: ['planned_post', 'planned_owner', 'planned_publication', 'planned_count'],
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
      publications: await Rows.load(tx, plannedPublicationRows, changes.flatMap(listPublicationIds)),
      ended: [],
      owners: await PlannedOwners.load(tx, handled.filter(isOfPost), cache),
      earliest: Infinity,
    };
    for (const event of handled) {
      if (event.type === 'RecoveryStarted') await setHeld(rows, true, null);
      else if (event.type !== 'RecoveryConfirmed') handle(event, rows);
      else if (event.data.planned === 'keep') await setHeld(rows, false, event.data.ownerId);
    }
    await rows.posts.flush();
    await removePublications(tx, rows);
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
  const { posts, publications } = rows;
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
      for (const id of event.data.droppedIds) publications.remove(id);
      addPublications(postId, event.data.targets, rows);
      return replan({ ...row, targets: event.data.targets.length }, event.data, rows);
    case 'PostApprovalRequested':
      return; // the event that accepted or changed the post already contains this
    case 'PostApproved':
      return putPost({ ...row, is_pending: false, is_held: false }, rows);
    case 'PostRejected':
    case 'PlannedPublicationsCancelled': {
      const { publicationIds, isLast } = event.data;
      if (isLast) return endPost(row, rows);
      for (const id of publicationIds) publications.remove(id);
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
  addPublications(postId, targets, rows);
  putPost(row, rows, 1);
};

const endPost = (row: PlannedPostRow, { posts, owners, ended }: LoadedRows): void => {
  posts.remove(row.post_id);
  owners.change(row, -1);
  ended.push(row.post_id);
};

/** Removes the publications of posts that ended; a release does not list them. Writes all other changes. */
const removePublications = async (tx: Tx, { ended, publications }: LoadedRows): Promise<void> => {
  const posts = new Set(ended);
  for (const { post_id, publication_id } of [...publications.values()])
    if (posts.has(post_id)) publications.remove(publication_id);
  await publications.flush();
  if (ended.length > 0) await tx.query('delete from planned_publication where post_id = any($1)', [ended]);
};

const addPublications = (postId: string, targets: readonly Target[], { publications }: LoadedRows): void => {
  for (const { publicationId, channelId, projectId } of targets)
    publications.put({ publication_id: publicationId, post_id: postId, channel_id: channelId, project_id: projectId });
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
