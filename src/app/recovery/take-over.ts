import type { Platform } from '../../domain/channel/channel.events.js';
import type { PublicationCommand, PublicationState } from '../../domain/publication/publication.decider.js';
import type { PublicationError, PublicationWarning } from '../../domain/publication/publication.events.js';
import type { Instant } from '../../kernel/clock.js';
import type { PublicationViewState, RowWithdrawal } from '../../projections/posts/posts.tables.js';
import { RECOVERY_MESSAGES } from '../messages.js';

/** A publication as the read model `posts` shows it. */
export interface KnownPublication {
  readonly publication_id: string;
  readonly post_id: string;
  readonly channel_id: string;
  readonly stream: string;
  readonly revision: string;
  readonly state: PublicationViewState;
  /** Time at which its post was released; null if it never was. */
  readonly released_at: number | null;
  readonly attempts: readonly { readonly ended_at: number | null; readonly error: PublicationError | null }[];
  readonly message_ids: readonly string[];
  readonly urls: readonly string[];
  readonly warnings: readonly PublicationWarning[];
  readonly owner_id: string;
  readonly platform: Platform;
  readonly withdrawal: RowWithdrawal | null;
}

/**
 * Returns the commands, in order, that record a publication's outcome in an event store, so that it is not sent again;
 * empty if there is nothing to record. Takes over an outcome that the read model shows. Marks a publication as in doubt,
 * for its owner to decide, if it was or may have been sent in part. A planned post has no outcome yet.
 */
export const takeOver = (
  known: KnownPublication,
  state: PublicationState,
  now: Instant,
): readonly PublicationCommand[] => {
  const withdrawal = withdrawalOf(known, state, now);
  const isOpen = state.status === 'queued' || state.status === 'publishing';
  const newMessages = known.message_ids.filter((id) => !state.messageIds.includes(id));
  const isUntouched = known.state === 'queued' || known.state === 'planned';
  if (!isOpen || (isUntouched && newMessages.length === 0)) return withdrawal;
  const ids = { publicationId: known.publication_id, postId: known.post_id, channelId: known.channel_id };
  const last = known.attempts.at(-1);
  const at = last?.ended_at ?? now;
  if (state.status === 'queued' && known.state === 'filtered' && known.warnings.length > 0)
    return [{ type: 'FilterPublication', at, reason: known.warnings.at(-1)!, ...ids }];
  if (state.status === 'queued' && known.state === 'dismissed') return [{ type: 'CancelPublication', at, ...ids }];
  const isStarted = state.status === 'publishing';
  const attempt = isStarted ? state.attempt : state.attempt + 1;
  const planned = { after: state.attempt, at, worker: 'recovery', sending: null, projectRevision: null };
  const start: PublicationCommand[] = isStarted ? [] : [{ type: 'StartAttempt', ...planned, ...ids }];
  if (known.state === 'published' || (withdrawal.length > 0 && newMessages.length > 0)) {
    const urls = known.urls.filter((url) => !state.urls.includes(url));
    const outcome = { attempt, at, messageIds: newMessages, urls, warnings: known.warnings };
    return [...start, { type: 'MarkPublished', ...outcome, ...ids }, ...withdrawal];
  }
  if (known.state === 'failed' && last?.error)
    return [...start, { type: 'MarkFailed', attempt, at, error: last.error, ...ids }];
  const error = { code: 'restored', category: 'unknown', source: 'gateway', message: RECOVERY_MESSAGES.outcomeLost };
  return [...start, { type: 'MarkInDoubt', attempt, at, error, resendAt: null, ...ids }, ...withdrawal];
};

const WITHDRAWN: ReadonlySet<PublicationViewState> = new Set(['withdrawing', 'withdrawn', 'withdraw_failed']);

/** Repeats a take-back that the store lacks: deleting again does no harm, and nothing is sent again (D-69). */
const withdrawalOf = (
  { withdrawal, ...known }: KnownPublication,
  state: PublicationState,
  at: Instant,
): readonly PublicationCommand[] => {
  if (!withdrawal || state.withdrawal || !WITHDRAWN.has(known.state)) return [];
  const { requested_at: requestedAt, by, reason } = withdrawal;
  const { publication_id: publicationId, post_id: postId, channel_id: channelId, owner_id: ownerId, platform } = known;
  const ids = { publicationId, postId, channelId, ownerId, platform };
  return [{ type: 'WithdrawPublication', ...ids, at, requestedAt, by, reason }];
};
