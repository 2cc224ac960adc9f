import { type Decider, never } from '../../kernel/decider.js';
import type { Instant } from '../../kernel/instant.js';
import type { JsonObject } from '../../kernel/json.js';
import { reject, type Rejection } from '../../kernel/result.js';
import { type AttemptCounts, freshCounts, withinBounds } from './attempt-bounds.js';
import type { PostponeRule, PublicationError, PublicationEvent, PublicationWarning } from './publication.events.js';

interface Which {
  readonly publicationId: string;
  readonly postId: string;
  readonly channelId: string;
}
interface OfAttempt {
  readonly attempt: number;
}

/** What can be asked of a publication. Attempts are named by their number: one that lost its lease changes nothing. */
export type PublicationCommand = Which &
  (
    | {
        readonly type: 'Start';
        readonly at: Instant;
        readonly worker: string;
        readonly sending: string | null;
        /** Of the project whose processing made the text; null: there is none yet. */
        readonly projectRevision: string | null;
      }
    | ({ readonly type: 'BeginSend'; readonly sending: string } & OfAttempt)
    | ({
        readonly type: 'CompleteStep';
        readonly step: string;
        readonly result: JsonObject;
        readonly messageIds: readonly string[];
        readonly urls: readonly string[];
        readonly sending: string | null;
      } & OfAttempt)
    | ({
        readonly type: 'Succeed';
        readonly at: Instant;
        readonly messageIds: readonly string[];
        readonly urls: readonly string[];
        readonly warnings: readonly PublicationWarning[];
      } & OfAttempt)
    | ({
        readonly type: 'Postpone';
        readonly at: Instant;
        readonly retryAt: Instant;
        readonly rule: PostponeRule;
        readonly error: PublicationError;
      } & OfAttempt)
    | ({ readonly type: 'Fail'; readonly at: Instant; readonly error: PublicationError } & OfAttempt)
    | ({
        readonly type: 'Doubt';
        readonly at: Instant;
        readonly error: PublicationError;
        /** When to send again where the channel wants that (`on_doubt: resend`); null: it is for the owner to decide. */
        readonly resendAt: Instant | null;
      } & OfAttempt)
    | {
        readonly type: 'Hold';
        readonly at: Instant;
        readonly until: Instant;
        readonly ownerId: string;
        readonly ownerRevision: number;
      }
    | { readonly type: 'Filter'; readonly at: Instant; readonly reason: PublicationWarning }
    | { readonly type: 'Resend'; readonly at: Instant }
    | { readonly type: 'Dismiss'; readonly at: Instant }
  );

/** Where a publication stands (management-api.md: publication). */
export type PublicationStatus =
  'queued' | 'publishing' | 'published' | 'failed' | 'in_doubt' | 'filtered' | 'dismissed';

/** A publication as its events leave it. */
export interface PublicationState extends AttemptCounts {
  readonly status: PublicationStatus;
  /** Number of the latest attempt; 0 before the first. */
  readonly attempt: number;
  /** When the latest attempt began; 0 before the first. */
  readonly startedAt: Instant;
  readonly worker: string | null;
  /** Of the project whose processing made the text that every attempt sends; null: there is none yet (D-28). */
  readonly projectRevision: string | null;
  /** The visible step under way, which a crash would leave in doubt. */
  readonly sending: string | null;
  readonly results: Readonly<Record<string, JsonObject>>;
  readonly messageIds: readonly string[];
  readonly urls: readonly string[];
}

const initial: PublicationState = {
  status: 'queued',
  attempt: 0,
  startedAt: 0,
  ...freshCounts,
  worker: null,
  projectRevision: null,
  sending: null,
  results: {},
  messageIds: [],
  urls: [],
};

/** One post on one channel: claimed, sent step by step, and its outcome kept (D-20, D-25, D-26). */
export const publication: Decider<
  PublicationCommand,
  PublicationState,
  PublicationEvent,
  'already_started' | 'over' | 'stale_attempt' | 'wrong_state'
> = {
  category: 'publication',
  initial,

  decide(command, state) {
    const { publicationId, postId, channelId } = command;
    const which = { publicationId, postId, channelId };
    switch (command.type) {
      case 'Start': {
        if (state.status === 'publishing') return reject('already_started', 'An attempt is under way.');
        if (state.status !== 'queued') return reject('over', `The publication is ${state.status}.`);
        const { at, worker, sending, projectRevision } = command;
        const attempt = state.attempt + 1;
        return [{ type: 'PublicationStarted', data: { attempt, worker, sending, at, projectRevision, ...which } }];
      }
      case 'Hold': {
        if (state.status !== 'queued') return reject('over', `The publication is ${state.status}.`);
        const { at, until, ownerId, ownerRevision } = command;
        return [{ type: 'PublicationHeld', data: { at, rule: 'quota', until, ownerId, ownerRevision, ...which } }];
      }
      case 'Filter':
        if (state.status !== 'queued') return reject('over', `The publication is ${state.status}.`);
        return [{ type: 'PublicationFiltered', data: { at: command.at, reason: command.reason, ...which } }];
      case 'Resend':
      case 'Dismiss': {
        if (state.status !== 'in_doubt' && state.status !== 'failed') {
          return reject(
            'wrong_state',
            `Only what is in doubt or failed can be sent again or dismissed; this is ${state.status}.`,
          );
        }
        const type = command.type === 'Resend' ? 'PublicationResent' : 'PublicationDismissed';
        return [{ type, data: { at: command.at, ...which } }];
      }
      case 'Succeed': {
        // A worker that was taken for dead may come back with the answer: better late than in doubt.
        const late = state.status === 'in_doubt' || state.status === 'publishing';
        if (!late || command.attempt !== state.attempt)
          return reject('stale_attempt', 'Another attempt has taken over.');
        const { attempt, at, messageIds, urls, warnings } = command;
        const all = { messageIds: [...state.messageIds, ...messageIds], urls: [...state.urls, ...urls] };
        const data = { attempt, at, messageIds: all.messageIds, urls: all.urls, warnings, ...which };
        return [{ type: 'PublicationSucceeded', data }];
      }
      case 'BeginSend':
      case 'CompleteStep':
      case 'Postpone':
      case 'Fail':
      case 'Doubt':
        if (state.status !== 'publishing' || command.attempt !== state.attempt) {
          return reject('stale_attempt', 'Another attempt has taken over.');
        }
        return duringAttempt(command, state, which);
      default:
        return never(command);
    }
  },

  evolve(state, event) {
    switch (event.type) {
      case 'PublicationStarted': {
        const { attempt, worker, sending, at, projectRevision } = event.data;
        const firstStartedAt = state.firstStartedAt ?? at;
        const excusedMs = state.excusedMs + at - (state.excusedSince ?? at);
        const counts = { firstStartedAt, excusedSince: null, excusedMs };
        const text = { projectRevision: projectRevision ?? state.projectRevision };
        return { ...state, ...counts, ...text, status: 'publishing', attempt, startedAt: at, worker, sending };
      }
      case 'PublicationStepStarted':
        return { ...state, sending: event.data.sending };
      case 'PublicationStepCompleted': {
        const { step, result, messageIds, urls, sending } = event.data;
        const ids = { messageIds: [...state.messageIds, ...messageIds], urls: [...state.urls, ...urls] };
        return { ...state, ...ids, sending, results: { ...state.results, [step]: result } };
      }
      case 'PublicationSucceeded': {
        const { messageIds, urls } = event.data;
        return { ...state, status: 'published', sending: null, messageIds, urls };
      }
      case 'PublicationPostponed': {
        const { rule, at, error } = event.data;
        const counted = rule === 'retry' ? { failures: state.failures + 1 } : { excusedSince: at };
        const waits =
          rule === 'platform_limit'
            ? { ...state.waits, [error.code]: (state.waits[error.code] ?? 0) + 1 }
            : state.waits;
        return { ...state, ...counted, waits, status: 'queued', sending: null };
      }
      case 'PublicationFailed':
        return { ...state, status: 'failed', sending: null };
      case 'PublicationInDoubt':
        return { ...state, status: 'in_doubt', sending: null };
      case 'PublicationFiltered':
        return { ...state, status: 'filtered' };
      case 'PublicationResent': {
        // Whoever sends again wants what the project says now and the media as they are now: what was uploaded before may
        // have lapsed. Unless a part of the post is out already: the rest must fit it.
        const anew = state.messageIds.length > 0 ? {} : { projectRevision: null, results: {} };
        return { ...state, ...freshCounts, ...anew, status: 'queued', sending: null };
      }
      case 'PublicationHeld': // as long as a month: what D-20 counts begins anew
        return { ...state, ...freshCounts };
      case 'PublicationDismissed':
        return { ...state, status: 'dismissed' };
      default:
        return never(event);
    }
  },
};

type DuringAttempt = Extract<
  PublicationCommand,
  { type: 'BeginSend' | 'CompleteStep' | 'Postpone' | 'Fail' | 'Doubt' }
>;

const duringAttempt = (
  command: DuringAttempt,
  state: PublicationState,
  which: Which,
): PublicationEvent[] | Rejection<'stale_attempt'> => {
  const { attempt } = command;
  switch (command.type) {
    case 'BeginSend':
      return [{ type: 'PublicationStepStarted', data: { attempt, sending: command.sending, ...which } }];
    case 'CompleteStep': {
      const { step, result, messageIds, urls, sending } = command;
      // Told by a look-up and by a worker that came back: its messages are there once.
      if (step in state.results) return reject('stale_attempt', 'Another worker has told of this step.');
      return [
        { type: 'PublicationStepCompleted', data: { attempt, step, result, messageIds, urls, sending, ...which } },
      ];
    }
    case 'Fail':
      return [{ type: 'PublicationFailed', data: { attempt, at: command.at, error: command.error, ...which } }];
    case 'Doubt': {
      const { at, resendAt, error } = command;
      const retryAt = resendAt === null ? null : withinBounds(state, { at, retryAt: resendAt, rule: 'retry' });
      // Sent again on the channel's word, it is a failed attempt like any other: bounds hold, or it would never end.
      if (retryAt !== null)
        return [{ type: 'PublicationPostponed', data: { attempt, at, retryAt, rule: 'retry', error, ...which } }];
      const step = state.sending ?? 'unknown';
      return [{ type: 'PublicationInDoubt', data: { attempt, at, step, error, ...which } }];
    }
    case 'Postpone': {
      const { at, rule, error } = command;
      const retryAt = withinBounds(state, command);
      if (retryAt === null) return [{ type: 'PublicationFailed', data: { attempt, at, error, ...which } }];
      return [{ type: 'PublicationPostponed', data: { attempt, at, retryAt, rule, error, ...which } }];
    }
    default:
      return never(command);
  }
};
