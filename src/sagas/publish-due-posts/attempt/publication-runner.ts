import { publication as decider, type PublicationStatus } from '../../../domain/publication/publication.decider.js';
import { type AggregateStore, emptyAggregate } from '../../../event-store/aggregate-store.js';
import type { Position } from '../../../event-store/port.js';
import type { Clock } from '../../../kernel/clock.js';
import type { Origin } from '../../../kernel/events.js';
import { newId } from '../../../kernel/ids.js';
import type { Log } from '../../../kernel/log.js';
import { detailOf } from '../../../kernel/reason.js';
import type { Rendering } from '../../../platforms/publisher.js';
import type { Publishers } from '../../../platforms/publishers.js';
import type { Leases } from '../../../postgres/leases.js';
import type { PostPayloads } from '../../../projections/posts/post-payloads.js';
import type { ScheduledPublication } from '../../../projections/publish-schedule/publish-schedule.tables.js';
import { ChannelStates } from '../inputs/channel-states.js';
import type { PostProcessor } from '../inputs/post-processor.js';
import { keyOfWanted, listWantedMedia, type PreparedMedia, SharedMedia } from '../inputs/shared-media.js';
import type { WaitingPublications } from '../inputs/waiting-publications.js';
import { settlesSoon } from '../../../runtime/settles-soon.js';
import { isOutage } from '../../engine/outage.js';
import type { ShutdownSignals } from '../../engine/shutdown-signals.js';
import {
  afterMediaFailed,
  afterOutcomeRecorded,
  type AttemptState,
  beginAttempt,
  conclude,
  type Concluding,
  type FinalState,
  isFinal,
  type LoadedPublication,
  onlyRecords,
  type Prepared,
  release,
} from './attempt-state.js';
import { FailureRecorder } from './failure-recorder.js';
import { InDoubtResolver, type InDoubtResolverDependencies } from './in-doubt-resolver.js';
import { OutcomeRecorder, type OutcomeRecorderDependencies } from './outcome-recorder.js';
import {
  type ClaimedPublication,
  type PublicationAttempt,
  type RecordedAttempt,
  rendererOf,
  type UnprocessedAttempt,
} from './publication-attempt.js';
import type { PublishingQuota } from './quota.js';
import { StepSender, type StepSenderDependencies } from './step-sender.js';

/** Dependencies of {@link PublicationRunner} and of the parts that it is made of. */
export interface PublicationRunnerDependencies
  extends OutcomeRecorderDependencies, InDoubtResolverDependencies, StepSenderDependencies {
  readonly aggregates: AggregateStore;
  readonly payloads: PostPayloads;
  readonly publishers: Publishers;
  readonly processor: PostProcessor;
  readonly quota: PublishingQuota;
  readonly waiting: WaitingPublications;
  readonly leases: Leases;
  readonly clock: Clock;
  readonly log: Log;
}

const ACTOR = 'system:publish-due-posts';

/** Progress of a publication after an attempt. */
export interface AttemptResult {
  /** Position of the publication's last event. */
  readonly position: Position;
  /** True if the publication no longer holds its channel back (D-20). */
  readonly isOver: boolean;
}

/** The media of a publication that has not started; it holds no slot while they are fetched. */
class MediaWait {
  constructor(readonly prepared: Promise<PreparedMedia>) {}
}

/** Returns the origin of events about a publication whose post cannot be read: nothing links them to its request. */
const originWithoutPost = (): Origin => {
  const id = newId('req');
  return { actor: ACTOR, requestId: id, correlationId: id, causationId: id, clientAddress: null };
};

const OPEN_STATUSES: ReadonlySet<PublicationStatus> = new Set(['queued', 'publishing']);

/** True if an attempt has ended that is under way in the schedule, or not in it yet: there may be a time to wait for (D-20). */
const isAhead = ({ state }: LoadedPublication, row: ScheduledPublication): boolean =>
  state.status === 'queued' && (row.state !== 'queued' || row.attempt !== state.attempt);

const resultOf = ({ state, position }: LoadedPublication): AttemptResult => ({
  position,
  isOver: !OPEN_STATUSES.has(state.status),
});

/**
 * Runs attempts: publishes one post on one channel. The stream decides, not the schedule: a publication that is over in
 * its stream stays over. The claim (`PublicationStarted` at an expected revision) comes before the first call, each
 * step's result before the next call, and the outcome last. A process that dies in between leaves a stream from which
 * another continues. The states are those of {@link AttemptState}: see docs/publication-attempt.md.
 */
export class PublicationRunner {
  private readonly outcomes: OutcomeRecorder;
  private readonly sender: StepSender;
  private readonly channels: ChannelStates;
  private readonly failures: FailureRecorder;
  private readonly media: SharedMedia;

  constructor(private readonly deps: PublicationRunnerDependencies) {
    this.channels = new ChannelStates(deps.aggregates, deps.clock);
    this.outcomes = new OutcomeRecorder(deps);
    this.failures = new FailureRecorder(deps, this.outcomes);
    this.media = new SharedMedia(deps.media);
    this.sender = new StepSender(deps, this.outcomes, new InDoubtResolver(deps, this.channels), this.channels);
  }

  /**
   * Runs an attempt at the first publication of a channel's queue. Whatever throws ends the attempt in a state with a
   * reason, so that it cannot hold the channel back for ever (D-20).
   * @param worker worker id under which this process holds the channel's lease
   * @returns null if nothing can be done yet
   * @throws Unavailable and the database's errors of an outage, which ends no attempt
   */
  async run(row: ScheduledPublication, worker: string, signals: ShutdownSignals): Promise<AttemptResult | null> {
    const claimed: ClaimedPublication = { row, worker, signals };
    const story: { origin: Origin | null } = { origin: null };
    const place = { group: row.platform, owner: row.owner_id };
    try {
      let prepared: PreparedMedia | null = null;
      for (;;) {
        const result: AttemptResult | MediaWait | null = await this.runAttempt(claimed, story, prepared);
        if (!(result instanceof MediaWait)) return result;
        // Everything is read again afterwards: a wait may take minutes.
        prepared = await this.deps.concurrency.releaseWhile(place, result.prepared, signals.drain);
        if (prepared.kind === 'abandoned' || !this.deps.leases.stillHoldsLeasesOf(worker)) return null;
      }
    } catch (thrown) {
      const publication = await this.failures.recordFailure(
        { ...claimed, origin: story.origin ?? originWithoutPost() },
        thrown,
      );
      return publication && resultOf(publication);
    }
  }

  /**
   * @param story receives the origin of the attempt's events as soon as the post is read
   * @param prepared the post’s media, once they were waited for
   */
  private async runAttempt(
    claimed: ClaimedPublication,
    story: { origin: Origin | null },
    prepared: PreparedMedia | null,
  ): Promise<AttemptResult | MediaWait | null> {
    const { row, worker, signals } = claimed;
    const { aggregates, payloads, processor, publishers, leases } = this.deps;
    const [publication, channel, isPaused, post, project] = await Promise.all([
      // A first attempt needs no read: its claim fails if the schedule is behind.
      row.attempt === 0 ? emptyAggregate(decider) : aggregates.loadAggregate(decider, row.publication_id),
      this.channels.loadChannel(row.channel_id),
      this.channels.isPaused(row.channel_id),
      payloads.readPost(row.post_stream, row.post_revision),
      processor.loadProject(row.project_id),
    ]);
    const { status } = publication.state;
    if (!OPEN_STATUSES.has(status)) return resultOf(publication); // the schedule is behind
    if (isAhead(publication, row)) return null;
    const isDeleted = channel.deleted || project.state?.deleted === true;
    // The schedule may be behind: the streams say whether the channel waits for its owner (D-26) or a pause.
    const isHeld = !channel.enabled || isPaused || channel.attentionUntil > this.deps.clock.now();
    if (status === 'queued' && !isDeleted && isHeld) return null;

    const { requestId, correlationId, id: causationId } = post.event;
    const origin: Origin = { actor: ACTOR, requestId, correlationId, causationId, clientAddress: null };
    story.origin = origin;
    if (status === 'queued' && isDeleted) return this.cancel({ ...claimed, origin }, publication);
    const unprocessed: UnprocessedAttempt = {
      ...claimed,
      origin,
      clockLead: this.deps.clock.now() - performance.now(),
      channel,
      payload: post.payload,
      ownerId: post.event.data.ownerId,
      publisher: publishers.get(channel.platform),
      target: { id: row.channel_id, address: channel.address, settings: { ...channel.settings } },
    };
    const { processed, projectRevision, hasWaited } = await processor.process(unprocessed, publication, project);
    if (hasWaited && (signals.drain.aborted || !leases.stillHoldsLeasesOf(worker))) return null;
    // A pause may have begun during the wait.
    if (hasWaited && status === 'queued' && (await this.channels.isPaused(row.channel_id))) return null;

    const render = rendererOf(unprocessed, processed);
    const attempt: PublicationAttempt = { projectRevision, render, refusedMedia: new Map(), ...unprocessed };
    const first = beginAttempt(publication, processed, () => this.renderSafely(attempt, publication));
    const media = first.kind === 'prepared' ? await this.prepareMedia(attempt, first, prepared) : null;
    if (media instanceof MediaWait) return media;
    const end = await this.advanceWithMedia(attempt, first, media);
    return end.kind === 'released' ? null : resultOf(end.publication);
  }

  /** Gets the media of the remaining steps ready. @returns null if there are none; a wait if that takes longer than a moment */
  private async prepareMedia(
    attempt: PublicationAttempt,
    { rendering, publication }: Prepared,
    prepared: PreparedMedia | null,
  ): Promise<PreparedMedia | MediaWait | null> {
    const { row, ownerId, payload, publisher, signals } = attempt;
    const place = { group: row.platform, owner: row.owner_id };
    const wanted = listWantedMedia(publisher, rendering, publication.state.results);
    if (wanted.length === 0) return null;
    if (prepared && 'key' in prepared && prepared.key === keyOfWanted(wanted)) return prepared;
    const { signal, end } = this.deps.waiting.watch(row.publication_id, place, signals.drain);
    const post = { postId: row.post_id, ownerId, media: payload.media ?? [], signal };
    const preparing = this.media.prepare(post, wanted).finally(end);
    return (await settlesSoon(preparing)) ? preparing : new MediaWait(preparing);
  }

  private async advanceWithMedia(
    attempt: PublicationAttempt,
    first: AttemptState,
    media: PreparedMedia | null,
  ): Promise<FinalState> {
    if (first.kind !== 'prepared') return this.advanceToEnd(attempt, first);
    switch (media?.kind) {
      case 'abandoned':
        return release(first);
      case 'failed':
        return this.advanceToEnd(attempt, afterMediaFailed(first, media));
      case 'ready':
        return this.withQuotaReservation({ ...attempt, refusedMedia: media.refused }, first);
      case undefined:
        return this.withQuotaReservation(attempt, first);
    }
  }

  /** Cancels a post that was accepted while its channel or project was deleted. */
  private async cancel(attempt: RecordedAttempt, publication: LoadedPublication): Promise<AttemptResult | null> {
    const cancelled = await this.outcomes.recordCancellation(attempt, publication);
    return cancelled && resultOf(cancelled);
  }

  /** Renders the post; null if the publisher throws an error, which is a bug. */
  private renderSafely(attempt: PublicationAttempt, { state }: LoadedPublication): Rendering | null {
    try {
      return attempt.render(state.results);
    } catch (thrown) {
      const detail = { publication: attempt.row.publication_id, error: detailOf(thrown) };
      this.deps.log.error(detail, 'failed to render a post; this is a bug in the gateway');
      return null;
    }
  }

  /** Sends a post as one of its owner's posts of the month (D-18, D-46). */
  private async withQuotaReservation(attempt: PublicationAttempt, prepared: Prepared): Promise<FinalState> {
    const { ownerId, worker, row } = attempt;
    const reservation = await this.deps.quota.reserve(ownerId, row.publication_id, worker, this.deps.clock.now());
    switch (reservation.kind) {
      case 'busy':
        return release(prepared);
      case 'owner_deleted':
        return this.advanceToEnd(attempt, conclude(prepared, { kind: 'cancelled' }));
      case 'used_up': {
        const { until, ownerRevision } = reservation;
        return this.advanceToEnd(attempt, conclude(prepared, { kind: 'held', until, ownerRevision }));
      }
      case 'taken':
        return this.advanceToEnd(attempt, prepared, reservation.isHeld);
    }
  }

  /** @param hasReservation true if a post of the month is reserved, which is released where nothing is published */
  private async advanceToEnd(
    attempt: PublicationAttempt,
    first: AttemptState,
    hasReservation = false,
  ): Promise<FinalState> {
    let state = first;
    try {
      while (!isFinal(state)) state = await this.advanceSafely(attempt, state);
      return state;
    } finally {
      // An open attempt keeps its reservation. So does a success, until the read models count it.
      const { status } = state.publication.state;
      if (hasReservation && status !== 'publishing' && status !== 'published')
        await this.deps.quota.release(attempt.row.publication_id, attempt.worker);
    }
  }

  /** Does the work of one state, and once more where only this process knows the network's answer. */
  private async advanceSafely(
    attempt: PublicationAttempt,
    state: Exclude<AttemptState, FinalState>,
  ): Promise<AttemptState> {
    try {
      return await this.advance(attempt, state);
    } catch (thrown) {
      if (!onlyRecords(state) || isOutage(thrown)) throw thrown;
      const detail = { publication: attempt.row.publication_id, error: detailOf(thrown) };
      this.deps.log.error(detail, 'failed to record what the network answered; trying once more');
      return this.advance(attempt, state);
    }
  }

  /** Does the work of one state. @returns the next state */
  private advance(attempt: PublicationAttempt, state: Exclude<AttemptState, FinalState>): Promise<AttemptState> {
    switch (state.kind) {
      case 'orphaned':
        return this.sender.recover(attempt, state);
      case 'unprepared':
        return this.sender.startWithoutCall(attempt, state);
      case 'prepared':
        return this.sender.start(attempt, state);
      case 'sending':
        return this.sender.send(attempt, state);
      case 'unconfirmed':
        return this.sender.resolve(attempt, state);
      case 'step_confirmed':
        return this.sender.recordStep(attempt, state);
      case 'awaiting_pace':
        return this.sender.waitForPace(attempt, state);
      case 'concluding':
        return this.recordOutcome(attempt, state);
    }
  }

  private async recordOutcome(attempt: PublicationAttempt, state: Concluding): Promise<FinalState> {
    const { publication, outcome } = state;
    return afterOutcomeRecorded(state, await this.outcomes.recordOutcome(attempt, publication, outcome));
  }
}
