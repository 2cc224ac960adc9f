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
import type { Projection } from '../engine/projection.js';
import { Rows } from '../engine/rows.js';
import { listPublicationIds } from '../posts/post-rows.js';
import {
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
  /** Earliest due time of the posts changed by this batch; Infinity if there is none. */
  earliest: Instant;
}

const TYPES: ReadonlySet<string> = new Set<HandledEvent['type']>(['PostAccepted', ...PLANNED_POST_TYPES]);

/** Number of decimal digits in the largest position, a 64-bit number. */
const POSITION_DIGITS = 20;

/**
 * Planned posts and their due times (D-58). Also serves as the queue of the saga `release-planned-posts`, which reads a
 * post's stream before it acts.
 */
export const plannedPosts: Projection = {
  name: 'planned-posts',
  version: PLANNED_POSTS_VERSION,
  tables: plannedPostsTables,
  views: ['planned_post', 'planned_publication', 'planned_count'],
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
      publications: await Rows.load(tx, plannedPublicationRows, changes.flatMap(listPublicationIds), cache),
      earliest: Infinity,
    };
    for (const event of handled) handle(event, rows);
    await rows.posts.flush();
    await rows.publications.flush();
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
      posts.remove(postId);
      for (const { publicationId } of event.data.targets) publications.remove(publicationId);
      return;
    case 'PostRescheduled':
      return replan(row, event.data, rows);
    case 'PostRevised':
      for (const id of event.data.droppedIds) publications.remove(id);
      addPublications(postId, event.data.targets, rows);
      return replan(row, event.data, rows);
    case 'PostApprovalRequested':
      return; // the event that accepted or changed the post already contains this
    case 'PostApproved':
      return putPost({ ...row, is_pending: false }, rows);
    case 'PostRejected':
    case 'PlannedPublicationsCancelled':
      for (const id of event.data.publicationIds) publications.remove(id);
      if (event.data.isLast) posts.remove(postId);
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
    accepted_position: String(event.position).padStart(POSITION_DIGITS, '0'),
    publish_at: plan!.publishAt,
    is_pending: plan!.requiresApproval,
  };
  addPublications(postId, targets, rows);
  putPost(row, rows);
};

const addPublications = (postId: string, targets: readonly Target[], { publications }: LoadedRows): void => {
  for (const { publicationId, channelId, projectId } of targets)
    publications.put({ publication_id: publicationId, post_id: postId, channel_id: channelId, project_id: projectId });
};

const putPost = (row: PlannedPostRow, rows: LoadedRows): void => {
  rows.posts.put(row);
  if (!row.is_pending) rows.earliest = Math.min(rows.earliest, row.publish_at ?? 0);
};

const replan = (
  row: PlannedPostRow,
  { publishAt, needsApproval }: (PostRescheduled | PostRevised)['data'],
  rows: LoadedRows,
): void => putPost({ ...row, publish_at: publishAt, is_pending: row.is_pending || needsApproval }, rows);
