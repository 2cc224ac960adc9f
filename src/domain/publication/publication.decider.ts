import type { Instant } from '../../kernel/clock.js';
import { assertNever, type Decider } from '../../kernel/events.js';
import type { JsonObject } from '../../kernel/ids.js';
import { isRejection, reject, type Rejection } from '../../kernel/result.js';
import { PUBLICATION_MESSAGES } from '../messages.js';
import type {
  PublicationDismissed,
  PublicationDuplicateDismissed,
  PublicationDuplicateFound,
  PublicationEvent,
  PublicationFailed,
  PublicationFiltered,
  PublicationHeld,
  PublicationIds,
  PublicationInDoubt,
  PublicationMessageDeleted,
  PublicationPostponed,
  PublicationResent,
  PublicationStarted,
  PublicationStepCompleted,
  PublicationStepStarted,
  PublicationSucceeded,
  PublicationWithdrawalFailed,
  PublicationWithdrawalPostponed,
  PublicationWithdrawalRequested,
  PublicationWithdrawn,
  Sender,
} from './publication.events.js';
import { initialRetryCounters, limitRetryAt, type RetryCounters } from './retry-limits.js';

/**
 * Commands to a publication. Commands from an attempt carry its number and are rejected if another attempt has replaced
 * it.
 */
export type PublicationCommand =
  | ({
      readonly type: 'StartAttempt';
      /** Number of the previous attempt; 0 if this is the first. */
      readonly after: number;
    } & Omit<PublicationStarted['data'], 'attempt'>)
  | ({ readonly type: 'StartStep' } & PublicationStepStarted['data'])
  | ({ readonly type: 'CompleteStep'; readonly at: Instant } & PublicationStepCompleted['data'])
  | ({ readonly type: 'MarkPublished' } & PublicationSucceeded['data'])
  | ({ readonly type: 'PostponePublication' } & PublicationPostponed['data'])
  | ({ readonly type: 'MarkFailed' } & PublicationFailed['data'])
  | ({
      readonly type: 'MarkInDoubt';
      /** Time at which to send again if the channel has `on_doubt: resend`; null if the owner has to decide. */
      readonly resendAt: Instant | null;
    } & Omit<PublicationInDoubt['data'], 'step'>)
  | ({
      /** Events were lost since the publication was queued, so it may have been sent, cancelled or changed (D-80). */
      readonly type: 'MarkRestored';
    } & Omit<PublicationInDoubt['data'], 'step' | 'attempt'>)
  | ({
      /** A look-up found a step of a publication that is in doubt because events were lost (D-80). */
      readonly type: 'MarkFound';
      readonly step: string;
      readonly result: JsonObject;
      /** True if readers see the whole post. */
      readonly isWhole: boolean;
    } & Omit<PublicationSucceeded['data'], 'attempt'>)
  | ({ readonly type: 'HoldPublication' } & Omit<PublicationHeld['data'], 'rule'>)
  | ({ readonly type: 'FilterPublication' } & PublicationFiltered['data'])
  | ({ readonly type: 'ResendPublication' } & PublicationResent['data'])
  | ({ readonly type: 'DismissPublication' } & PublicationDismissed['data'])
  | ({ readonly type: 'CancelPublication' } & PublicationDismissed['data'])
  | ({ readonly type: 'DismissDuplicate' } & PublicationDuplicateDismissed['data'])
  | ({ readonly type: 'WithdrawPublication' } & Omit<PublicationWithdrawalRequested['data'], 'isPublishing'>)
  | WithdrawalProgress;

/** Commands of the worker that deletes the messages of a publication (D-69). */
type WithdrawalProgress =
  | ({ readonly type: 'MarkMessageDeleted' } & PublicationMessageDeleted['data'])
  /** Nothing is left: every message is gone, and an unconfirmed send was surely not made. */
  | ({ readonly type: 'MarkWithdrawn' } & PublicationWithdrawn['data'])
  | ({
      readonly type: 'PostponeWithdrawal';
      /** From this time on, there is no further try. */
      readonly endsAt: Instant;
    } & PublicationWithdrawalPostponed['data'])
  | ({ readonly type: 'MarkWithdrawalFailed' } & PublicationWithdrawalFailed['data']);

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
  /** True once every message is gone, a person must act, or a person has left it. */
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
  /** The visible step of which it is unknown whether readers see it; null unless in doubt. */
  readonly doubtfulStep: string | null;
  /** Who made the latest attempt, and where; null before the first, and in events of former releases. */
  readonly sender: Sender | null;
  readonly withdrawal: Withdrawal | null;
  /** Messages that were deleted. */
  readonly deletedIds: readonly string[];
}

/** Lists the messages that readers may still see, last one first: that is the order of their deletion. */
export const listRemaining = ({ messageIds, duplicateIds, deletedIds }: PublicationState): readonly string[] => {
  const deleted = new Set(deletedIds);
  return [...messageIds, ...duplicateIds].filter((id) => !deleted.has(id)).reverse();
};

const initial: PublicationState = {
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
  sender: null,
  withdrawal: null,
  deletedIds: [],
};

/** The publication of one post on one channel: its attempts, their steps and the outcome (D-20, D-25, D-26). */
export const publication: Decider<
  PublicationCommand,
  PublicationState,
  PublicationEvent,
  'already_started' | 'over' | 'stale_attempt' | 'wrong_state' | 'publishing'
> = {
  category: 'publication',
  initial,

  decide(command, state) {
    const { publicationId, postId, channelId } = command;
    const ids = { publicationId, postId, channelId };
    switch (command.type) {
      case 'StartAttempt': {
        if (state.status === 'publishing') return reject('already_started', PUBLICATION_MESSAGES.alreadyStarted);
        if (state.status !== 'queued') return reject('over', PUBLICATION_MESSAGES.over({ status: state.status }));
        const { after, at, worker, sending, projectRevision, sender } = command;
        // The start is based on outdated state: the latest attempt may have sent part of the post or scheduled a retry.
        // The same applies if a late answer has completed the step that would be sent.
        if (after !== state.attempt || (sending !== null && sending in state.results))
          return reject('stale_attempt', PUBLICATION_MESSAGES.attemptReplaced);
        const attempt = after + 1;
        return [
          {
            type: 'PublicationStarted',
            data: { attempt, worker, sending, at, projectRevision, ...(sender && { sender }), ...ids },
          },
        ];
      }
      case 'MarkRestored': {
        if (state.status !== 'queued' && state.status !== 'publishing')
          return reject('over', PUBLICATION_MESSAGES.over({ status: state.status }));
        const { at, error } = command;
        const { sending } = state;
        // A doubt without an open attempt counts as one, so that numbers of attempts stay unique.
        const attempt = state.status === 'publishing' ? state.attempt : state.attempt + 1;
        return [{ type: 'PublicationInDoubt', data: { attempt, at, step: sending ?? 'unknown', error, ...ids } }];
      }
      case 'MarkFound': {
        // Someone may have settled it during the look-up.
        if (state.status !== 'in_doubt') return reject('over', PUBLICATION_MESSAGES.over({ status: state.status }));
        const { at, step, result, isWhole, messageIds, urls, warnings } = command;
        const { attempt } = state;
        if (!isWhole) {
          const completed = { attempt, step, result, messageIds, urls, sending: null };
          return step in state.results ? [] : [{ type: 'PublicationStepCompleted', data: { ...completed, ...ids } }];
        }
        const all = { messageIds: [...state.messageIds, ...messageIds], urls: [...state.urls, ...urls] };
        return [{ type: 'PublicationSucceeded', data: { attempt, at, ...all, warnings, ...ids } }];
      }
      case 'HoldPublication': {
        if (state.status !== 'queued') return reject('over', PUBLICATION_MESSAGES.over({ status: state.status }));
        const { at, until, ownerId, ownerRevision } = command;
        return [{ type: 'PublicationHeld', data: { at, rule: 'quota', until, ownerId, ownerRevision, ...ids } }];
      }
      case 'FilterPublication':
        if (state.status !== 'queued') return reject('over', PUBLICATION_MESSAGES.over({ status: state.status }));
        return [{ type: 'PublicationFiltered', data: { at: command.at, reason: command.reason, ...ids } }];
      case 'ResendPublication':
      case 'DismissPublication': {
        if (command.type === 'DismissPublication' && state.status === 'withdraw_failed') {
          const status = state.hasSucceeded ? 'published' : 'dismissed';
          return [{ type: 'PublicationWithdrawalDropped', data: { at: command.at, status, ...ids } }];
        }
        if (state.status !== 'in_doubt' && state.status !== 'failed') {
          return reject('wrong_state', PUBLICATION_MESSAGES.notResendable({ status: state.status }));
        }
        const type = command.type === 'ResendPublication' ? 'PublicationResent' : 'PublicationDismissed';
        return [{ type, data: { at: command.at, ...ids } }];
      }
      case 'CancelPublication': {
        // A cancellation and a start compete for the same revision, so only one of them can be appended.
        if (state.status === 'queued') return [{ type: 'PublicationDismissed', data: { at: command.at, ...ids } }];
        const code = state.status === 'publishing' ? 'publishing' : 'wrong_state';
        return reject(code, explainUncancellable(state.status));
      }
      case 'MarkPublished': {
        // A worker that lost its lease may still report success, which is the truth whatever was recorded since: it
        // resolves a doubt and cancels a retry, which would send the post twice.
        if (command.attempt < 1 || command.attempt > state.attempt)
          return reject('stale_attempt', PUBLICATION_MESSAGES.attemptReplaced);
        if (state.hasSucceeded) return withdrawAgain(decideDuplicate(command, state, ids), state, command);
        const { attempt, at, messageIds, urls, warnings } = command;
        const all = { messageIds: [...state.messageIds, ...messageIds], urls: [...state.urls, ...urls] };
        const data = { attempt, at, messageIds: all.messageIds, urls: all.urls, warnings, ...ids };
        return withdrawAgain([{ type: 'PublicationSucceeded', data }], state, command);
      }
      case 'DismissDuplicate':
        if (!state.hasOpenDuplicate) return reject('wrong_state', PUBLICATION_MESSAGES.noDuplicate);
        return [{ type: 'PublicationDuplicateDismissed', data: { at: command.at, ...ids } }];
      case 'CompleteStep': {
        const { attempt, step, result, messageIds, urls } = command;
        const isCurrent = state.status === 'publishing' && attempt === state.attempt;
        const isVisible = messageIds.length > 0;
        if (attempt < 1 || attempt > state.attempt || (!isCurrent && !isVisible))
          return reject('stale_attempt', PUBLICATION_MESSAGES.attemptReplaced);
        // A lookup and a returning worker may both report a step, but its messages count only once.
        if (step in state.results || state.hasSucceeded)
          return withdrawAgain(decideDuplicate(command, state, ids), state, command);
        // A late answer must not name a step that another attempt has not started. Nothing follows a take-back.
        const next = state.withdrawal ? null : command.sending;
        const sending = isCurrent ? next : state.sending === step ? null : state.sending;
        const data = { attempt, step, result, messageIds, urls, sending, ...ids };
        return withdrawAgain([{ type: 'PublicationStepCompleted', data }], state, command);
      }
      case 'WithdrawPublication':
        return decideWithdrawal(command, state);
      case 'MarkMessageDeleted':
      case 'MarkWithdrawn':
      case 'PostponeWithdrawal':
      case 'MarkWithdrawalFailed':
        if (state.status !== 'withdrawing') return reject('over', PUBLICATION_MESSAGES.over({ status: state.status }));
        return decideWithdrawalProgress(command, state, ids);
      case 'StartStep':
      case 'PostponePublication':
      case 'MarkFailed':
      case 'MarkInDoubt':
        if (state.status !== 'publishing' || command.attempt !== state.attempt) {
          return reject('stale_attempt', PUBLICATION_MESSAGES.attemptReplaced);
        }
        return decideInAttempt(command, state, ids);
      default:
        return assertNever(command);
    }
  },

  evolve(state, event) {
    switch (event.type) {
      case 'PublicationStarted': {
        const { attempt, worker, sending, at, projectRevision, sender } = event.data;
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
        const { messageIds, urls } = event.data;
        const shown = { sending: null, doubtfulStep: null, messageIds, urls, hasSucceeded: true };
        return { ...state, ...shown, status: settle(state, 'published') };
      }
      case 'PublicationPostponed': {
        const { rule, at, error } = event.data;
        const counted = rule === 'retry' ? { failures: state.failures + 1 } : { waitingSince: at };
        const waits =
          rule === 'platform_limit'
            ? { ...state.waits, [error.code]: (state.waits[error.code] ?? 0) + 1 }
            : state.waits;
        return { ...state, ...counted, waits, status: 'queued', sending: null };
      }
      case 'PublicationFailed':
        return { ...state, status: settle(state, 'failed'), sending: null };
      case 'PublicationInDoubt': {
        const { attempt, step: doubtfulStep } = event.data;
        return { ...state, status: settle(state, 'in_doubt'), attempt, doubtfulStep, sending: null };
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
        const withdrawal = { ownerId, platform, by, reason, requestedAt, attempts: 0, hasEnded: false };
        return { ...state, withdrawal, status: isPublishing ? state.status : 'withdrawing', sending: state.sending };
      }
      case 'PublicationMessageDeleted':
        return { ...state, deletedIds: [...state.deletedIds, event.data.messageId] };
      case 'PublicationWithdrawalPostponed': {
        const { withdrawal } = state;
        return { ...state, withdrawal: withdrawal && { ...withdrawal, attempts: withdrawal.attempts + 1 } };
      }
      case 'PublicationWithdrawn':
        return { ...endWithdrawal(state), status: 'withdrawn', doubtfulStep: null, hasOpenDuplicate: false };
      case 'PublicationWithdrawalFailed':
        return { ...endWithdrawal(state), status: 'withdraw_failed' };
      case 'PublicationWithdrawalDropped':
        return { ...state, status: event.data.status };
      default:
        return assertNever(event);
    }
  },
};

/** An attempt has ended. If its post was taken back meanwhile, its messages are deleted next. */
const settle = ({ withdrawal }: PublicationState, status: PublicationStatus): PublicationStatus =>
  withdrawal && !withdrawal.hasEnded ? 'withdrawing' : status;

const endWithdrawal = (state: PublicationState): PublicationState =>
  state.withdrawal ? { ...state, withdrawal: { ...state.withdrawal, hasEnded: true } } : state;

/** Takes a publication back (D-69). Does nothing where nothing is left to do, or if this request was handled before. */
const decideWithdrawal = (
  { type: _, ...request }: Extract<PublicationCommand, { type: 'WithdrawPublication' }>,
  state: PublicationState,
): PublicationEvent[] => {
  if (state.withdrawal && state.withdrawal.requestedAt >= request.requestedAt) return [];
  const hasMessages = listRemaining(state).length > 0;
  const requested = (isPublishing = false): PublicationEvent => ({
    type: 'PublicationWithdrawalRequested',
    data: { ...request, isPublishing },
  });
  const { publicationId, postId, channelId, at } = request;
  switch (state.status) {
    case 'publishing':
      return state.withdrawal && !state.withdrawal.hasEnded ? [] : [requested(true)];
    case 'published':
    case 'in_doubt':
    case 'withdraw_failed':
      return [requested()];
    case 'queued':
    case 'failed':
    case 'dismissed':
      if (hasMessages) return [requested()];
      if (state.status !== 'queued') return [];
      return [requested(true), { type: 'PublicationDismissed', data: { at, publicationId, postId, channelId } }];
    case 'filtered':
    case 'withdrawing':
    case 'withdrawn':
      return [];
  }
};

/** Messages that appear after a publication was taken back are deleted too. */
const withdrawAgain = <R extends Rejection<'stale_attempt'>>(
  decided: PublicationEvent[] | R,
  { withdrawal, status }: PublicationState,
  { publicationId, postId, channelId, at }: PublicationIds & { readonly at: Instant },
): PublicationEvent[] | R => {
  if (isRejection(decided) || !withdrawal?.hasEnded || status === 'publishing') return decided;
  const { ownerId, platform, by, reason, requestedAt } = withdrawal;
  const data = {
    publicationId,
    postId,
    channelId,
    ownerId,
    platform,
    at,
    requestedAt,
    by,
    reason,
    isPublishing: false,
  };
  return [...decided, { type: 'PublicationWithdrawalRequested', data }];
};

const decideWithdrawalProgress = (
  command: WithdrawalProgress,
  state: PublicationState,
  ids: PublicationIds,
): PublicationEvent[] => {
  const { at } = command;
  const remaining = listRemaining(state);
  switch (command.type) {
    case 'MarkMessageDeleted': {
      const { messageId, wasThere } = command;
      if (!remaining.includes(messageId)) return [];
      const deleted: PublicationEvent = {
        type: 'PublicationMessageDeleted',
        data: { at, messageId, wasThere, ...ids },
      };
      const isLast = remaining.length === 1 && state.doubtfulStep === null;
      return isLast ? [deleted, { type: 'PublicationWithdrawn', data: { at, ...ids } }] : [deleted];
    }
    case 'MarkWithdrawn': {
      if (remaining.length > 0) return [];
      const type = state.messageIds.length > 0 ? 'PublicationWithdrawn' : 'PublicationDismissed';
      return [{ type, data: { at, ...ids } }];
    }
    case 'PostponeWithdrawal': {
      const { retryAt, rule, error, endsAt } = command;
      if (at >= endsAt) return [{ type: 'PublicationWithdrawalFailed', data: { at, error, ...ids } }];
      return [{ type: 'PublicationWithdrawalPostponed', data: { at, retryAt, rule, error, ...ids } }];
    }
    case 'MarkWithdrawalFailed':
      return [{ type: 'PublicationWithdrawalFailed', data: { at, error: command.error, ...ids } }];
    default:
      return assertNever(command);
  }
};

/** Explains why a publication that is not queued cannot be cancelled, and what its owner can do. */
const explainUncancellable = (status: Exclude<PublicationStatus, 'queued'>): string => {
  switch (status) {
    case 'publishing':
      return PUBLICATION_MESSAGES.beingSent;
    case 'in_doubt':
    case 'failed':
      return PUBLICATION_MESSAGES.dismissInstead({ status });
    case 'published':
      return PUBLICATION_MESSAGES.published;
    case 'filtered':
    case 'dismissed':
    case 'withdrawing':
    case 'withdrawn':
    case 'withdraw_failed':
      return PUBLICATION_MESSAGES.notSentAnyway({ status });
  }
};

type AttemptCommand = Extract<
  PublicationCommand,
  { type: 'StartStep' | 'PostponePublication' | 'MarkFailed' | 'MarkInDoubt' }
>;

/** Records messages of a late answer that are not known yet. Rejects a report that tells nothing new. */
const decideDuplicate = (
  { attempt, at, messageIds, urls }: Omit<PublicationDuplicateFound['data'], keyof PublicationIds>,
  { messageIds: counted, duplicateIds }: PublicationState,
  ids: PublicationIds,
): PublicationEvent[] | Rejection<'stale_attempt'> => {
  const known = new Set([...counted, ...duplicateIds]);
  if (messageIds.every((id) => known.has(id))) return reject('stale_attempt', PUBLICATION_MESSAGES.stepReported);
  return [{ type: 'PublicationDuplicateFound', data: { attempt, at, messageIds, urls, ...ids } }];
};

const decideInAttempt = (
  command: AttemptCommand,
  state: PublicationState,
  ids: PublicationIds,
): PublicationEvent[] | Rejection<'stale_attempt'> => {
  const { attempt } = command;
  if (state.withdrawal) return endAttemptOfWithdrawn(command, state, ids);
  switch (command.type) {
    case 'StartStep':
      return [{ type: 'PublicationStepStarted', data: { attempt, sending: command.sending, ...ids } }];
    case 'MarkFailed':
      return [{ type: 'PublicationFailed', data: { attempt, at: command.at, error: command.error, ...ids } }];
    case 'MarkInDoubt': {
      const { at, resendAt, error } = command;
      const retryAt = resendAt === null ? null : limitRetryAt(state, { at, retryAt: resendAt, rule: 'retry' });
      // A resend triggered by the channel's setting counts as a failed attempt, so that the limits apply.
      if (retryAt !== null)
        return [{ type: 'PublicationPostponed', data: { attempt, at, retryAt, rule: 'retry', error, ...ids } }];
      const step = state.sending ?? 'unknown';
      return [{ type: 'PublicationInDoubt', data: { attempt, at, step, error, ...ids } }];
    }
    case 'PostponePublication': {
      const { at, rule, error } = command;
      const retryAt = limitRetryAt(state, command);
      if (retryAt === null) return [{ type: 'PublicationFailed', data: { attempt, at, error, ...ids } }];
      return [{ type: 'PublicationPostponed', data: { attempt, at, retryAt, rule, error, ...ids } }];
    }
    default:
      return assertNever(command);
  }
};

/** Ends an attempt whose post was taken back meanwhile: no further step starts, and no retry follows. */
const endAttemptOfWithdrawn = (
  command: AttemptCommand,
  state: PublicationState,
  ids: PublicationIds,
): PublicationEvent[] | Rejection<'stale_attempt'> => {
  if (command.type === 'StartStep') return reject('stale_attempt', PUBLICATION_MESSAGES.withdrawn);
  const { attempt, at, error } = command;
  if (command.type === 'MarkInDoubt') {
    const step = state.sending ?? 'unknown';
    return [{ type: 'PublicationInDoubt', data: { attempt, at, step, error, ...ids } }];
  }
  const failed: PublicationEvent = { type: 'PublicationFailed', data: { attempt, at, error, ...ids } };
  if (listRemaining(state).length > 0) return [failed];
  return [failed, { type: 'PublicationDismissed', data: { at, ...ids } }];
};
