import type { Log } from '../../../kernel/log.js';
import { detailOf } from '../../../kernel/reason.js';
import type { PublishError, SendContext, Step, StepOutcome } from '../../../platforms/publisher.js';
import type { Leases } from '../../../postgres/leases.js';
import { type SecretVault, UnreadableSecret } from '../../../secrets/vault.js';
import type { GroupConcurrency } from '../../engine/group-concurrency.js';
import type { ChannelStates } from '../inputs/channel-states.js';
import type { MediaFiles } from '../inputs/media-files.js';
import { keyOfMedium } from '../inputs/shared-media.js';
import {
  credentialsMissingError,
  credentialsUnreadableError,
  internalError,
  leaseLostError,
} from './attempt-errors.js';
import {
  afterCall,
  afterStartWithoutCall,
  afterOrphanFound,
  afterPace,
  afterResolution,
  afterStart,
  afterStepRecorded,
  type AttemptState,
  type AwaitingPace,
  conclude,
  type Credentials,
  type CredentialsRead,
  findNextStep,
  type LoadedPublication,
  type Orphaned,
  type Prepared,
  release,
  type Sending,
  type StepConfirmed,
  stepNamedWithResult,
  type Unconfirmed,
  type Unprepared,
  visibleStepName,
} from './attempt-state.js';
import type { InDoubtResolver } from './in-doubt-resolver.js';
import type { OutcomeRecorder } from './outcome-recorder.js';
import type { Pacing } from './pacing.js';
import type { PublicationAttempt } from './publication-attempt.js';

/** Dependencies of {@link StepSender}. */
export interface StepSenderDependencies {
  readonly vault: SecretVault;
  readonly pacing: Pacing;
  readonly media: MediaFiles;
  readonly concurrency: GroupConcurrency;
  readonly leases: Leases;
  readonly log: Log;
}

/**
 * Performs the effects of the states between the start of an attempt and its outcome. Each method does the work of one
 * state, appends at most one event to the publication's stream, and returns the next state.
 */
export class StepSender {
  constructor(
    private readonly deps: StepSenderDependencies,
    private readonly outcomes: OutcomeRecorder,
    private readonly resolver: InDoubtResolver,
    private readonly channels: ChannelStates,
  ) {}

  /** Waits for the first step's turn and claims the publication: `PublicationStarted` is the fence between workers. */
  async start(attempt: PublicationAttempt, state: Prepared): Promise<AttemptState> {
    const { pacing, leases } = this.deps;
    const { worker, signals, row } = attempt;
    const step = findNextStep(state.rendering, state.publication.state.results);
    const read = await this.readCredentials(attempt);
    // Replaced since the channel was read, and erased (D-56): the next attempt reads the new ones.
    if (read.kind === 'unusable' && (await this.hasOtherCredentials(attempt))) return release(state);
    const hasWaited =
      step !== undefined &&
      read.kind === 'read' &&
      (await pacing.waitForTurn(attempt, step, read.credentials, row.publication_id));
    // A pause may have begun during the wait.
    if (hasWaited && (await this.channels.isPaused(row.channel_id))) return release(state);
    if (!leases.stillHoldsLeasesOf(worker) || signals.drain.aborted) return release(state);
    const sending = read.kind === 'read' ? visibleStepName(step) : null;
    const start = { sending, projectRevision: attempt.projectRevision };
    return afterStart(state, await this.outcomes.recordStart(attempt, state.publication, start), read);
  }

  /** Claims the publication for an attempt that fails without a call. Its text is not settled: the next may differ. */
  async startWithoutCall(attempt: PublicationAttempt, state: Unprepared): Promise<AttemptState> {
    const start = { sending: null, projectRevision: null };
    return afterStartWithoutCall(state, await this.outcomes.recordStart(attempt, state.publication, start));
  }

  /** Calls a step. No call can be taken back, so a worker that may have lost the channel makes none. */
  async send(attempt: PublicationAttempt, state: Sending): Promise<AttemptState> {
    const { publication, step, credentials } = state;
    if (!this.deps.leases.stillHoldsLeasesOf(attempt.worker))
      return conclude(state, { kind: 'interrupted', error: leaseLostError });
    const context = this.contextOf(attempt, publication, credentials);
    const outcome = await attempt.publisher.send(step, context).catch((thrown: unknown): StepOutcome => {
      const error = this.reportPublisherError(attempt, thrown);
      return step.visible ? { kind: 'in_doubt', error } : { kind: 'retry', error, afterMs: null, named: false };
    });
    return afterCall(state, outcome, attempt.render);
  }

  /** Finds out whether readers see an unconfirmed send (D-25). */
  async resolve(attempt: PublicationAttempt, state: Unconfirmed): Promise<AttemptState> {
    const { publication, step, credentials, isOrphaned } = state;
    const context = this.contextOf(attempt, publication, credentials);
    const resolution = await this.resolver.resolve(attempt, publication, step, context, isOrphaned);
    return afterResolution(state, resolution, attempt.render);
  }

  /** Records the result of a step that others follow, and names the next visible step where it may go at once. */
  async recordStep(attempt: PublicationAttempt, state: StepConfirmed): Promise<AttemptState> {
    const { publication, step, done } = state;
    const { result, messageIds, urls } = done;
    const isPaced = this.deps.pacing.enabled;
    const recorded = await this.outcomes.record(attempt, publication, {
      type: 'CompleteStep',
      attempt: publication.state.attempt,
      step: step.name,
      result,
      messageIds,
      urls,
      sending: stepNamedWithResult(state, isPaced),
    });
    return afterStepRecorded(state, recorded, isPaced);
  }

  /** Waits for the next step's turn. Only then does the stream name a visible step: a wait is never in doubt. */
  async waitForPace(attempt: PublicationAttempt, state: AwaitingPace): Promise<AttemptState> {
    const { publication, next } = state;
    await this.deps.pacing.waitForTurn(attempt, next.step, next.credentials);
    const sending = visibleStepName(next.step);
    if (sending === null) return afterPace(state, publication);
    if (attempt.signals.drain.aborted) return release(state);
    const command = { type: 'StartStep', attempt: publication.state.attempt, sending } as const;
    return afterPace(state, await this.outcomes.record(attempt, publication, command));
  }

  /** Examines an attempt that another worker has left open. */
  async recover(attempt: PublicationAttempt, state: Orphaned): Promise<AttemptState> {
    const { sending, results } = state.publication.state;
    if (sending === null) return afterOrphanFound(state, undefined, null);
    const read = await this.readCredentials(attempt);
    return afterOrphanFound(state, this.findStep(attempt, results, sending), read);
  }

  private async hasOtherCredentials({ channel, row }: PublicationAttempt): Promise<boolean> {
    return (await this.channels.loadChannel(row.channel_id)).credentialsId !== channel.credentialsId;
  }

  /** Reads the channel's credentials. No later post could use those that cannot be decrypted: a person must set new ones. */
  private async readCredentials({ channel, row }: PublicationAttempt): Promise<CredentialsRead> {
    try {
      const credentials = await this.deps.vault.readSecret(channel.credentialsId);
      return credentials ? { kind: 'read', credentials } : { kind: 'unusable', error: credentialsMissingError };
    } catch (error) {
      if (!(error instanceof UnreadableSecret)) throw error;
      this.deps.log.error({ channel: row.channel_id, error: error.message }, 'credentials cannot be decrypted');
      return { kind: 'unusable', error: credentialsUnreadableError };
    }
  }

  /** Returns the step of a name; undefined if the post is not rendered with such a step any more. */
  private findStep(attempt: PublicationAttempt, results: SendContext['results'], name: string): Step | undefined {
    try {
      return attempt.render(results).steps.find((step) => step.name === name);
    } catch (thrown) {
      this.reportPublisherError(attempt, thrown);
      return undefined;
    }
  }

  private reportPublisherError({ row }: PublicationAttempt, thrown: unknown): PublishError {
    this.deps.log.error(
      { publication: row.publication_id, error: detailOf(thrown) },
      'publisher threw an error; this is a bug in the gateway',
    );
    return internalError;
  }

  private contextOf(
    { row, target, payload, signals, ownerId, publisher, refusedMedia }: PublicationAttempt,
    { state }: LoadedPublication,
    credentials: Credentials,
  ): SendContext {
    const { results, waits } = state;
    const { post_id: postId, publication_id: key } = row;
    const signal = signals.abort;
    const lend = this.deps.media.forPost({ postId, ownerId, media: payload.media ?? [], signal });
    const place = { group: publisher.platform, owner: ownerId };
    // A file that has left the cache is fetched again, without a slot.
    const media: SendContext['media'] = async (index, limits) =>
      refusedMedia.get(keyOfMedium({ index, limits })) ??
      this.deps.concurrency.releaseUnlessSoon(place, lend(index, limits), signals.drain);
    return { credentials, channel: target, results, key, waits, media, signal };
  }
}
