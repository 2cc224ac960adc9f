import {
  isPlanned,
  PLANNED_POST_TYPES,
  type PlannedPostEvent,
  type PostAccepted,
  type PostRescheduled,
  type PostRevised,
  type Target,
} from '../../domain/post/post.events.js';
import type { RecordedEvent, RecordedEventOf } from '../../kernel/events.js';
import type { Instant } from '../../kernel/instant.js';
import type { Projection, Tx } from '../engine/projection.js';
import { Rows } from '../engine/rows.js';
import { listPublicationIds } from '../posts/post-rows.js';
import { PlannedOwners } from './planned-owners.js';
import {
  padPosition,
  PLANNED_POSTS_VERSION,
  type PlannedPostRow,
  plannedPostRows,
  plannedPostsTables,
  type PlannedPublicationRow,
  plannedPublicationRows,
} from './planned-posts.tables.js';

type HandledEvent = RecordedEventOf<PostAccepted | PlannedPostEvent>;

interface LoadedRows {
  readonly posts: Rows<PlannedPostRow>;
  readonly publications: Rows<PlannedPublicationRow>;
  /** Posts that were released, rejected or cancelled. */
  readonly ended: string[];
  readonly owners: PlannedOwners;
  /** Earliest due time of the posts changed by this batch; Infinity if there is none. */
  earliest: Instant;
}

const TYPES: ReadonlySet<string> = new Set<HandledEvent['type']>(['PostAccepted', ...PLANNED_POST_TYPES]);

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
    const changes = handled.filter((event) => event.type !== 'PostAccepted');
    const postIds = changes.map(({ data }) => data.postId);
    const rows: LoadedRows = {
      posts: await Rows.load(tx, plannedPostRows, postIds, cache),
      publications: await Rows.load(tx, plannedPublicationRows, changes.flatMap(listPublicationIds)),
      ended: [],
      owners: await PlannedOwners.load(tx, handled, cache),
      earliest: Infinity,
    };
    for (const event of handled) handle(event, rows);
    await rows.posts.flush();
    await removePublications(tx, rows);
    await rows.owners.flush();
    if (rows.earliest < Infinity) await tx.query(`select pg_notify('planned', $1)`, [String(rows.earliest)]);
  },
};

const handle = (event: HandledEvent, rows: LoadedRows): void => {
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
      return putPost({ ...row, is_pending: false }, rows);
    case 'PostRejected':
    case 'PlannedPublicationsCancelled': {
      const { publicationIds, isLast } = event.data;
      if (isLast) return endPost(row, rows);
      for (const id of publicationIds) publications.remove(id);
      posts.put({ ...row, targets: row.targets - publicationIds.length });
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
  if (!row.is_pending) rows.earliest = Math.min(rows.earliest, row.publish_at ?? 0);
};

const replan = (
  row: PlannedPostRow,
  { publishAt, needsApproval }: (PostRescheduled | PostRevised)['data'],
  rows: LoadedRows,
): void => putPost({ ...row, publish_at: publishAt, is_pending: row.is_pending || needsApproval }, rows);
