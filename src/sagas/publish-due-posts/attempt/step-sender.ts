import { Inject, Injectable } from '@nestjs/common';
import { UploadLinks } from '../../../commands/post/upload-holds.js';
import type { Sender } from '../../../domain/publication/publication.events.js';
import { CLOCK, type Clock } from '../../../kernel/clock.js';
import { LOG, type Log } from '../../../kernel/log.js';
import { PlatformCatalogue } from '../../../platforms/platform-catalogue.js';
import {
  LEASE_LOST,
  type PublishError,
  type SendContext,
  type Step,
  type StepOutcome,
} from '../../../platforms/publisher.js';
import { Leases } from '../../../postgres/leases.js';
import { SecretVault } from '../../../secrets/vault.js';
import { GroupConcurrency } from '../../engine/group-concurrency.js';
import { keyOfMedium, MediaFiles } from '../inputs/shared-inputs.js';
import { ChannelStates } from '../inputs/waiting-publications.js';
import {
  afterCall,
  afterOrphanFound,
  afterResolution,
  afterStart,
  type AttemptState,
  type AwaitingPace,
  conclude,
  type Credentials,
  type CredentialsRead,
  findNextStep,
  internalError,
  leaseLostError,
  type LoadedPublication,
  type Orphaned,
  type Prepared,
  release,
  type Sending,
  type StepConfirmed,
  type Unconfirmed,
  type Unprepared,
  visibleStepName,
  withdrawnError,
} from './attempt-state.js';
import { InDoubtResolver } from './in-doubt-resolver.js';
import { OutcomeRecorder } from './outcome-recorder.js';
import { type PublicationAttempt, readCredentials } from './publication-attempt.js';
import { Pacing } from './start-limits.js';

const contentOf = ({ content }: PublicationAttempt) => (content ? { content } : {});

/**
 * Handles the states of an attempt up to its outcome. Each method handles one state, appends at most one event to the
 * publication's stream, and returns the next state.
 */
@Injectable()
export class StepSender {
  constructor(
    readonly vault: SecretVault,
    private readonly pacing: Pacing,
    private readonly media: MediaFiles,
    private readonly concurrency: GroupConcurrency,
    private readonly leases: Leases,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) readonly log: Log,
    private readonly outcomes: OutcomeRecorder,
    private readonly resolver: InDoubtResolver,
    private readonly channels: ChannelStates,
    private readonly links: UploadLinks,
    private readonly catalogue: PlatformCatalogue,
  ) {}

  /** Waits for the first step's turn and claims the publication: `PublicationStarted` is the fence between workers. */
  async start(attempt: PublicationAttempt, state: Prepared): Promise<AttemptState> {
    const { channels, leases, pacing } = this;
    const { channel, row, signals, worker } = attempt;
    const step = findNextStep(state.rendering, state.publication.state.results);
    const read = await this.readCredentials(attempt);
    // If credentials were replaced and erased since the channel was read (D-56), the next attempt reads the new ones.
    if (read.kind === 'unusable') {
      const { credentialsId } = await channels.loadChannel(row.channel_id);
      if (credentialsId !== channel.credentialsId) return release(state);
    }
    const hasWaited =
      step !== undefined &&
      read.kind === 'read' &&
      (await pacing.waitForTurn(attempt, step, read.credentials, row.publication_id));
    if (hasWaited && !(await channels.mayPublish(row.channel_id))) return release(state);
    if (!leases.stillHoldsLeasesOf(worker) || signals.drain.aborted) return release(state);
    const sending = read.kind === 'read' ? visibleStepName(step) : null;
    const sender = this.senderOf(attempt, read);
    await this.keepLinked(attempt, step);
    const start = { sending, projectRevision: attempt.projectRevision, sender, ...contentOf(attempt) };
    return afterStart(state, await this.outcomes.recordStart(attempt, state.publication, start), read);
  }

  /** Claims the publication for an attempt that fails without a call, and lets the next attempt determine the text. */
  async startWithoutCall(attempt: PublicationAttempt, state: Unprepared): Promise<AttemptState> {
    const start = { sending: null, projectRevision: null, ...contentOf(attempt) };
    const started = await this.outcomes.recordStart(attempt, state.publication, start);
    if (started === null) return release(state);
    const { error, afterMs, isFinal } = state;
    return conclude(
      { publication: started },
      isFinal ? { kind: 'failed', error } : { kind: 'retry', error, afterMs, named: false },
    );
  }

  /** Calls a step, unless the worker may have lost the channel. */
  async send(attempt: PublicationAttempt, state: Sending): Promise<AttemptState> {
    const { publication, step, credentials } = state;
    if (!this.leases.stillHoldsLeasesOf(attempt.worker))
      return conclude(state, { kind: 'interrupted', error: leaseLostError });
    const context = this.contextOf(attempt, publication, credentials);
    attempt.endStart();
    const outcome = await attempt.publisher.send(step, context).catch((thrown: unknown): StepOutcome => {
      const error = this.reportPublisherError(attempt, thrown);
      return step.visible ? { kind: 'in_doubt', error } : { kind: 'retry', error, afterMs: null, named: false };
    });
    // The request was due only after the lease had passed, so no request was completed (D-84).
    if (outcome.kind === 'retry' && outcome.error.code === LEASE_LOST)
      return conclude(state, { kind: 'interrupted', error: leaseLostError });
    return afterCall(state, outcome, attempt.render);
  }

  /** Finds out whether readers see an unconfirmed send (D-25). */
  async resolve(attempt: PublicationAttempt, state: Unconfirmed): Promise<AttemptState> {
    const { publication, step, credentials, isOrphaned } = state;
    attempt.endStart();
    const context = this.contextOf(attempt, publication, credentials);
    const resolution = await this.resolver.resolve(attempt, publication, step, context, isOrphaned);
    return afterResolution(state, resolution, attempt.render);
  }

  /** Records the result of a step that is not the last, and names the next visible step if it can be sent at once. */
  async recordStep(attempt: PublicationAttempt, state: StepConfirmed): Promise<AttemptState> {
    const { publication, step, done, next } = state;
    const { result, messageIds, urls } = done;
    const goesOnAtOnce = !('interrupt' in next) && !this.pacing.enabled;
    if (!('interrupt' in next)) await this.keepLinked(attempt, next.step);
    const recorded = await this.outcomes.record(attempt, publication, {
      type: 'CompleteStep',
      at: this.clock.now(),
      attempt: publication.state.attempt,
      step: step.name,
      result,
      messageIds,
      urls,
      sending: goesOnAtOnce ? visibleStepName(next.step) : null,
    });
    if (recorded === null) return release(state);
    // No further part of a post that was taken back meanwhile is sent (D-69).
    if (recorded.state.withdrawal)
      return conclude({ publication: recorded }, { kind: 'interrupted', error: withdrawnError });
    if ('interrupt' in next) return conclude({ publication: recorded }, { kind: 'interrupted', error: next.interrupt });
    return goesOnAtOnce
      ? { kind: 'sending', ...next, publication: recorded }
      : { kind: 'awaiting_pace', next, publication: recorded };
  }

  private keepLinked({ payload, row, origin }: PublicationAttempt, step: Step | undefined): Promise<void> {
    return this.links.keepLinked(step, payload.media, row.post_id, origin);
  }

  /** Waits for the next step's turn, and names a visible step in the stream only then: a wait is never in doubt. */
  async waitForPace(attempt: PublicationAttempt, state: AwaitingPace): Promise<AttemptState> {
    const { publication, next } = state;
    await this.pacing.waitForTurn(attempt, next.step, next.credentials);
    const sending = visibleStepName(next.step);
    if (sending === null) return { kind: 'sending', ...next, publication };
    if (attempt.signals.drain.aborted) return release(state);
    const command = { type: 'StartStep', attempt: publication.state.attempt, sending } as const;
    const named = await this.outcomes.record(attempt, publication, command);
    return named === null ? release(state) : { kind: 'sending', ...next, publication: named };
  }

  /** Examines an attempt that another worker has left open. */
  async recover(attempt: PublicationAttempt, state: Orphaned): Promise<AttemptState> {
    const { sending, results } = state.publication.state;
    if (sending === null) return afterOrphanFound(state, undefined, null);
    const read = await this.readCredentials(attempt);
    return afterOrphanFound(state, this.findStep(attempt, results, sending), read);
  }

  private senderOf({ channel, publisher }: PublicationAttempt, read: CredentialsRead): Sender {
    const account = read.kind === 'read' ? (publisher.accountOf?.(read.credentials) ?? null) : null;
    const chat = this.catalogue.chatOf(channel.platform, channel.address);
    return { chat, credentialsId: channel.credentialsId, account };
  }

  private readCredentials({ channel, row }: PublicationAttempt): Promise<CredentialsRead> {
    return readCredentials(this, row.channel_id, channel);
  }

  /** Returns the step with the given name; undefined if the post's rendering no longer has it. */
  private findStep(attempt: PublicationAttempt, results: SendContext['results'], name: string): Step | undefined {
    try {
      return attempt.render(results).steps.find((step) => step.name === name);
    } catch (thrown) {
      this.reportPublisherError(attempt, thrown);
      return undefined;
    }
  }

  private reportPublisherError({ row }: PublicationAttempt, thrown: unknown): PublishError {
    const detail = { publication: row.publication_id, err: thrown };
    this.log.error(detail, 'publisher threw an error; this is a bug in the gateway');
    return internalError;
  }

  private contextOf(
    { row, target, payload, signals, ownerId, publisher, refusedMedia, worker }: PublicationAttempt,
    { state }: LoadedPublication,
    credentials: Credentials,
  ): SendContext {
    const { results, waits } = state;
    const { post_id: postId, publication_id: key } = row;
    const signal = signals.abort;
    const lend = this.media.forPost({ postId, ownerId, media: payload.media ?? [], signal });
    const place = { group: publisher.platform, owner: ownerId };
    // A file that is no longer in the cache is fetched again, without holding a slot.
    const media: SendContext['media'] = async (index, limits) =>
      refusedMedia.get(keyOfMedium({ index, limits })) ??
      this.concurrency.releaseUnlessSoon(place, lend(index, limits), signals.drain);
    const holdsLease = () => this.leases.stillHoldsLeasesOf(worker);
    return { credentials, channel: target, results, key, waits, media, signal, holdsLease };
  }
}
