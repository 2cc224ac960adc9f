import type { OwnerEvent } from '../../domain/owner/owner.events.js';
import { PLANNED_POST_TYPES, type PlannedPostEvent, type PostEvent } from '../../domain/post/post.events.js';
import { type PublicationEvent, RESTORED } from '../../domain/publication/publication.events.js';
import type { RecordedEventOf } from '../../kernel/events.js';
import { otherMonth } from '../engine/erased-content.js';
import { executeWrites, NO_ROWS, type Projection, type Tx } from '../engine/projection.js';
import { type RowCache, Rows } from '../engine/rows.js';
import { eraseContent } from './erase-content.js';
import { letGoOfPosts } from './let-go.js';
import { MediaUses } from './media-uses.js';
import {
  addPost,
  changePlannedPost,
  listPublicationIds,
  monthOfContent,
  newWithdrawal,
  PlannedPublications,
  type PostRows,
} from './post-rows.js';
import {
  type Attempt,
  postRows,
  POSTS_VERSION,
  postsReadIndexes,
  postsTables,
  postWordRows,
  type PublicationRow,
  publicationRows,
  type RowEdit,
  sequenceRows,
} from './posts.tables.js';
import { UsageCounter } from './usage.queries.js';

type HandledEvent = RecordedEventOf<PostEvent | PublicationEvent | OwnerEvent>;

interface LoadedRows extends PostRows {
  readonly usage: UsageCounter;
  readonly uses: MediaUses;
}

const TYPES = /^(PostAccepted|Publication|OwnerRegistered|OwnerPlanChanged|OwnerContentErased|HorizonMoved$)/;
const PLANNED_TYPES: ReadonlySet<string> = new Set(PLANNED_POST_TYPES);

/** Posts and their publications. Payloads remain in the event store. */
export const posts: Projection = {
  name: 'posts',
  version: POSTS_VERSION,
  tables: postsTables,
  readIndexes: postsReadIndexes,
  views: [
    'post',
    'post_words',
    'publication',
    'media_use',
    'usage',
    'archived_post',
    'archived_publication',
    'horizon',
  ],
  keepsAnchor: true,
  handles: (type) => TYPES.test(type) || PLANNED_TYPES.has(type),
  batchIntervalMs: 100,

  async apply(tx, events, cache) {
    const handled = events as readonly HandledEvent[];
    const rows = await loadRows(tx, handled, cache);
    for (const event of handled) {
      handle(event, rows);
      rows.uses.note(event as RecordedEventOf<PostEvent | PublicationEvent>);
    }
    const { posts, words, publications, sequences, usage, uses } = rows;
    const writes = [posts, words, publications, sequences, usage, uses.finish()].flatMap((each) => each.takeWrites());
    await executeWrites(tx, writes);
  },

  erase: eraseContent,

  letGo: letGoOfPosts,
};

/** Computes the rows of a post from all its events, in log order; sequence numbers are not in them. */
export const foldPost = async (
  events: readonly RecordedEventOf<PostEvent | PublicationEvent>[],
): Promise<Pick<PostRows, 'posts' | 'publications'>> => {
  const rows = await loadRows(NO_ROWS, events);
  for (const event of events) handle(event, rows);
  return rows;
};

const loadRows = async (tx: Tx, handled: readonly HandledEvent[], cache?: RowCache): Promise<LoadedRows> => {
  const channelIds = new Set<string>();
  const publicationIds = new Set<string>();
  const ownerIds = new Set<string>();
  const changedPostIds = new Set<string>();
  const releasedPostIds: string[] = [];
  const acceptedFor = new Map<string, string>();
  for (const event of handled) {
    const { type, data } = event;
    if (isOfPlannedPost(event)) {
      changedPostIds.add(event.data.postId);
      for (const id of listPublicationIds(event)) publicationIds.add(id);
    }
    if (type === 'PostReleased') releasedPostIds.push(data.postId);
    else if ('targets' in data)
      for (const { channelId, publicationId } of data.targets) {
        channelIds.add(channelId);
        acceptedFor.set(publicationId, data.ownerId);
      }
    else if ('publicationId' in data) publicationIds.add(data.publicationId);
    if (type === 'OwnerRegistered' || type === 'OwnerPlanChanged') ownerIds.add(data.ownerId);
  }
  const publications = await Rows.load<PublicationRow>(tx, publicationRows, publicationIds, cache);
  if (releasedPostIds.length > 0)
    await publications.loadWhere("settled = 'planned' and post_id = any($1)", [releasedPostIds]);
  const planned = new PlannedPublications(releasedPostIds);
  for (const row of publications.values()) if (planned.add(row)) channelIds.add(row.channel_id);
  const published = handled.flatMap((event) => {
    if (event.type !== 'PublicationSucceeded') return [];
    const { publicationId, at } = event.data;
    const ownerId = publications.get(publicationId)?.owner_id ?? acceptedFor.get(publicationId);
    return ownerId === undefined ? [] : [{ ownerId, at }];
  });
  return {
    posts: await Rows.load(tx, postRows, changedPostIds),
    // Rows that exist are replaced, unread.
    words: await Rows.load(tx, postWordRows, []),
    uses: await MediaUses.load(tx, handled, publications),
    publications,
    planned,
    sequences: await Rows.load(tx, sequenceRows, channelIds, cache),
    usage: await UsageCounter.load(tx, [...ownerIds], published, cache),
  };
};

const isOfPlannedPost = (event: HandledEvent): event is RecordedEventOf<PlannedPostEvent> =>
  PLANNED_TYPES.has(event.type);

const handle = (event: HandledEvent, rows: LoadedRows): void => {
  if (event.type === 'PostAccepted') return addPost(event, rows);
  if (isOfPlannedPost(event)) return changePlannedPost(event, rows);
  if (!('publicationId' in event.data)) return rows.usage.recordPlan(event as RecordedEventOf<OwnerEvent>);
  handlePublication(event as RecordedEventOf<PublicationEvent>, rows);
};

const handlePublication = (event: RecordedEventOf<PublicationEvent>, { publications, usage }: LoadedRows): void => {
  const row = publications.get(event.data.publicationId);
  if (!row) return;
  switch (event.type) {
    case 'PublicationStarted': {
      const { attempt: n, at: started_at, content } = event.data;
      const attempt: Attempt = { n, started_at, ended_at: null, outcome: null, error: null };
      const content_version = content?.revision ?? row.content_version;
      const edit = row.edit && content && row.edit.revision <= content.revision ? null : row.edit;
      publications.put({ ...row, state: 'publishing', attempts: [...row.attempts, attempt], content_version, edit });
      return;
    }
    case 'PublicationSucceeded': {
      const { at, messageIds: message_ids, urls, warnings, pin } = event.data;
      const attempts = endAttempts(row.attempts, event.data.attempt, at);
      const state = settle(row, 'published');
      const is_pinned = pin === undefined ? null : false;
      const warned = { warnings: warnings ?? [], warnings_month: otherMonth(event, at) };
      publications.put({ ...row, ...warned, state, attempts, message_ids, urls, published_at: at, is_pinned });
      usage.countPublication(row.owner_id, at, event.id);
      return;
    }
    case 'PublicationPostponed':
    case 'PublicationFailed':
    case 'PublicationInDoubt': {
      const [state, outcome] = ENDINGS[event.type];
      const { attempt: n, at, error } = event.data;
      // A publication may be in doubt without an open attempt, because events were lost (D-80).
      const isOpen = row.attempts.at(-1)?.ended_at === null || error.code !== RESTORED;
      const ended = { ended_at: at, outcome, error, ...monthOfContent(event, at) };
      const attempts = isOpen
        ? endLastAttempt(row.attempts, ended)
        : [...row.attempts, { n, started_at: at, ...ended }];
      publications.put({ ...row, state: settle(row, state), attempts });
      return;
    }
    case 'PublicationFiltered':
      publications.put({ ...row, state: 'filtered', warnings: [...row.warnings, event.data.reason] });
      return;
    case 'PublicationResent':
      publications.put({ ...row, state: 'queued' });
      return;
    case 'PublicationDismissed':
      publications.put({ ...row, state: 'dismissed', withdrawal: endWithdrawal(row, event.data.at) });
      return;
    case 'PublicationStepCompleted': {
      const { messageIds, urls } = event.data;
      publications.put({ ...row, message_ids: [...row.message_ids, ...messageIds], urls: [...row.urls, ...urls] });
      return;
    }
    case 'PublicationDuplicateFound': {
      const { at, messageIds: message_ids, urls } = event.data;
      const duplicates = [...row.duplicates, { message_ids, urls, at }];
      publications.put({ ...row, duplicates, duplicate_since: row.duplicate_since ?? at });
      return;
    }
    case 'PublicationDuplicateDismissed':
      publications.put({ ...row, duplicate_since: null });
      return;
    case 'PublicationWithdrawalRequested': {
      const withdrawal = newWithdrawal(event, event.data, row.withdrawal?.deleted);
      const state = event.data.isPublishing ? row.state : 'withdrawing';
      publications.put({ ...row, state, withdrawal, edit: null, edit_failed_since: null });
      return;
    }
    case 'PublicationMessageDeleted': {
      const { withdrawal } = row;
      if (!withdrawal) return;
      const deleted = [...withdrawal.deleted, event.data.messageId];
      publications.put({ ...row, withdrawal: { ...withdrawal, deleted, waiting: null } });
      return;
    }
    case 'PublicationWithdrawalPostponed': {
      const { rule, retryAt: until, error } = event.data;
      const { withdrawal } = row;
      if (!withdrawal) return;
      const waiting = { rule, until, event: event.id };
      const attempts = withdrawal.attempts + 1;
      publications.put({ ...row, withdrawal: { ...withdrawal, attempts, waiting, error, error_at: event.at } });
      return;
    }
    case 'PublicationWithdrawn':
      publications.put({
        ...row,
        state: 'withdrawn',
        duplicate_since: null,
        withdrawal: endWithdrawal(row, event.data.at),
      });
      return;
    case 'PublicationWithdrawalFailed': {
      const { at, error } = event.data;
      const withdrawal = endWithdrawal(row, at);
      publications.put({
        ...row,
        state: 'withdraw_failed',
        withdrawal: withdrawal && { ...withdrawal, error, error_at: event.at },
      });
      return;
    }
    case 'PublicationWithdrawalDropped':
      publications.put({ ...row, state: event.data.status });
      return;
    case 'PublicationEditRequested': {
      const { content, waits } = event.data;
      const none = { attempts: 0, done: [], waiting: null, error: null, has_failed: false };
      const edit = { revision: content.revision, waits, ...none };
      publications.put({ ...row, edit, edit_failed_since: null });
      return;
    }
    case 'PublicationEditPostponed': {
      const { rule, retryAt: until, error, done } = event.data;
      const waiting = { rule, until, event: event.id };
      if (row.edit)
        publications.put({ ...row, edit: { ...tried(row.edit), done, waiting, error, error_at: event.at } });
      return;
    }
    case 'PublicationEdited': {
      const { content, changed, warnings, at } = event.data;
      const edited_at = changed ? at : row.edited_at;
      const warned = { warnings: warnings ?? [], warnings_month: otherMonth(event, row.published_at) };
      publications.put({ ...row, ...warned, content_version: content.revision, edited_at, edit: null });
      return;
    }
    case 'PublicationEditFailed': {
      const { error, done, at: edit_failed_since } = event.data;
      if (!row.edit) return;
      const edit = { ...tried(row.edit), done, waiting: null, error, error_at: event.at, has_failed: true };
      publications.put({ ...row, edit, edit_failed_since });
      return;
    }
    case 'PublicationEditDropped':
      publications.put({ ...row, edit: null, edit_failed_since: null });
      return;
    case 'PublicationPinned':
      publications.put({ ...row, is_pinned: true });
      return;
    case 'PublicationPinFailed': {
      const { retryAt, error } = event.data;
      const warnings = [...row.warnings, { code: 'pin_failed', message: error.message }];
      if (retryAt === null) publications.put({ ...row, warnings });
      return;
    }
    case 'PublicationStepStarted':
    case 'PublicationHeld':
      return;
  }
};

const tried = (edit: RowEdit): RowEdit => ({ ...edit, attempts: edit.attempts + 1 });

/** An attempt has ended. If its post was taken back meanwhile, its messages are deleted next (D-69). */
const settle = ({ withdrawal }: PublicationRow, state: PublicationRow['state']): PublicationRow['state'] =>
  withdrawal?.ended_at === null ? 'withdrawing' : state;

const endWithdrawal = ({ withdrawal }: PublicationRow, ended_at: number): PublicationRow['withdrawal'] =>
  withdrawal && { ...withdrawal, waiting: null, error: null, ended_at };

const ENDINGS = {
  PublicationPostponed: ['queued', 'postponed'],
  PublicationFailed: ['failed', 'failed'],
  PublicationInDoubt: ['in_doubt', 'in_doubt'],
} as const;

/** Ends the attempt that succeeded, which may be an earlier one whose answer was late, and any that is still open. */
const endAttempts = (attempts: readonly Attempt[], n: number, at: number): Attempt[] =>
  attempts.map((attempt) => {
    if (attempt.n === n) return { ...attempt, ended_at: at, outcome: 'published', error: null };
    return attempt.ended_at === null ? { ...attempt, ended_at: at } : attempt;
  });

const endLastAttempt = (attempts: readonly Attempt[], ended: Omit<Attempt, 'n' | 'started_at'>): Attempt[] => {
  const last = attempts.at(-1);
  return last ? [...attempts.slice(0, -1), { ...last, ...ended }] : [];
};
