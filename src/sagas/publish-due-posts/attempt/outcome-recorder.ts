import { isDeepStrictEqual } from 'node:util';
import { Inject, Injectable } from '@nestjs/common';
import { flagChannel, moveChannel } from '../../../commands/channel.js';
import { PauseAfterPublication } from '../../../commands/pause.js';
import {
  type ProgressCommand,
  type RecordedProgress,
  recordPublicationProgress,
} from '../../../commands/publication.js';
import type { PublicationEvent } from '../../../domain/publication/publication.events.js';
import { AggregateStore } from '../../../event-store/aggregate-store.js';
import type { CommandContext } from '../../../event-store/codec.js';
import { CLOCK, type Clock, type Instant } from '../../../kernel/clock.js';
import { assertNever } from '../../../kernel/events.js';
import { newUuid } from '../../../kernel/ids.js';
import { LOG, type Log } from '../../../kernel/log.js';
import { isRejection, type Rejection } from '../../../kernel/result.js';
import type { PublishError } from '../../../platforms/publisher.js';
import { retryWhileUnavailable } from '../../engine/run-under-lease.js';
import {
  type AttemptOutcome,
  channelMovedError,
  computeRetryAt,
  type Concluding,
  type FinalState,
  type LoadedPublication,
  release,
} from './attempt-state.js';
import { attentionOf, type ClaimedPublication, type PublicationAttempt } from './publication-attempt.js';

/** Counts an outcome. `code` is empty on success. */
export type CountOutcome = (platform: string, outcome: Outcome, code: string) => void;

/** Injection token for {@link CountOutcome}. */
export const COUNT_OUTCOME = Symbol('CountOutcome');

/**
 * Outcome of an attempt: the publication's new status, or that it was postponed, held, cancelled or a duplicate.
 * `withdrawn`: it ended because its post was taken back.
 */
export type Outcome =
  | 'published'
  | 'published_twice'
  | 'postponed'
  | 'failed'
  | 'withdrawn'
  | 'in_doubt'
  | 'filtered'
  | 'held'
  | 'cancelled';

interface ReportedOutcome {
  readonly outcome: Outcome;
  readonly code: string;
  /** Human-readable reason. */
  readonly reason?: string;
  /** The rule that postponed the publication. */
  readonly rule?: string;
}

/** The reported parts of an attempt. The payload is missing if the post could not be read. */
type ReportedAttempt = Pick<ClaimedPublication, 'row' | 'origin'> & Partial<Pick<PublicationAttempt, 'payload'>>;

const outcomeOf = (
  { type, data }: PublicationEvent,
  { withdrawal }: LoadedPublication['state'],
): ReportedOutcome | null => {
  switch (type) {
    case 'PublicationSucceeded':
      return { outcome: 'published', code: '' };
    case 'PublicationDuplicateFound':
      return { outcome: 'published_twice', code: '' };
    case 'PublicationPostponed':
      return { outcome: 'postponed', code: data.error.code, reason: data.error.message, rule: data.rule };
    case 'PublicationFailed':
      return { outcome: withdrawal ? 'withdrawn' : 'failed', code: data.error.code, reason: data.error.message };
    case 'PublicationInDoubt':
      return { outcome: 'in_doubt', code: data.error.code, reason: data.error.message };
    case 'PublicationFiltered':
      return { outcome: 'filtered', code: data.reason.code, reason: data.reason.message };
    case 'PublicationHeld':
      return { outcome: 'held', code: data.rule };
    case 'PublicationDismissed':
      return withdrawal ? null : { outcome: 'cancelled', code: 'deleted' };
    default:
      return null; // a step in an attempt that is still in progress
  }
};

const EXPECTED: ReadonlySet<Outcome> = new Set(['published', 'withdrawn', 'filtered', 'held', 'cancelled']);

/** Returns the fields that identify a publication, its post and its request in log lines. */
export const storyOf = ({ row, origin, payload }: ReportedAttempt): object => ({
  publication: row.publication_id,
  post: row.post_id,
  channel: row.channel_id,
  project: row.project_id,
  platform: row.platform,
  request_id: origin.requestId,
  trace_id: payload?.trace_id ?? null,
});

/** Logs and counts outcomes as the events record them: the domain may have made a retry a permanent failure (D-20). */
export const reportOutcome = (
  deps: { readonly log: Log; readonly countOutcome: CountOutcome },
  attempt: ReportedAttempt,
  events: readonly PublicationEvent[],
  { state }: LoadedPublication,
): void => {
  for (const event of events) {
    const found = outcomeOf(event, state);
    if (!found || !('at' in event.data)) continue;
    deps.countOutcome(attempt.row.platform, found.outcome, found.code);
    const ms = state.startedAt === 0 ? null : event.data.at - state.startedAt;
    const line = { ...storyOf(attempt), attempt: state.attempt, ...found, ms };
    if (event.type === 'PublicationDuplicateFound') {
      const { messageIds } = event.data;
      deps.log.warn(
        { ...line, message_ids: messageIds },
        'readers see a post twice: a call that was given up succeeded',
      );
    } else if (EXPECTED.has(found.outcome)) deps.log.info(line, 'publication attempt finished');
    else deps.log.warn(line, 'publication attempt finished without success');
  }
};

/** True if a late answer was recorded: the attempt belongs to another worker or has ended. */
const isTakenOver = (
  command: Progress,
  { events, aggregate: { state } }: Exclude<RecordedProgress, Rejection>,
): boolean => {
  if (events.some(({ type }) => type === 'PublicationDuplicateFound')) return true;
  return command.type === 'CompleteStep' && (state.status !== 'publishing' || state.attempt !== command.attempt);
};

type WithoutIds<C> = C extends unknown ? Omit<C, 'publicationId' | 'postId' | 'channelId'> : never;
type Progress = WithoutIds<ProgressCommand>;

/** Appends the progress and the outcome of an attempt, and applies the outcome's effects on channel and project. */
@Injectable()
export class OutcomeRecorder {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly pauses: PauseAfterPublication,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
    @Inject(COUNT_OUTCOME) private readonly countOutcome: CountOutcome,
  ) {}

  async recordOutcome(attempt: PublicationAttempt, state: Concluding): Promise<FinalState> {
    const { publication, outcome } = state;
    const command = await this.commandFor(attempt, publication, outcome, this.clock.now());
    const recorded = await this.record(attempt, publication, command);
    return recorded === null ? release(state) : { kind: 'ended', publication: recorded };
  }

  /** Claims a publication. @returns null if another worker has taken over, or `known` lacks the latest attempt */
  recordStart(
    attempt: ClaimedPublication,
    known: LoadedPublication,
    start: Pick<Extract<Progress, { type: 'StartAttempt' }>, 'sending' | 'projectRevision' | 'sender' | 'content'>,
  ): Promise<LoadedPublication | null> {
    const { worker } = attempt;
    const after = known.state.attempt;
    return this.record(attempt, known, { type: 'StartAttempt', after, at: this.clock.now(), worker, ...start });
  }

  /** Cancels a publication after a deletion. @returns null if another worker has taken over */
  recordCancellation(attempt: ClaimedPublication, known: LoadedPublication): Promise<LoadedPublication | null> {
    return this.record(attempt, known, { type: 'CancelPublication', at: this.clock.now() });
  }

  /** Records a failed attempt, which is retried within the limits of D-20. @returns see {@link record} */
  recordRetry(
    attempt: ClaimedPublication,
    known: LoadedPublication,
    error: PublishError,
  ): Promise<LoadedPublication | null> {
    const at = this.clock.now();
    const { attempt: number, failures } = known.state;
    const retryAt = computeRetryAt(at, failures, null);
    const command = { type: 'PostponePublication', attempt: number, at, retryAt, rule: 'retry', error } as const;
    return this.record(attempt, known, command);
  }

  /** Records a send in doubt that only its owner may repeat. @returns see {@link record} */
  recordDoubt(
    attempt: ClaimedPublication,
    known: LoadedPublication,
    error: PublishError,
  ): Promise<LoadedPublication | null> {
    const { attempt: number } = known.state;
    const command = { type: 'MarkInDoubt', attempt: number, at: this.clock.now(), error, resendAt: null } as const;
    return this.record(attempt, known, command);
  }

  /**
   * Appends the event of one command. A late success is recorded even if another worker has taken over, because readers
   * see it (D-84).
   * @returns null if another worker has taken over
   */
  async record(
    attempt: ClaimedPublication,
    known: LoadedPublication,
    command: Progress,
  ): Promise<LoadedPublication | null> {
    const { publication_id: publicationId, post_id: postId, channel_id: channelId } = attempt.row;
    const progress = { publicationId, postId, channelId, ...command } as ProgressCommand;
    const context = this.contextOf(attempt);
    const { aggregates } = this;
    const result = await retryWhileUnavailable(
      () => recordPublicationProgress(aggregates, context, progress, known),
      attempt.signals.abort,
    );
    const { log, countOutcome } = this;
    if (isRejection(result)) {
      const detail = { ...storyOf(attempt), command: command.type, rejection: result.rejection };
      log.info(detail, 'publication was taken over by another worker');
      return null;
    }
    reportOutcome({ log, countOutcome }, attempt, result.events, result.aggregate);
    return isTakenOver(command, result) ? null : result.aggregate;
  }

  /** Applies an outcome's effects outside the publication. @returns the command that records the outcome */
  private async commandFor(
    attempt: PublicationAttempt,
    { state }: LoadedPublication,
    outcome: AttemptOutcome,
    at: Instant,
  ): Promise<Progress> {
    const { attempt: number, failures, waits } = state;
    const ofAttempt = { attempt: number, at };
    switch (outcome.kind) {
      case 'done': {
        const { messageIds, urls, warnings } = outcome;
        await this.applyPauses(attempt, at);
        const pin = attempt.payload.pin ? { pin: attempt.publisher.pin !== undefined } : {};
        return { type: 'MarkPublished', ...ofAttempt, messageIds, urls, warnings, ...pin };
      }
      case 'retry': {
        const { error, afterMs, named } = outcome;
        // If the network asks for a wait but does not say how long, the wait grows too, although no attempt has failed.
        const before = named ? (waits[error.code] ?? 0) : failures;
        const rule = named ? 'platform_limit' : 'retry';
        return { type: 'PostponePublication', ...ofAttempt, retryAt: computeRetryAt(at, before, afterMs), rule, error };
      }
      case 'failed':
        return { type: 'MarkFailed', ...ofAttempt, error: outcome.error };
      case 'needs_attention': {
        const { error } = outcome;
        if (!(await this.holdQueue(attempt, error, at))) return { type: 'MarkFailed', ...ofAttempt, error };
        return { type: 'PostponePublication', ...ofAttempt, retryAt: at, rule: 'needs_attention', error };
      }
      case 'moved': {
        const { address, kind: _, ...details } = outcome;
        const error = { ...channelMovedError, ...details };
        // Moving the channel to the address it already has would be retried forever.
        if (isDeepStrictEqual(address, attempt.channel.address)) return { type: 'MarkFailed', ...ofAttempt, error };
        const context = this.contextOf(attempt);
        await retryWhileUnavailable(
          () => moveChannel(this.aggregates, context, attempt.row.channel_id, address),
          attempt.signals.abort,
        );
        // Retried at once, but counted as a failed attempt: two addresses that point at each other must not loop.
        return { type: 'PostponePublication', ...ofAttempt, retryAt: at, rule: 'retry', error };
      }
      case 'interrupted':
        return { type: 'PostponePublication', ...ofAttempt, retryAt: at, rule: 'interrupted', error: outcome.error };
      case 'unresolved': {
        // The owner decides (D-25), unless the channel's setting asks for another send.
        const resendAt = attempt.channel.settings.on_doubt === 'resend' ? computeRetryAt(at, failures, null) : null;
        return { type: 'MarkInDoubt', ...ofAttempt, error: outcome.error, resendAt };
      }
      case 'cancelled':
        return { type: 'CancelPublication', at };
      case 'filtered':
        return { type: 'FilterPublication', at, reason: outcome.reason };
      case 'held': {
        const { until, ownerRevision } = outcome;
        return { type: 'HoldPublication', at, until, ownerId: attempt.ownerId, ownerRevision };
      }
      default:
        return assertNever(outcome);
    }
  }

  /** Applies the post's own pauses before its success is recorded: see {@link PauseAfterPublication}. */
  private async applyPauses({ row, payload, origin, signals }: PublicationAttempt, at: Instant): Promise<void> {
    const { post_id: postId, project_id: projectId, channel_id: channelId } = row;
    if (!payload.ad_pause_minutes && !payload.ad_target_pause_minutes) return;
    const accepted = { postId, projectId, channelId, payload, at, origin };
    await retryWhileUnavailable(() => this.pauses.apply(accepted), signals.abort);
  }

  /**
   * Flags the channel (D-26, D-50).
   * @returns true if the publication must wait, or if the credentials have been replaced; false once the queue has been
   *   held for 24 hours
   */
  private async holdQueue(attempt: PublicationAttempt, error: PublishError, at: Instant): Promise<boolean> {
    const { channel, row, signals } = attempt;
    const { credentialsId } = channel;
    const { channel_id: channelId, accepted_at: acceptedAt } = row;
    const refusal = { channelId, credentialsId, at, acceptedAt, attention: attentionOf(error) };
    const context = this.contextOf(attempt);
    const { aggregates } = this;
    const flagging = retryWhileUnavailable(() => flagChannel(aggregates, context, refusal), signals.abort);
    const flagged = (await flagging) ?? channel;
    return flagged.attentionUntil > at || flagged.credentialsId !== credentialsId;
  }

  private contextOf({ origin }: ClaimedPublication): CommandContext {
    return { commandId: newUuid(), at: this.clock.now(), ...origin };
  }
}
