import { isDeepStrictEqual } from 'node:util';
import { FlagChannel, FlagChannelHandler } from '../../../commands/channel/flag-channel.js';
import { MoveChannel, MoveChannelHandler } from '../../../commands/channel/move-channel.js';
import {
  type ProgressCommand,
  RecordPublicationProgress,
  RecordPublicationProgressHandler,
} from '../../../commands/publication/record-publication-progress.js';
import type { AggregateStore } from '../../../event-store/aggregate-store.js';
import type { CommandContext } from '../../../event-store/codec.js';
import type { Clock } from '../../../kernel/clock.js';
import { assertNever } from '../../../kernel/decider.js';
import { newUuid } from '../../../kernel/ids.js';
import type { Instant } from '../../../kernel/instant.js';
import type { Log } from '../../../kernel/log.js';
import { isRejection } from '../../../kernel/result.js';
import type { PublishError } from '../../../platforms/publisher.js';
import type { PauseAfterPublication } from '../../pause-after-publication/pause-after-publication.js';
import { retryWhileUnavailable } from '../../engine/retry-while-unavailable.js';
import { attentionOf } from './attention.js';
import { channelMovedError } from './attempt-errors.js';
import type { AttemptOutcome, LoadedPublication } from './attempt-state.js';
import { type CountOutcome, reportOutcome, storyOf } from './outcome-report.js';
import type { PublicationAttempt, RecordedAttempt } from './publication-attempt.js';
import { computeRetryAt } from './retry-delay.js';

/** Dependencies of {@link OutcomeRecorder}. */
export interface OutcomeRecorderDependencies {
  readonly aggregates: AggregateStore;
  readonly pauses: PauseAfterPublication;
  readonly clock: Clock;
  readonly log: Log;
  readonly countOutcome: CountOutcome;
}

type WithoutIds<C> = C extends unknown ? Omit<C, 'publicationId' | 'postId' | 'channelId'> : never;
type Progress = WithoutIds<ProgressCommand>;

/** Appends the progress and the outcome of an attempt, and applies the outcome's effects on channel and project. */
export class OutcomeRecorder {
  // Called without the bus: the publish path is hot, and the publication that the worker knows is passed along.
  private readonly recordProgress: RecordPublicationProgressHandler;
  private readonly flagChannel: FlagChannelHandler;
  private readonly moveChannel: MoveChannelHandler;

  constructor(private readonly deps: OutcomeRecorderDependencies) {
    this.recordProgress = new RecordPublicationProgressHandler(deps.aggregates);
    this.flagChannel = new FlagChannelHandler(deps.aggregates);
    this.moveChannel = new MoveChannelHandler(deps.aggregates);
  }

  /** Records the outcome of an attempt. @returns null if another worker has taken over */
  async recordOutcome(
    attempt: PublicationAttempt,
    known: LoadedPublication,
    outcome: AttemptOutcome,
  ): Promise<LoadedPublication | null> {
    const at = this.deps.clock.now();
    const command = await this.commandFor(attempt, known, outcome, at);
    return this.record(attempt, known, command);
  }

  /** Claims a publication for an attempt. @returns null if another worker has taken over, or `known` lacks the latest attempt */
  recordStart(
    attempt: RecordedAttempt,
    known: LoadedPublication,
    start: Pick<Extract<Progress, { type: 'StartAttempt' }>, 'sending' | 'projectRevision'>,
  ): Promise<LoadedPublication | null> {
    const { worker } = attempt;
    const after = known.state.attempt;
    return this.record(attempt, known, { type: 'StartAttempt', after, at: this.deps.clock.now(), worker, ...start });
  }

  /** Records that a publication is not sent, as its channel, project or owner was deleted. @returns null if another worker has taken over */
  recordCancellation(attempt: RecordedAttempt, known: LoadedPublication): Promise<LoadedPublication | null> {
    return this.record(attempt, known, { type: 'CancelPublication', at: this.deps.clock.now() });
  }

  /** Records a failed attempt that is repeated within the bounds of D-20. @returns null if another worker has taken over */
  recordRetry(
    attempt: RecordedAttempt,
    known: LoadedPublication,
    error: PublishError,
  ): Promise<LoadedPublication | null> {
    const at = this.deps.clock.now();
    const { attempt: number, failures } = known.state;
    const retryAt = computeRetryAt(at, failures, null);
    return this.record(attempt, known, {
      type: 'PostponePublication',
      attempt: number,
      at,
      retryAt,
      rule: 'retry',
      error,
    });
  }

  /** Records a send in doubt that only its owner may repeat. @returns null if another worker has taken over */
  recordDoubt(
    attempt: RecordedAttempt,
    known: LoadedPublication,
    error: PublishError,
  ): Promise<LoadedPublication | null> {
    const at = this.deps.clock.now();
    return this.record(attempt, known, {
      type: 'MarkInDoubt',
      attempt: known.state.attempt,
      at,
      error,
      resendAt: null,
    });
  }

  /** Appends the event of one command. @returns null if another worker has taken over */
  async record(
    attempt: RecordedAttempt,
    known: LoadedPublication,
    command: Progress,
  ): Promise<LoadedPublication | null> {
    const { publication_id: publicationId, post_id: postId, channel_id: channelId } = attempt.row;
    const progress = { publicationId, postId, channelId, ...command } as ProgressCommand;
    const recording = new RecordPublicationProgress(this.contextOf(attempt), progress, known);
    const result = await retryWhileUnavailable(() => this.recordProgress.execute(recording), attempt.signals.abort);
    if (!isRejection(result)) {
      reportOutcome(this.deps, attempt, result.events, result.aggregate);
      return result.aggregate;
    }
    const { rejection } = result;
    this.deps.log.info(
      { ...storyOf(attempt), command: command.type, rejection },
      'publication was taken over by another worker',
    );
    return null;
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
        return { type: 'MarkPublished', ...ofAttempt, messageIds, urls, warnings };
      }
      case 'retry': {
        const { error, afterMs, named } = outcome;
        // A wait that the network asks for without a time grows as well, though it is no failed attempt.
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
        // A move to the present address would be repeated for ever.
        if (isDeepStrictEqual(address, attempt.channel.address)) return { type: 'MarkFailed', ...ofAttempt, error };
        const move = new MoveChannel(this.contextOf(attempt), attempt.row.channel_id, address);
        await retryWhileUnavailable(() => this.moveChannel.execute(move), attempt.signals.abort);
        // Retried at once, but counted as a failed attempt: two addresses that name each other must come to an end.
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

  /** Applies the post's own pauses, before its success is recorded: see {@link PauseAfterPublication}. */
  private async applyPauses({ row, payload, origin, signals }: PublicationAttempt, at: Instant): Promise<void> {
    const { post_id: postId, project_id: projectId, channel_id: channelId } = row;
    if (!payload.ad_pause_minutes && !payload.ad_target_pause_minutes) return;
    const accepted = { postId, projectId, channelId, payload, at, origin };
    await retryWhileUnavailable(() => this.deps.pauses.apply(accepted), signals.abort);
  }

  /**
   * Flags the channel (D-26, D-50). @returns true if the publication must wait: the hold lasts, or new credentials have
   * arrived in the meantime; false if the queue has been held for its 24 hours
   */
  private async holdQueue(attempt: PublicationAttempt, error: PublishError, at: Instant): Promise<boolean> {
    const { channel, row, signals } = attempt;
    const { credentialsId } = channel;
    const { channel_id: channelId, accepted_at: acceptedAt } = row;
    const refusal = { channelId, credentialsId, at, acceptedAt, attention: attentionOf(error) };
    const flag = new FlagChannel(this.contextOf(attempt), refusal);
    const flagged = (await retryWhileUnavailable(() => this.flagChannel.execute(flag), signals.abort)) ?? channel;
    return flagged.attentionUntil > at || flagged.credentialsId !== credentialsId;
  }

  private contextOf({ origin }: RecordedAttempt): CommandContext {
    return { commandId: newUuid(), at: this.deps.clock.now(), ...origin };
  }
}
