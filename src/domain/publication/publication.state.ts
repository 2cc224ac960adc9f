import type { Instant } from '../../kernel/clock.js';
import { assertNever } from '../../kernel/events.js';
import type { JsonObject } from '../../kernel/ids.js';
import { evolveEdit, takeNewestContent } from './edit.js';
import {
  type Content,
  type PublicationEditRequested,
  type PublicationError,
  type PublicationEvent,
  type PublicationWithdrawalRequested,
  RESTORED,
  type Sender,
} from './publication.events.js';
import { initialRetryCounters, type RetryCounters } from './retry-limits.js';
import { endWithdrawal, settle, UNKNOWN_STEP } from './withdrawal.js';

/** Status of a publication (management-api.md: publication). */
export type PublicationStatus =
  | 'queued'
  | 'publishing'
  | 'published'
  | 'failed'
  | 'in_doubt'
  | 'filtered'
  | 'dismissed'
  | 'withdrawing'
  | 'withdrawn'
  | 'withdraw_failed';

/** The latest request to take a publication back (D-69). */
interface Withdrawal extends Pick<PublicationWithdrawalRequested['data'], 'ownerId' | 'platform' | 'by' | 'reason'> {
  readonly requestedAt: Instant;
  /** Number of tries that did not end it. */
  readonly attempts: number;
  /** Time of the next try, if one was put off; otherwise 0. */
  readonly retryAt: Instant;
  /** True once every message is gone, a person must act, or a person has left it. */
  readonly hasEnded: boolean;
}

/** Content that is newer than what readers see (D-72). */
export interface Edit
  extends
    Pick<
      PublicationEditRequested['data'],
      'ownerId' | 'platform' | 'by' | 'requestedAt' | 'content' | 'releasedRevision'
    >,
    Pick<RetryCounters, 'failures' | 'firstStartedAt'> {
  /**
   * `waiting`: the next attempt publishes it, or the success of the current one makes it due. `dropped`: it failed, and a
   * person leaves what readers see.
   */
  readonly status: 'waiting' | 'due' | 'failed' | 'dropped';
  readonly attempts: number;
  /** Messages that show it. */
  readonly done: readonly string[];
  readonly error: PublicationError | null;
}

/** A message that is to be pinned. */
interface Pin extends Pick<RetryCounters, 'failures' | 'firstStartedAt'> {
  readonly isPinned: boolean;
  readonly hasEnded: boolean;
}

export interface PublicationState extends RetryCounters {
  readonly status: PublicationStatus;
  /** Number of the latest attempt; 0 before the first. */
  readonly attempt: number;
  /** Start of the latest attempt; 0 before the first. */
  readonly startedAt: Instant;
  readonly worker: string | null;
  /** Project revision whose processing produced the text for all attempts; null if there is no text yet (D-28). */
  readonly projectRevision: string | null;
  /** The visible step that is being sent; after a crash its outcome is in doubt. */
  readonly sending: string | null;
  readonly results: Readonly<Record<string, JsonObject>>;
  readonly messageIds: readonly string[];
  readonly urls: readonly string[];
  /** Ids of messages that readers see in addition to `messageIds` (D-84). */
  readonly duplicateIds: readonly string[];
  /** True while a person has to deal with a duplicate. */
  readonly hasOpenDuplicate: boolean;
  /** True once the whole post was published, whatever became of it since. */
  readonly hasSucceeded: boolean;
  /** The visible step of which it is unknown whether readers see it, or {@link UNKNOWN_STEP}; null unless in doubt. */
  readonly doubtfulStep: string | null;
  /** When that became unknown; 0 before. */
  readonly doubtfulSince: Instant;
  /** Who made the latest attempt, and where; null before the first, and in events of former releases. */
  readonly sender: Sender | null;
  readonly withdrawal: Withdrawal | null;
  /** Messages that were deleted. */
  readonly deletedIds: readonly string[];
  /** The content of the latest attempt or edit; null for the content that the post was released with. */
  readonly content: Content | null;
  readonly edit: Edit | null;
  /** Null if it was not asked for. */
  readonly pin: Pin | null;
}

/** State of a publication that no worker has started. */
export const initial: PublicationState = {
  status: 'queued',
  attempt: 0,
  startedAt: 0,
  ...initialRetryCounters,
  worker: null,
  projectRevision: null,
  sending: null,
  results: {},
  messageIds: [],
  urls: [],
  duplicateIds: [],
  hasOpenDuplicate: false,
  hasSucceeded: false,
  doubtfulStep: null,
  doubtfulSince: 0,
  sender: null,
  withdrawal: null,
  deletedIds: [],
  content: null,
  edit: null,
  pin: null,
};

/** Applies an event of a publication. */
export const evolve = (state: PublicationState, event: PublicationEvent): PublicationState => {
  switch (event.type) {
    case 'PublicationStarted': {
      const { attempt, worker, sending, at, projectRevision, sender, content = null } = event.data;
      const firstStartedAt = state.firstStartedAt ?? at;
      const waitedMs = state.waitedMs + at - (state.waitingSince ?? at);
      const counts = { firstStartedAt, waitingSince: null, waitedMs };
      const text = { projectRevision: projectRevision ?? state.projectRevision };
      return {
        ...state,
        ...counts,
        ...text,
        status: 'publishing',
        attempt,
        startedAt: at,
        worker,
        sending,
        sender: sender ?? null,
        content,
        edit: state.edit && state.edit.content.revision <= (content?.revision ?? 0) ? null : state.edit,
      };
    }
    case 'PublicationStepStarted':
      return { ...state, sending: event.data.sending };
    case 'PublicationStepCompleted': {
      const { step, result, messageIds, urls, sending } = event.data;
      const ids = { messageIds: [...state.messageIds, ...messageIds], urls: [...state.urls, ...urls] };
      const doubtfulStep = state.doubtfulStep === step ? null : state.doubtfulStep;
      return { ...state, ...ids, sending, doubtfulStep, results: { ...state.results, [step]: result } };
    }
    case 'PublicationSucceeded': {
      const { messageIds, urls, pin: isPossible } = event.data;
      const shown = { sending: null, doubtfulStep: null, messageIds, urls, hasSucceeded: true };
      const asked = { failures: 0, firstStartedAt: null, isPinned: false, hasEnded: !isPossible };
      const pin = isPossible === undefined || state.withdrawal ? null : asked;
      return { ...state, ...shown, pin, status: settle(state, 'published') };
    }
    case 'PublicationPostponed': {
      const { rule, at, error } = event.data;
      const counted = rule === 'retry' ? { failures: state.failures + 1 } : { waitingSince: at };
      const waits =
        rule === 'platform_limit' ? { ...state.waits, [error.code]: (state.waits[error.code] ?? 0) + 1 } : state.waits;
      return takeNewestContent({ ...state, ...counted, waits, status: 'queued', sending: null });
    }
    case 'PublicationFailed':
      return { ...state, status: settle(state, 'failed'), sending: null };
    case 'PublicationInDoubt': {
      const { attempt, at: doubtfulSince, error } = event.data;
      // Where events were lost, other steps may have been sent too (D-80).
      const doubtfulStep = error.code === RESTORED ? UNKNOWN_STEP : event.data.step;
      return { ...state, status: settle(state, 'in_doubt'), attempt, doubtfulStep, doubtfulSince, sending: null };
    }
    case 'PublicationFiltered':
      return { ...state, status: 'filtered' };
    case 'PublicationResent': {
      // The owner expects the project's current processing and the current media; earlier uploads may have expired.
      // If a part of the post has been published, its text and uploads are kept, so that the rest matches it.
      const fresh = state.messageIds.length > 0 ? {} : { projectRevision: null, results: {} };
      return { ...state, ...initialRetryCounters, ...fresh, status: 'queued', sending: null, doubtfulStep: null };
    }
    case 'PublicationHeld': // the wait may last a month, so the D-20 counters are reset
      return { ...state, ...initialRetryCounters };
    case 'PublicationDismissed':
      return { ...endWithdrawal(state), status: 'dismissed', doubtfulStep: null };
    case 'PublicationDuplicateFound': {
      const duplicateIds = [...state.duplicateIds, ...event.data.messageIds];
      return { ...state, duplicateIds, hasOpenDuplicate: true };
    }
    case 'PublicationDuplicateDismissed':
      return { ...state, hasOpenDuplicate: false };
    case 'PublicationWithdrawalRequested': {
      const { ownerId, platform, by, reason, requestedAt, isPublishing } = event.data;
      const withdrawal = { ownerId, platform, by, reason, requestedAt, attempts: 0, retryAt: 0, hasEnded: false };
      const status = isPublishing ? state.status : 'withdrawing';
      return { ...state, withdrawal, status, edit: null, pin: null };
    }
    case 'PublicationMessageDeleted':
      return { ...state, deletedIds: [...state.deletedIds, event.data.messageId] };
    case 'PublicationWithdrawalPostponed': {
      const { withdrawal } = state;
      const { retryAt } = event.data;
      return { ...state, withdrawal: withdrawal && { ...withdrawal, attempts: withdrawal.attempts + 1, retryAt } };
    }
    case 'PublicationWithdrawn':
      return { ...endWithdrawal(state), status: 'withdrawn', doubtfulStep: null, hasOpenDuplicate: false };
    case 'PublicationWithdrawalFailed':
      return { ...endWithdrawal(state), status: 'withdraw_failed' };
    case 'PublicationWithdrawalDropped':
      return { ...state, status: event.data.status };
    case 'PublicationEditRequested':
    case 'PublicationEditPostponed':
    case 'PublicationEdited':
    case 'PublicationEditFailed':
    case 'PublicationEditDropped':
    case 'PublicationPinned':
    case 'PublicationPinFailed':
      return evolveEdit(state, event);
    default:
      return assertNever(event);
  }
};
