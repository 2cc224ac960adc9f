import type { OwnerEvent } from '../../domain/owner/owner.events.js';
import type { PostEvent } from '../../domain/post/post.events.js';
import type { PublicationError, PublicationEvent } from '../../domain/publication/publication.events.js';
import type { RecordedEventOf } from '../../kernel/events.js';
import type { KeptRows } from '../engine/row-cache.js';
import type { Projection, Tx } from '../engine/projection.js';
import { Rows } from '../engine/rows.js';
import {
  type Attempt,
  postRows,
  type PostRow,
  postsTables,
  publicationRows,
  type PublicationRow,
  sequenceRows,
  type SequenceRow,
} from './posts.tables.js';
import { Usage } from './usage.js';

type Known = RecordedEventOf<PostEvent | PublicationEvent | OwnerEvent>;

interface InHand {
  readonly posts: Rows<PostRow>;
  readonly publications: Rows<PublicationRow>;
  readonly sequences: Rows<SequenceRow>;
  readonly usage: Usage;
}

const TYPES = /^(PostAccepted|Publication|OwnerRegistered|OwnerPlanChanged)/;

/** Posts and what became of them on each target. Payloads stay in the store; a row says where. */
export const posts: Projection = {
  name: 'posts',
  version: 3,
  tables: postsTables,
  views: ['post', 'publication', 'usage'],
  concerns: (type) => TYPES.test(type),
  gatherMs: 100,

  async apply(tx, events, kept) {
    const known = events as readonly Known[];
    const hand = await load(tx, known, kept);
    for (const event of known) handle(event, hand);
    await hand.posts.flush();
    await hand.publications.flush();
    await hand.sequences.flush();
    await hand.usage.flush();
  },
};

const load = async (tx: Tx, known: readonly Known[], kept?: KeptRows): Promise<InHand> => {
  const channelIds = new Set<string>();
  const publicationIds = new Set<string>();
  const ownerIds = new Set<string>();
  const acceptedFor = new Map<string, string>();
  for (const { type, data } of known) {
    if ('targets' in data)
      for (const { channelId, publicationId } of data.targets) {
        channelIds.add(channelId);
        acceptedFor.set(publicationId, data.ownerId);
      }
    else if ('publicationId' in data) publicationIds.add(data.publicationId);
    if (type === 'OwnerRegistered' || type === 'OwnerPlanChanged') ownerIds.add(data.ownerId);
  }
  const publications = await Rows.load(tx, publicationRows, publicationIds, kept);
  const published = known.flatMap((event) => {
    if (event.type !== 'PublicationSucceeded') return [];
    const { publicationId, at } = event.data;
    const ownerId = publications.get(publicationId)?.owner_id ?? acceptedFor.get(publicationId);
    return ownerId === undefined ? [] : [{ ownerId, at }];
  });
  return {
    posts: await Rows.load(tx, postRows, []),
    publications,
    sequences: await Rows.load(tx, sequenceRows, channelIds, kept),
    usage: await Usage.load(tx, [...ownerIds], published, kept),
  };
};

const handle = (event: Known, hand: InHand): void => {
  if (event.type === 'PostAccepted') return accept(event, hand);
  if (!('publicationId' in event.data)) return hand.usage.note(event as RecordedEventOf<OwnerEvent>);
  handlePublication(event as RecordedEventOf<PublicationEvent>, hand);
};

const handlePublication = (event: RecordedEventOf<PublicationEvent>, { publications, usage }: InHand): void => {
  const row = publications.get(event.data.publicationId);
  if (!row) return;
  switch (event.type) {
    case 'PublicationStarted': {
      const attempt: Attempt = {
        n: event.data.attempt,
        started_at: event.data.at,
        ended_at: null,
        outcome: null,
        error: null,
      };
      publications.put({ ...row, state: 'publishing', attempts: [...row.attempts, attempt] });
      return;
    }
    case 'PublicationSucceeded': {
      const { at, messageIds, urls, warnings } = event.data;
      const attempts = ended(row.attempts, at, 'published', null);
      publications.put({
        ...row,
        state: 'published',
        attempts,
        message_ids: messageIds,
        urls,
        warnings,
        published_at: at,
      });
      usage.count(row.owner_id, at, event.id);
      return;
    }
    case 'PublicationPostponed':
    case 'PublicationFailed':
    case 'PublicationInDoubt': {
      const [state, outcome] = ENDINGS[event.type];
      publications.put({ ...row, state, attempts: ended(row.attempts, event.data.at, outcome, event.data.error) });
      return;
    }
    case 'PublicationFiltered':
      publications.put({ ...row, state: 'filtered', warnings: [...row.warnings, event.data.reason] });
      return;
    case 'PublicationResent':
      publications.put({ ...row, state: 'queued' });
      return;
    case 'PublicationDismissed':
      publications.put({ ...row, state: 'dismissed' });
      return;
    case 'PublicationStepCompleted': {
      const { messageIds, urls } = event.data;
      publications.put({ ...row, message_ids: [...row.message_ids, ...messageIds], urls: [...row.urls, ...urls] });
      return;
    }
    case 'PublicationStepStarted':
    case 'PublicationHeld':
      return;
  }
};

const ENDINGS = {
  PublicationPostponed: ['queued', 'postponed'],
  PublicationFailed: ['failed', 'failed'],
  PublicationInDoubt: ['in_doubt', 'in_doubt'],
} as const;

const accept = (event: Extract<Known, { type: 'PostAccepted' }>, { posts, publications, sequences }: InHand): void => {
  const { postId, endpointId, ownerId, externalId, traceId, acceptedAt, targets, payload } = event.data;
  posts.put({
    post_id: postId,
    endpoint_id: endpointId,
    owner_id: ownerId,
    stream: event.stream,
    revision: String(event.revision),
    accepted_at: acceptedAt,
    external_id: externalId,
    trace_id: traceId,
    metadata: payload?.metadata ? JSON.stringify(payload.metadata) : null,
    in_parts: payload === null,
  });
  for (const { publicationId, channelId, platform, projectId } of targets) {
    const sequence = (sequences.get(channelId)?.last ?? 0) + 1;
    sequences.put({ channel_id: channelId, last: sequence });
    publications.put({
      publication_id: publicationId,
      post_id: postId,
      owner_id: ownerId,
      channel_id: channelId,
      project_id: projectId,
      platform,
      sequence,
      state: 'queued',
      attempts: [],
      message_ids: [],
      urls: [],
      warnings: [],
      published_at: null,
    });
  }
};

const ended = (
  attempts: readonly Attempt[],
  at: number,
  outcome: string,
  error: PublicationError | null,
): Attempt[] => {
  const last = attempts.at(-1);
  return last ? [...attempts.slice(0, -1), { ...last, ended_at: at, outcome, error }] : [];
};
