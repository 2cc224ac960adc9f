import type { PostEvent } from '../../domain/post/post.events.js';
import type {
  PublicationEvent,
  PublicationError,
  PublicationWarning,
} from '../../domain/publication/publication.events.js';
import type { RecordedEventOf } from '../../kernel/events.js';
import type { Projection, Tx } from '../projection.js';
import { type RowTable, Rows } from '../rows.js';

type Known = RecordedEventOf<PostEvent | PublicationEvent>;
export type PublicationViewState =
  'queued' | 'publishing' | 'published' | 'failed' | 'in_doubt' | 'filtered' | 'dismissed';

/** One try at publishing, as management.md shows it. */
export interface Attempt {
  readonly n: number;
  readonly started_at: number;
  readonly ended_at: number | null;
  /** `published`, `postponed`, `failed`, `in_doubt`; null while it lasts. */
  readonly outcome: string | null;
  readonly error: PublicationError | null;
}

export interface PublicationRow {
  readonly publication_id: string;
  readonly post_id: string;
  readonly channel_id: string;
  readonly project_id: string;
  readonly platform: string;
  readonly sequence: number;
  readonly state: PublicationViewState;
  readonly attempts: readonly Attempt[];
  readonly message_ids: readonly string[];
  readonly urls: readonly string[];
  readonly warnings: readonly PublicationWarning[];
  readonly published_at: number | null;
}

export interface PostRow {
  readonly post_id: string;
  readonly endpoint_id: string;
  readonly owner_id: string;
  readonly stream: string;
  readonly revision: string;
  readonly accepted_at: number;
  readonly external_id: string | null;
  readonly trace_id: string | null;
}

interface SequenceRow {
  readonly channel_id: string;
  readonly last: number;
}

const publicationRows: RowTable<PublicationRow> = {
  name: 'publication',
  key: 'publication_id',
  columns: [
    ...(['publication_id', 'post_id', 'channel_id', 'project_id', 'platform', 'sequence', 'state'] as const),
    ...(['attempts', 'message_ids', 'urls', 'warnings', 'published_at'] as const),
  ],
};
const postRows: RowTable<PostRow> = {
  name: 'post',
  key: 'post_id',
  columns: ['post_id', 'endpoint_id', 'owner_id', 'stream', 'revision', 'accepted_at', 'external_id', 'trace_id'],
};
const sequenceRows: RowTable<SequenceRow> = { name: 'sequence', key: 'channel_id', columns: ['channel_id', 'last'] };

interface InHand {
  readonly posts: Rows<PostRow>;
  readonly publications: Rows<PublicationRow>;
  readonly sequences: Rows<SequenceRow>;
}

/** Posts and what became of them on each target. Payloads stay in the store; a row says where. */
export const posts: Projection = {
  name: 'posts',
  version: 1,
  tables: `
    create table post (
      post_id text primary key,
      endpoint_id text not null,
      owner_id text not null,
      stream text not null,
      revision text not null,
      accepted_at bigint not null,
      external_id text,
      trace_id text
    );
    create index post_endpoint on post (endpoint_id, post_id);
    create index post_owner on post (owner_id, post_id);

    create table publication (
      publication_id text primary key,
      post_id text not null,
      channel_id text not null,
      project_id text not null,
      platform text not null,
      sequence bigint not null,
      state text not null,
      attempts jsonb not null,
      message_ids jsonb not null,
      urls jsonb not null,
      warnings jsonb not null,
      published_at bigint
    ) with (fillfactor = 70);
    create index publication_post on publication (post_id);
    create index publication_channel on publication (channel_id, sequence);
    create index publication_state on publication (state, post_id) where state <> 'published';

    create table sequence (channel_id text primary key, last bigint not null) with (fillfactor = 50);
  `,
  views: ['post', 'publication'],

  async apply(tx, events) {
    const known = events.filter(({ type }) => type === 'PostAccepted' || type.startsWith('Publication')) as Known[];
    if (known.length === 0) return;
    const hand = await load(tx, known);
    for (const event of known) handle(event, hand);
    await hand.posts.flush();
    await hand.publications.flush();
    await hand.sequences.flush();
  },
};

const load = async (tx: Tx, known: readonly Known[]): Promise<InHand> => {
  const channelIds = new Set<string>();
  const publicationIds = new Set<string>();
  for (const event of known) {
    if (event.type === 'PostAccepted') for (const { channelId } of event.data.targets) channelIds.add(channelId);
    else if (event.type !== 'PostPassedOver') publicationIds.add(event.data.publicationId);
  }
  return {
    posts: await Rows.load(tx, postRows, []),
    publications: await Rows.load(tx, publicationRows, publicationIds),
    sequences: await Rows.load(tx, sequenceRows, channelIds),
  };
};

const handle = (event: Known, hand: InHand): void => {
  if (event.type === 'PostPassedOver') return;
  if (event.type === 'PostAccepted') return accept(event, hand);
  const { publications } = hand;
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
    case 'PublicationStepDone': {
      const { messageIds, urls } = event.data;
      publications.put({ ...row, message_ids: [...row.message_ids, ...messageIds], urls: [...row.urls, ...urls] });
      return;
    }
    case 'PublicationSendBegan':
      return;
  }
};

const ENDINGS = {
  PublicationPostponed: ['queued', 'postponed'],
  PublicationFailed: ['failed', 'failed'],
  PublicationInDoubt: ['in_doubt', 'in_doubt'],
} as const;

const accept = (event: Extract<Known, { type: 'PostAccepted' }>, { posts, publications, sequences }: InHand): void => {
  const { postId, endpointId, ownerId, externalId, traceId, acceptedAt, targets } = event.data;
  posts.put({
    post_id: postId,
    endpoint_id: endpointId,
    owner_id: ownerId,
    stream: event.stream,
    revision: String(event.revision),
    accepted_at: acceptedAt,
    external_id: externalId,
    trace_id: traceId,
  });
  for (const { publicationId, channelId, platform, projectId } of targets) {
    const sequence = (sequences.get(channelId)?.last ?? 0) + 1;
    sequences.put({ channel_id: channelId, last: sequence });
    publications.put({
      publication_id: publicationId,
      post_id: postId,
      channel_id: channelId,
      project_id: projectId,
      platform,
      sequence,
      state: 'queued',
      ...{ attempts: [], message_ids: [], urls: [], warnings: [], published_at: null },
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
