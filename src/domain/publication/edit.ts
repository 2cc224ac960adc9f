import type { Instant } from '../../kernel/clock.js';
import { assertNever } from '../../kernel/events.js';
import { isRejection, type Rejection } from '../../kernel/result.js';
import type { PublicationCommand } from './publication.decider.js';
import type {
  Content,
  PublicationEdited,
  PublicationEditFailed,
  PublicationEditPostponed,
  PublicationError,
  PublicationEvent,
  PublicationIds,
  PublicationPinFailed,
  PublicationPinned,
} from './publication.events.js';
import type { Edit, PublicationState } from './publication.state.js';
import { initialRetryCounters, limitRetryAt } from './retry-limits.js';

/** Commands of the worker that edits and pins the messages of a publication. */
export type EditProgress =
  | ({ readonly type: 'MarkEdited' } & PublicationEdited['data'])
  | ({
      readonly type: 'PostponeEdit';
      /** The error if it is not tried again (D-20). */
      readonly gaveUp: PublicationError;
    } & PublicationEditPostponed['data'])
  | ({ readonly type: 'MarkEditFailed' } & PublicationEditFailed['data'])
  | ({ readonly type: 'MarkPinned' } & PublicationPinned['data'])
  | ({ readonly type: 'MarkPinFailed' } & PublicationPinFailed['data']);

/** True if an attempt has to go on with the content that readers see a part of. */
const isContentFixed = ({ messageIds }: PublicationState): boolean => messageIds.length > 0;

/**
 * Returns the content that an attempt sends; null for the content that the post was released with. An attempt that has
 * begun keeps its own, also in the hands of another worker.
 */
export const contentToSend = (state: PublicationState): Content | null =>
  state.edit && state.status !== 'publishing' && !isContentFixed(state) ? state.edit.content : state.content;

/** True if an attempt may start with this content. @param content null for the content of the release */
export const isCurrentContent = (state: PublicationState, content: Content | null): boolean =>
  (content?.revision ?? 0) === (contentToSend(state)?.revision ?? 0);

/** The next attempt takes the newest content, so nothing of the former is kept. */
export const takeNewestContent = (state: PublicationState): PublicationState =>
  state.edit && !isContentFixed(state) ? { ...state, results: {}, projectRevision: null } : state;

/**
 * Decides on newer content (D-72). Returns no events if readers will never see it, or if the request was handled.
 */
export const decideEdit = (
  { type: _, refusal, ...request }: Extract<PublicationCommand, { type: 'EditPublication' }>,
  state: PublicationState,
): PublicationEvent[] => {
  const { revision } = request.content;
  const newest = state.edit ?? { content: state.content, requestedAt: 0, status: 'waiting' };
  const isNewer = revision > (newest.content?.revision ?? 0);
  const isAgain = newest.status === 'failed' && revision === newest.content?.revision;
  if (!isNewer && !(isAgain && request.requestedAt > newest.requestedAt)) return [];
  const requested = (waits: boolean): PublicationEvent => ({
    type: 'PublicationEditRequested',
    data: { ...request, waits },
  });
  switch (state.status) {
    case 'published':
    case 'withdraw_failed': {
      if (!state.hasSucceeded) return [];
      const { publicationId, postId, channelId, at } = request;
      if (refusal === null) return [requested(false)];
      const data = { publicationId, postId, channelId, at, revision, error: refusal, done: [] };
      return [requested(false), { type: 'PublicationEditFailed', data }];
    }
    case 'queued':
    case 'publishing':
    case 'failed':
    case 'in_doubt':
      return [requested(true)];
    case 'filtered':
    case 'dismissed':
    case 'withdrawing':
    case 'withdrawn':
      return [];
    default:
      return assertNever(state.status);
  }
};

/** Content that became newer during an attempt follows its success. */
export const editAfter = <R extends Rejection<'stale_attempt' | 'over'>>(
  decided: PublicationEvent[] | R,
  { edit, withdrawal }: PublicationState,
  { publicationId, postId, channelId, at }: PublicationIds & { readonly at: Instant },
): PublicationEvent[] | R => {
  const hasSucceeded = !isRejection(decided) && decided.some(({ type }) => type === 'PublicationSucceeded');
  if (!hasSucceeded || !edit || (withdrawal && !withdrawal.hasEnded)) return decided;
  const { ownerId, platform, by, requestedAt, content, releasedRevision } = edit;
  const request = { ownerId, platform, by, requestedAt, content, releasedRevision };
  const data = { publicationId, postId, channelId, at, ...request, waits: false };
  return [...decided, { type: 'PublicationEditRequested', data }];
};

/** Decides on the progress of an edit or a pin. Returns no events if the newest request is another one. */
export const decideEditProgress = ({ type, ...data }: EditProgress, state: PublicationState): PublicationEvent[] => {
  const { edit, pin } = state;
  switch (type) {
    case 'MarkPinned':
    case 'MarkPinFailed':
      if (!pin || pin.hasEnded) return [];
      if (type === 'MarkPinned') return [{ type: 'PublicationPinned', data: data as PublicationPinned['data'] }];
      return [{ type: 'PublicationPinFailed', data: limitPin(data as PublicationPinFailed['data'], pin) }];
    case 'MarkEdited': {
      const edited = data as PublicationEdited['data'];
      return isNewest(edit, edited.content.revision) ? [{ type: 'PublicationEdited', data: edited }] : [];
    }
    case 'MarkEditFailed': {
      const failed = data as PublicationEditFailed['data'];
      return isNewest(edit, failed.revision) ? [{ type: 'PublicationEditFailed', data: failed }] : [];
    }
    case 'PostponeEdit': {
      const { gaveUp: error, ...postponed } = data as Extract<EditProgress, { type: 'PostponeEdit' }>;
      if (!isNewest(edit, postponed.revision)) return [];
      const retryAt = limitRetryAt({ ...initialRetryCounters, ...edit }, postponed);
      if (retryAt !== null) return [{ type: 'PublicationEditPostponed', data: { ...postponed, retryAt } }];
      const { publicationId, postId, channelId, at, revision, done } = postponed;
      return [
        {
          type: 'PublicationEditFailed',
          data: { publicationId, postId, channelId, at, revision, error, done },
        },
      ];
    }
    default:
      return assertNever(type);
  }
};

const isNewest = (edit: PublicationState['edit'], revision: number): edit is Edit =>
  edit?.status === 'due' && edit.content.revision === revision;

const limitPin = (
  failed: PublicationPinFailed['data'],
  pin: NonNullable<PublicationState['pin']>,
): PublicationPinFailed['data'] => {
  const { at, rule, retryAt } = failed;
  const limited = retryAt === null ? null : limitRetryAt({ ...initialRetryCounters, ...pin }, { at, retryAt, rule });
  return { ...failed, retryAt: limited };
};

/** Applies an event of an edit or a pin. */
export const evolveEdit = (
  state: PublicationState,
  event: Extract<PublicationEvent, { type: `PublicationEdit${string}` | `PublicationPin${string}` }>,
): PublicationState => {
  const { edit, pin } = state;
  switch (event.type) {
    case 'PublicationEditRequested': {
      const { ownerId, platform, by, requestedAt, content, releasedRevision, waits } = event.data;
      const status = waits ? 'waiting' : 'due';
      const request = { ownerId, platform, by, requestedAt, content, releasedRevision, status } as const;
      const asked = {
        ...state,
        edit: { ...request, attempts: 0, failures: 0, firstStartedAt: null, done: [], error: null },
      };
      return state.status === 'publishing' ? asked : takeNewestContent(asked);
    }
    case 'PublicationEditPostponed': {
      const { at, rule, done, error } = event.data;
      if (!edit) return state;
      const failures = edit.failures + (rule === 'retry' ? 1 : 0);
      const firstStartedAt = edit.firstStartedAt ?? at;
      return { ...state, edit: { ...edit, attempts: edit.attempts + 1, failures, firstStartedAt, done, error } };
    }
    case 'PublicationEdited': {
      const { content, projectRevision, results } = event.data;
      return { ...state, edit: null, content, projectRevision, results };
    }
    case 'PublicationEditFailed': {
      const { error, done } = event.data;
      return { ...state, edit: edit && { ...edit, status: 'failed', attempts: edit.attempts + 1, error, done } };
    }
    case 'PublicationEditDropped':
      return { ...state, edit: edit && { ...edit, status: 'dropped' } };
    case 'PublicationPinned':
      return { ...state, pin: pin && { ...pin, isPinned: true, hasEnded: true } };
    case 'PublicationPinFailed': {
      if (!pin) return state;
      const { at, rule, retryAt } = event.data;
      const failures = pin.failures + (rule === 'retry' ? 1 : 0);
      const firstStartedAt = pin.firstStartedAt ?? at;
      return { ...state, pin: { ...pin, failures, firstStartedAt, hasEnded: retryAt === null } };
    }
    default:
      return assertNever(event);
  }
};

/** What the worker that changes published posts has to do next; null if there is nothing. */
export const nextChangeOf = ({ status, edit, pin }: PublicationState): 'withdraw' | 'edit' | 'pin' | null => {
  if (status === 'withdrawing') return 'withdraw';
  if (edit?.status === 'due') return 'edit';
  return pin && !pin.hasEnded ? 'pin' : null;
};
