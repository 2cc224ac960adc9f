import type { Api } from '../api/management.js';
import { contentMessages } from './messages.js';

/** A publication, as returned by the API. */
export type Publication = Api<'Publication'>;

/** Why a publication is waiting. */
export type WaitRule = NonNullable<Api<'WaitingFor'>['rule']>;

/**
 * A state as the console shows it: the API's state and, for a planned or queued publication, the reason it is waiting.
 */
export type ShownState =
  | 'published'
  | 'publishing'
  | 'planned'
  | 'needs_approval'
  | 'waiting'
  | 'paused'
  | 'slowed'
  | 'retrying'
  | 'in_doubt'
  | 'on_hold'
  | 'failed'
  | 'filtered'
  | 'confirmed'
  | 'cancelled'
  | 'dismissed'
  | 'withdrawing'
  | 'withdrawn'
  | 'withdraw_failed';

const BY_RULE: Readonly<Record<WaitRule, ShownState>> = {
  scheduled: 'planned',
  approval: 'needs_approval',
  restored: 'on_hold',
  project_pause: 'paused',
  channel_pause: 'paused',
  backlog_spacing: 'waiting',
  earlier_publication: 'waiting',
  retry: 'retrying',
  platform_limit: 'slowed',
  pace: 'slowed',
  share: 'waiting',
  needs_attention: 'on_hold',
  quota: 'on_hold',
};

/** The fields of a publication that determine its shown state. */
type Stated = Pick<Publication, 'state' | 'waiting_for'> & Partial<Pick<Publication, 'attempts' | 'withdrawal'>>;

/** Returns what a dismissal meant: a confirmed doubt, a cancellation, or the dismissal of a failure. */
export const settledAs = ({ attempts, withdrawal }: Omit<Stated, 'state' | 'waiting_for'>) => {
  // A deletion failed, and a person left the rest in place.
  if (withdrawal && withdrawal.remaining.length > 0) return 'dismissed';
  switch (attempts?.at(-1)?.outcome) {
    case 'in_doubt':
      return 'confirmed';
    case 'failed':
      return 'dismissed';
    default:
      return 'cancelled';
  }
};

/** Returns the state of a publication as the console shows it. */
export const shownState = (publication: Stated): ShownState => {
  const { state, waiting_for: waitingFor } = publication;
  if (state === 'dismissed') return settledAs(publication);
  if (state !== 'planned' && state !== 'queued') return state;
  if (waitingFor?.rule) return BY_RULE[waitingFor.rule];
  return state === 'planned' ? 'planned' : 'waiting';
};

/**
 * Returns whether a wait under this rule needs someone to act. True for the quota, although a new month also ends that
 * wait.
 */
export const isEndedByPerson = (rule: WaitRule | null): boolean => {
  const state = rule && BY_RULE[rule];
  return state === 'on_hold' || state === 'needs_approval';
};

/** Returns whether a publication is waiting for someone to act, in which case no countdown is shown. */
export const needsPerson = ({ state, waiting_for: waitingFor }: Pick<Publication, 'state' | 'waiting_for'>): boolean =>
  state === 'in_doubt' || state === 'withdraw_failed' || (!!waitingFor && isEndedByPerson(waitingFor.rule));

/** States, worst first. */
export const SEVERITY: readonly ShownState[] = [
  'in_doubt',
  'withdraw_failed',
  'failed',
  'on_hold',
  'needs_approval',
  'retrying',
  'slowed',
  'paused',
  'waiting',
  'planned',
  'publishing',
  'withdrawing',
  'filtered',
  'dismissed',
  'cancelled',
  'withdrawn',
  'confirmed',
  'published',
];

/** Returns the worst state of a list of publications; null if the list is empty. */
export const worstOf = (publications: readonly Stated[]): ShownState | null => {
  const states = new Set(publications.map(shownState));
  return SEVERITY.find((state) => states.has(state)) ?? null;
};

/** A post in a list. */
export type Post = Api<'Post'>;

/** Publication states that may still change, automatically or when a user acts. */
const OPEN_STATES: ReadonlySet<Publication['state']> = new Set([
  'planned',
  'queued',
  'publishing',
  'in_doubt',
  'failed',
  'withdrawing',
  'withdraw_failed',
]);

/** Returns whether a publication's state may still change, automatically or when a user acts. */
export const isOpen = ({ state }: Pick<Publication, 'state'>): boolean => OPEN_STATES.has(state);

type Messages = Pick<Publication, 'message_ids' | 'duplicates'> & Partial<Pick<Publication, 'withdrawal'>>;

/** Counts the messages of a publication, and those of them that readers may still see. */
export const countMessages = ({
  message_ids: ids,
  duplicates,
  withdrawal,
}: Messages): { readonly all: number; readonly left: number } => {
  const all = duplicates.reduce((sum, duplicate) => sum + duplicate.message_ids.length, ids.length);
  return { all, left: withdrawal ? withdrawal.remaining.length : all };
};

/** Returns whether a publication is still to be deleted or kept from being sent, because its post was taken back. */
export const isBeingTakenBack = ({ state, withdrawal }: Pick<Publication, 'state' | 'withdrawal'>): boolean =>
  state === 'withdrawing' || (state === 'publishing' && withdrawal?.ended_at === null);

/** Returns whether readers may see something of a publication that is not taken back yet. */
export const mayBeSeen = (publication: Publication): boolean => {
  const { state } = publication;
  if (state === 'published' || state === 'in_doubt') return true;
  if (state === 'publishing') return !isBeingTakenBack(publication);
  return (state === 'queued' || state === 'failed' || state === 'dismissed') && countMessages(publication).left > 0;
};

/** Returns whether taking a publication back would change it. Those that could not be taken back are tried again. */
export const canTakeBack = (publication: Publication): boolean =>
  publication.state === 'planned' || publication.state === 'queued' || mayBeSeen(publication);

/** Returns a one-line title for a post: its excerpt or, if it has no text, its number of media files or its id. */
export const postTitle = (
  {
    id,
    excerpt,
    media_count: media,
    content_erased: isErased,
  }: Pick<Post, 'id' | 'excerpt' | 'media_count' | 'content_erased'>,
  mediaOnly: (count: number) => string,
): string => {
  if (isErased) return contentMessages.erasedTitle;
  if (excerpt !== null) return excerpt;
  return media === null || media === 0 ? id : mediaOnly(media);
};
