import type {
  PublicationError,
  PublicationEvent,
  PublicationWarning,
} from '../../domain/publication/publication.events.js';
import { iso } from '../../kernel/clock.js';
import { assertNever, type RecordedEventOf, type ShownAggregate } from '../../kernel/events.js';

type AttemptHistory = {
  readonly n: number;
  readonly started_at: string;
  readonly worker: string;
  readonly ended_at: string | null;
  /** `published`, `postponed`, `failed`, `in_doubt`; null during the attempt. */
  readonly outcome: string | null;
  readonly error: ErrorHistory | null;
};

type ErrorHistory = { readonly [Name in keyof PublicationError]: PublicationError[Name] };

type WithdrawalHistory = {
  readonly requested_at: string;
  readonly by: string;
  readonly reason: string | null;
  readonly attempts: number;
  /** Ids of the messages that are gone. */
  readonly deleted: readonly string[];
  readonly error: ErrorHistory | null;
  /** Null while messages are being deleted. */
  readonly ended_at: string | null;
};

type EditHistory = {
  /** Revision of the post's newest content. */
  readonly revision: number;
  readonly requested_at: string;
  readonly by: string;
  readonly attempts: number;
  /** True once it failed for good. */
  readonly failed: boolean;
  readonly error: ErrorHistory | null;
};

/** The history of a publication. */
export type PublicationHistory = {
  readonly id: string;
  readonly post_id: string;
  readonly target_id: string;
  /** A {@link PublicationStatus}. */
  readonly state: string;
  /** Rule and earliest time of the next attempt; null if no attempt follows, or no event has set a time. */
  readonly waiting: null | { readonly rule: string; readonly until: string };
  readonly attempts: readonly AttemptHistory[];
  /** The visible step that is being sent or is in doubt; null if there is none. */
  readonly sending: string | null;
  readonly completed_steps: readonly string[];
  readonly message_ids: readonly string[];
  readonly urls: readonly string[];
  readonly warnings: readonly { readonly code: string; readonly message: string }[];
  readonly published_at: string | null;
  /** Messages that readers see in addition to `message_ids` (D-84). */
  readonly duplicates: readonly { readonly message_ids: readonly string[]; readonly at: string }[];
  /** Absent unless it was taken back (D-69). */
  readonly withdrawal?: WithdrawalHistory;
  /** Revision of the content that readers see, or that the latest attempt sent; absent if it is that of the release. */
  readonly content_revision?: number;
  readonly edited_at?: string;
  /** Absent unless content that is newer than `content_revision` was asked for (D-72). */
  readonly edit?: EditHistory | null;
  /** Id of the pinned message; null if it is asked for; absent if it was not asked for. */
  readonly pinned?: string | null;
  /**
   * The last decision by a person, and its author. `kind` is `resent`, `dismissed`, `duplicate_dismissed`,
   * `withdrawal_dropped` or `edit_dropped`.
   */
  readonly decision: null | {
    readonly kind: string;
    readonly at: string;
    readonly by: string;
    readonly ip: string | null;
  };
};

const showWarning = ({ code, message }: PublicationWarning) => ({ code, message });

const create = ({ data: { publicationId, postId, channelId } }: RecordedEventOf<PublicationEvent>) => ({
  id: publicationId,
  post_id: postId,
  target_id: channelId,
  state: 'queued',
  waiting: null,
  attempts: [],
  sending: null,
  completed_steps: [],
  message_ids: [],
  urls: [],
  warnings: [],
  published_at: null,
  duplicates: [],
  decision: null,
});

const endAttempt = (
  attempts: PublicationHistory['attempts'],
  ended_at: string,
  outcome: string,
  error: PublicationError | null,
): PublicationHistory['attempts'] => {
  const last = attempts.at(-1);
  return last ? [...attempts.slice(0, -1), { ...last, ended_at, outcome, error }] : attempts;
};

/** Folds publications. */
export const publicationHistory: ShownAggregate<PublicationHistory, PublicationEvent> = {
  name: 'publication',
  category: 'publication',
  version: 3,

  evolve(before, event) {
    const state: PublicationHistory = before ?? create(event);
    const at = iso(event.at);
    switch (event.type) {
      case 'PublicationStarted': {
        const { attempt, worker, sending, content } = event.data;
        const newer = content && { content_revision: content.revision };
        const isNewest = content !== undefined && (state.edit?.revision ?? 0) <= content.revision;
        const started = { n: attempt, started_at: at, worker, ended_at: null, outcome: null, error: null };
        const attempts = [...state.attempts, started];
        const edited = state.edit && isNewest ? { ...newer, edit: null } : newer;
        return { ...state, ...edited, state: 'publishing', waiting: null, sending, attempts };
      }
      case 'PublicationStepStarted':
        return { ...state, sending: event.data.sending };
      case 'PublicationStepCompleted': {
        const { step, messageIds, urls, sending } = event.data;
        const ids = { message_ids: [...state.message_ids, ...messageIds], urls: [...state.urls, ...urls] };
        return { ...state, ...ids, sending, completed_steps: [...state.completed_steps, step] };
      }
      case 'PublicationSucceeded': {
        const { messageIds, urls, warnings, pin } = event.data;
        const attempts = endAttempt(state.attempts, at, 'published', null);
        const pinned = pin === undefined ? {} : { pinned: null };
        const shown = {
          message_ids: messageIds,
          urls,
          warnings: (warnings ?? []).map(showWarning),
          published_at: at,
          ...pinned,
        };
        return { ...state, ...shown, state: settle(state, 'published'), sending: null, attempts };
      }
      case 'PublicationPostponed': {
        const { rule, retryAt, error } = event.data;
        const attempts = endAttempt(state.attempts, at, 'postponed', error);
        return { ...state, state: 'queued', waiting: { rule, until: iso(retryAt) }, sending: null, attempts };
      }
      case 'PublicationFailed': {
        const attempts = endAttempt(state.attempts, at, 'failed', event.data.error);
        return { ...state, state: settle(state, 'failed'), sending: null, attempts };
      }
      case 'PublicationInDoubt': {
        const { attempt: n, step, error } = event.data;
        // A recovery may put a publication in doubt without an open attempt (D-80).
        const own = { n, started_at: at, worker: event.actor, ended_at: null, outcome: null, error: null };
        const isKnown = state.attempts.some((attempt) => attempt.n === n);
        const attempts = endAttempt(isKnown ? state.attempts : [...state.attempts, own], at, 'in_doubt', error);
        return { ...state, state: settle(state, 'in_doubt'), sending: step, attempts };
      }
      case 'PublicationFiltered':
        return { ...state, state: 'filtered', warnings: [...state.warnings, showWarning(event.data.reason)] };
      case 'PublicationHeld':
        return { ...state, waiting: { rule: event.data.rule, until: iso(event.data.until) } };
      case 'PublicationResent':
      case 'PublicationDismissed': {
        const [kind, next] = event.type === 'PublicationResent' ? ['resent', 'queued'] : ['dismissed', 'dismissed'];
        const decision = { kind, at, by: event.actor, ip: event.clientAddress };
        return { ...endWithdrawal(state, at), state: next, waiting: null, sending: null, decision };
      }
      case 'PublicationDuplicateFound': {
        const duplicate = { message_ids: event.data.messageIds, at };
        return { ...state, duplicates: [...state.duplicates, duplicate] };
      }
      case 'PublicationDuplicateDismissed': {
        const decision = { kind: 'duplicate_dismissed', at, by: event.actor, ip: event.clientAddress };
        return { ...state, decision };
      }
      case 'PublicationWithdrawalRequested': {
        const { requestedAt, by, reason, isPublishing } = event.data;
        const { deleted = [] } = state.withdrawal ?? {};
        const request = {
          requested_at: iso(requestedAt),
          by,
          reason,
          attempts: 0,
          deleted,
          error: null,
          ended_at: null,
        };
        const ended = state.edit ? { edit: null } : {};
        return {
          ...state,
          ...ended,
          withdrawal: request,
          waiting: null,
          state: isPublishing ? state.state : 'withdrawing',
        };
      }
      case 'PublicationMessageDeleted':
        return changeWithdrawal(state, ({ deleted }) => ({ deleted: [...deleted, event.data.messageId] }));
      case 'PublicationWithdrawalPostponed': {
        const { rule, retryAt, error } = event.data;
        const waiting = { rule, until: iso(retryAt) };
        return { ...changeWithdrawal(state, ({ attempts }) => ({ attempts: attempts + 1, error })), waiting };
      }
      case 'PublicationWithdrawn':
        return { ...endWithdrawal(state, at), state: 'withdrawn', waiting: null, sending: null };
      case 'PublicationWithdrawalFailed': {
        const { error } = event.data;
        const failed = changeWithdrawal(endWithdrawal(state, at), () => ({ error }));
        return { ...failed, state: 'withdraw_failed', waiting: null };
      }
      case 'PublicationWithdrawalDropped': {
        const decision = { kind: 'withdrawal_dropped', at, by: event.actor, ip: event.clientAddress };
        return { ...state, state: event.data.status, decision };
      }
      case 'PublicationEditRequested': {
        const { content, requestedAt, by } = event.data;
        const edit = {
          revision: content.revision,
          requested_at: iso(requestedAt),
          by,
          attempts: 0,
          failed: false,
          error: null,
        };
        return { ...state, edit };
      }
      case 'PublicationEditPostponed': {
        const { rule, retryAt, error } = event.data;
        return { ...changeEdit(state, { error }), waiting: { rule, until: iso(retryAt) } };
      }
      case 'PublicationEdited': {
        const { content, changed, warnings } = event.data;
        const shown = { content_revision: content.revision, warnings: (warnings ?? []).map(showWarning), edit: null };
        return { ...state, ...shown, ...(changed && { edited_at: at }), waiting: null };
      }
      case 'PublicationEditFailed':
        return { ...changeEdit(state, { error: event.data.error, failed: true }), waiting: null };
      case 'PublicationEditDropped': {
        const decision = { kind: 'edit_dropped', at, by: event.actor, ip: event.clientAddress };
        return { ...state, edit: null, decision };
      }
      case 'PublicationPinned':
        return { ...state, pinned: event.data.messageId, waiting: null };
      case 'PublicationPinFailed': {
        const { retryAt, rule, error } = event.data;
        const waiting = retryAt === null ? null : { rule, until: iso(retryAt) };
        const pinFailed = { code: 'pin_failed', message: error.message };
        return { ...state, waiting, warnings: retryAt === null ? [...state.warnings, pinFailed] : state.warnings };
      }
      default:
        return assertNever(event);
    }
  },
};

const settle = ({ withdrawal }: PublicationHistory, state: string): string =>
  withdrawal?.ended_at === null ? 'withdrawing' : state;

const changeWithdrawal = (
  state: PublicationHistory,
  change: (withdrawal: WithdrawalHistory) => Partial<WithdrawalHistory>,
): PublicationHistory =>
  state.withdrawal ? { ...state, withdrawal: { ...state.withdrawal, ...change(state.withdrawal) } } : state;

const changeEdit = (state: PublicationHistory, change: Partial<EditHistory>): PublicationHistory =>
  state.edit ? { ...state, edit: { ...state.edit, attempts: state.edit.attempts + 1, ...change } } : state;

const endWithdrawal = (state: PublicationHistory, ended_at: string): PublicationHistory =>
  changeWithdrawal(state, () => ({ ended_at }));
