import type { Instant } from '../../kernel/clock.js';
import { assertNever, type Decider } from '../../kernel/events.js';
import type { JsonObject } from '../../kernel/ids.js';
import { reject, type Rejection } from '../../kernel/result.js';
import { PUBLICATION_MESSAGES } from '../messages.js';
import { decideEdit, decideEditProgress, editAfter, type EditProgress, isCurrentContent } from './edit.js';
import type {
  PublicationDismissed,
  PublicationDuplicateDismissed,
  PublicationDuplicateFound,
  PublicationEditRequested,
  PublicationError,
  PublicationEvent,
  PublicationFailed,
  PublicationFiltered,
  PublicationHeld,
  PublicationIds,
  PublicationInDoubt,
  PublicationPostponed,
  PublicationResent,
  PublicationStarted,
  PublicationStepCompleted,
  PublicationStepStarted,
  PublicationSucceeded,
  PublicationWithdrawalRequested,
} from './publication.events.js';
import { evolve, initial, type PublicationState, type PublicationStatus } from './publication.state.js';
import { limitRetryAt } from './retry-limits.js';
export type { PublicationState, PublicationStatus } from './publication.state.js';
import {
  decideWithdrawal,
  decideWithdrawalProgress,
  endAttemptOfWithdrawn,
  UNKNOWN_STEP,
  withdrawAgain,
  type WithdrawalProgress,
} from './withdrawal.js';

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
      /** A look-up found a step of a publication that is in doubt, after its attempt had ended (D-69, D-80). */
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
  | ({
      /** Readers are to see newer content (D-72). */
      readonly type: 'EditPublication';
      /** Why the messages cannot hold it, if that is known already. */
      readonly refusal: PublicationError | null;
    } & Omit<PublicationEditRequested['data'], 'waits'>)
  | WithdrawalProgress
  | EditProgress;

/** The publication of one post on one channel: its attempts, their steps and the outcome (D-20, D-25, D-26). */
export const publication: Decider<
  PublicationCommand,
  PublicationState,
  PublicationEvent,
  'already_started' | 'over' | 'stale_attempt' | 'wrong_state' | 'publishing'
> = {
  category: 'publication',
  initial,

  scopeOf: () => 'post',

  decide(command, state) {
    const { publicationId, postId, channelId } = command;
    const ids = { publicationId, postId, channelId };
    switch (command.type) {
      case 'StartAttempt': {
        if (state.status === 'publishing') return reject('already_started', PUBLICATION_MESSAGES.alreadyStarted);
        if (state.status !== 'queued') return reject('over', PUBLICATION_MESSAGES.over({ status: state.status }));
        const { after, at, worker, sending, projectRevision, sender, content } = command;
        // The start is based on outdated state: the latest attempt may have sent part of the post or scheduled a retry.
        // The same applies if a late answer has completed the step that would be sent.
        const isBehind = after !== state.attempt || (sending !== null && sending in state.results);
        if (isBehind || !isCurrentContent(state, content ?? null))
          return reject('stale_attempt', PUBLICATION_MESSAGES.attemptReplaced);
        const attempt = after + 1;
        return [
          {
            type: 'PublicationStarted',
            data: {
              attempt,
              worker,
              sending,
              at,
              projectRevision,
              ...(sender && { sender }),
              ...(content && { content }),
              ...ids,
            },
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
        return [{ type: 'PublicationInDoubt', data: { attempt, at, step: sending ?? UNKNOWN_STEP, error, ...ids } }];
      }
      case 'MarkFound': {
        // Someone may have settled it during the look-up.
        const isTakenBack = state.status === 'withdrawing' && state.doubtfulStep === command.step;
        if (state.status !== 'in_doubt' && !isTakenBack)
          return reject('over', PUBLICATION_MESSAGES.over({ status: state.status }));
        const { at, step, result, isWhole, messageIds, urls, warnings } = command;
        const { attempt } = state;
        if (!isWhole) {
          const completed = { attempt, step, result, messageIds, urls, sending: null };
          return step in state.results ? [] : [{ type: 'PublicationStepCompleted', data: { ...completed, ...ids } }];
        }
        const all = { messageIds: [...state.messageIds, ...messageIds], urls: [...state.urls, ...urls] };
        const data = { attempt, at, ...all, warnings, ...ids };
        return editAfter([{ type: 'PublicationSucceeded', data }], state, command);
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
        if (command.type === 'DismissPublication' && state.status === 'published' && state.edit?.status === 'failed')
          return [{ type: 'PublicationEditDropped', data: { at: command.at, ...ids } }];
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
        const { attempt, at, messageIds, urls, warnings, pin } = command;
        const all = { messageIds: [...state.messageIds, ...messageIds], urls: [...state.urls, ...urls] };
        const asked = pin === undefined ? {} : { pin };
        const data = { attempt, at, messageIds: all.messageIds, urls: all.urls, warnings, ...asked, ...ids };
        return editAfter(withdrawAgain([{ type: 'PublicationSucceeded', data }], state, command), state, command);
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
      case 'EditPublication':
        return decideEdit(command, state);
      case 'MarkEdited':
      case 'PostponeEdit':
      case 'MarkEditFailed':
      case 'MarkPinned':
      case 'MarkPinFailed':
        return decideEditProgress(command, state);
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

  evolve,
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

/** Commands of an attempt that is under way. */
export type AttemptCommand = Extract<
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
      const step = state.sending ?? UNKNOWN_STEP;
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
