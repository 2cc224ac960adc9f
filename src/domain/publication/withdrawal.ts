import type { Instant } from '../../kernel/clock.js';
import { assertNever } from '../../kernel/events.js';
import { isRejection, reject, type Rejection } from '../../kernel/result.js';
import { PUBLICATION_MESSAGES } from '../messages.js';
import type { AttemptCommand, PublicationCommand } from './publication.decider.js';
import type {
  PublicationEvent,
  PublicationIds,
  PublicationMessageDeleted,
  PublicationWithdrawalFailed,
  PublicationWithdrawalPostponed,
  PublicationWithdrawn,
} from './publication.events.js';
import type { PublicationState, PublicationStatus } from './publication.state.js';

/** Commands of the worker that deletes the messages of a publication (D-69). */
export type WithdrawalProgress =
  | ({ readonly type: 'MarkMessageDeleted' } & PublicationMessageDeleted['data'])
  /** Readers see nothing: every message is gone, and a send in doubt was never made. */
  | ({ readonly type: 'MarkWithdrawn' } & PublicationWithdrawn['data'])
  | ({
      readonly type: 'PostponeWithdrawal';
      /** After this time, the deletion is not tried again. */
      readonly endsAt: Instant;
    } & PublicationWithdrawalPostponed['data'])
  | ({ readonly type: 'MarkWithdrawalFailed' } & PublicationWithdrawalFailed['data']);

/** Name of the step in doubt if it is unknown which steps were sent. */
export const UNKNOWN_STEP = 'unknown';

/** Lists the messages that readers may still see, in the order of their deletion: the last one first. */
export const listRemaining = ({ messageIds, duplicateIds, deletedIds }: PublicationState): readonly string[] => {
  const deleted = new Set(deletedIds);
  return [...messageIds, ...duplicateIds].filter((id) => !deleted.has(id)).reverse();
};

/** Returns the status after an attempt: if the post was taken back meanwhile, its messages are deleted next. */
export const settle = ({ withdrawal }: PublicationState, status: PublicationStatus): PublicationStatus =>
  withdrawal && !withdrawal.hasEnded ? 'withdrawing' : status;

export const endWithdrawal = (state: PublicationState): PublicationState =>
  state.withdrawal ? { ...state, withdrawal: { ...state.withdrawal, hasEnded: true } } : state;

/** Takes a publication back (D-69). Returns no events if there is nothing to take back or the request was already handled. */
export const decideWithdrawal = (
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
    case 'withdrawing': // asked again, it does not wait for the next try
      return state.withdrawal && state.withdrawal.retryAt > at ? [requested()] : [];
    case 'filtered':
    case 'withdrawn':
      return [];
  }
};

/** Messages that appear after a publication was taken back are deleted too. */
export const withdrawAgain = <R extends Rejection<'stale_attempt'>>(
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

export const decideWithdrawalProgress = (
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

/** Ends an attempt whose post was taken back meanwhile: no further step starts, and no retry follows. */
export const endAttemptOfWithdrawn = (
  command: AttemptCommand,
  state: PublicationState,
  ids: PublicationIds,
): PublicationEvent[] | Rejection<'stale_attempt'> => {
  if (command.type === 'StartStep') return reject('stale_attempt', PUBLICATION_MESSAGES.withdrawn);
  const { attempt, at, error } = command;
  if (command.type === 'MarkInDoubt') {
    const step = state.sending ?? UNKNOWN_STEP;
    return [{ type: 'PublicationInDoubt', data: { attempt, at, step, error, ...ids } }];
  }
  const failed: PublicationEvent = { type: 'PublicationFailed', data: { attempt, at, error, ...ids } };
  if (listRemaining(state).length > 0) return [failed];
  return [failed, { type: 'PublicationDismissed', data: { at, ...ids } }];
};
