import { Inject, Injectable } from '@nestjs/common';
import type { ProjectState } from '../../../domain/project/project.decider.js';
import { contentToSend } from '../../../domain/publication/edit.js';
import { publication as decider, type PublicationStatus } from '../../../domain/publication/publication.decider.js';
import type { Content } from '../../../domain/publication/publication.events.js';
import { AggregateStore, emptyAggregate, type LoadedAggregate } from '../../../event-store/aggregate-store.js';
import type { Position } from '../../../event-store/port.js';
import { CLOCK, type Clock } from '../../../kernel/clock.js';
import type { Origin } from '../../../kernel/events.js';
import { newId } from '../../../kernel/ids.js';
import { LOG, type Log } from '../../../kernel/log.js';
import { contentFor } from '../../../payload/overrides.js';
import { Publishers } from '../../../platforms/platform-catalogue.js';
import type { Rendering } from '../../../platforms/publisher.js';
import { Leases } from '../../../postgres/leases.js';
import type { PostWithPayload } from '../../../projections/posts/post-payloads.js';
import type { ScheduledPublication } from '../../../projections/publish-schedule/publish-schedule.tables.js';
import { settlesSoon } from '../../../runtime/sleep.js';
import { LocatedPosts } from '../../../uploads/located-posts.js';
import { causedBy } from '../../engine/event-saga.js';
import { GroupConcurrency } from '../../engine/group-concurrency.js';
import { isOutage, type ShutdownSignals } from '../../engine/run-under-lease.js';
import { PostProcessor } from '../inputs/post-processor.js';
import {
  keyOfWanted,
  listWantedMedia,
  MediaFiles,
  type PostUse,
  type PreparedMedia,
  SharedMedia,
  SharedPosts,
} from '../inputs/shared-inputs.js';
import { ChannelStates, WaitingPublications } from '../inputs/waiting-publications.js';
import {
  afterMedia,
  type AttemptState,
  beginAttempt,
  conclude,
  type FinalState,
  isFinal,
  type LoadedPublication,
  onlyRecords,
  type Prepared,
  release,
} from './attempt-state.js';
import { FailureRecorder } from './failure-recorder.js';
import { OutcomeRecorder } from './outcome-recorder.js';
import { type Channel, type ClaimedPublication, type PublicationAttempt, rendererOf } from './publication-attempt.js';
import { PublishingQuota, StartTurns } from './start-limits.js';
import { StepSender } from './step-sender.js';

const NAME = 'publish-due-posts';

/** Progress of a publication after an attempt. */
export interface AttemptResult {
  /** Position of the publication's last event. */
  readonly position: Position;
  /** True if the publication no longer holds its channel back (D-20). */
  readonly isOver: boolean;
}

/** A wait for media before the publication starts; holds no slot. */
class MediaWait {
  constructor(readonly prepared: Promise<PreparedMedia>) {}
}

/** The data that an attempt depends on. */
interface AttemptInputs {
  readonly publication: LoadedPublication;
  readonly channel: Channel;
  readonly mayPublish: boolean;
  readonly post: PostWithPayload;
  /** See {@link PublicationAttempt.content}. */
  readonly content: Content | null;
  readonly project: LoadedAggregate<ProjectState>;
}

/** Returns a new origin for events about an unreadable post, because the original request is unknown. */
const originWithoutPost = (): Origin => {
  const id = newId('req');
  return { actor: `system:${NAME}`, requestId: id, correlationId: id, causationId: id, clientAddress: null };
};

const OPEN_STATUSES: ReadonlySet<PublicationStatus> = new Set(['queued', 'publishing']);

/** True if the schedule does not show yet that the latest attempt has ended and when the next one is due (D-20). */
const isAhead = ({ state }: LoadedPublication, row: ScheduledPublication): boolean =>
  state.status === 'queued' && (row.state !== 'queued' || row.attempt !== state.attempt);

const resultOf = ({ state, position }: LoadedPublication): AttemptResult => ({
  position,
  isOver: !OPEN_STATUSES.has(state.status),
});

/**
 * Runs attempts to publish one post on one channel. The stream is authoritative, not the schedule: a publication that
 * its stream shows as finished is not sent again. The claim (`PublicationStarted` at an expected revision) comes before
 * the first call, each step's result before the next call, and the outcome last. If a process dies in between, another
 * process continues from the stream. {@link AttemptState} lists the states (docs/publication-attempt.md).
 */
@Injectable()
export class PublicationRunner {
  private readonly media: SharedMedia;
  private readonly posts: SharedPosts;

  constructor(
    private readonly aggregates: AggregateStore,
    private readonly publishers: Publishers,
    private readonly processor: PostProcessor,
    private readonly quota: PublishingQuota,
    private readonly waiting: WaitingPublications,
    private readonly starts: StartTurns,
    private readonly concurrency: GroupConcurrency,
    private readonly leases: Leases,
    private readonly channels: ChannelStates,
    private readonly outcomes: OutcomeRecorder,
    private readonly failures: FailureRecorder,
    private readonly sender: StepSender,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(LOG) private readonly log: Log,
    posts: LocatedPosts,
    media: MediaFiles,
  ) {
    this.media = new SharedMedia(media);
    this.posts = new SharedPosts(posts);
  }

  /**
   * Attempts the first publication in a channel's queue. Records an exception as a failure (D-20).
   * @param worker id of the worker that holds the channel's lease
   * @returns null if nothing can be done yet
   * @throws Unavailable and the database's errors during an outage, which never ends an attempt
   */
  async run(row: ScheduledPublication, worker: string, signals: ShutdownSignals): Promise<AttemptResult | null> {
    let origin: Origin | null = null;
    let media: PreparedMedia | null = null;
    try {
      for (;;) {
        const postUse = this.posts.use(row);
        let endStart: (() => void) | null = null;
        let result: AttemptResult | MediaWait | null;
        try {
          endStart = await this.starts.acquire(row.owner_id, signals.drain);
          if (endStart === null) return null;
          const inputs = await this.readInputs(row, postUse);
          origin = causedBy(inputs.post.event, NAME);
          result = await this.runAttempt({ row, worker, signals, origin }, inputs, endStart, media);
        } finally {
          endStart?.();
          postUse.end();
        }
        if (!(result instanceof MediaWait)) return result;
        // Everything is read again afterwards, because a wait may take minutes.
        const place = { group: row.platform, owner: row.owner_id };
        media = await this.concurrency.releaseWhile(place, result.prepared, signals.drain);
        if (media.kind === 'abandoned' || !this.leases.stillHoldsLeasesOf(worker)) return null;
      }
    } catch (thrown) {
      const claimed = { row, worker, signals, origin: origin ?? originWithoutPost() };
      const publication = await this.failures.recordFailure(claimed, thrown);
      return publication && resultOf(publication);
    }
  }

  private async readInputs(row: ScheduledPublication, postUse: PostUse): Promise<AttemptInputs> {
    const { aggregates, processor } = this;
    const reading = this.channels.loadChannel(row.channel_id);
    const [publication, channel, mayPublish, released, project] = await Promise.all([
      // A first attempt needs no read: its claim fails if the schedule is behind.
      row.attempt === 0 && !row.is_edited
        ? emptyAggregate(decider)
        : aggregates.loadAggregate(decider, row.publication_id),
      reading,
      this.channels.mayPublish(row.channel_id, reading),
      postUse.read(),
      processor.loadProject(row.project_id),
    ]);
    const content = contentToSend(publication.state);
    const post = content ? await this.readEdited(row, content) : released;
    return { publication, channel, mayPublish, post, content, project };
  }

  /** Reads newer content than the post was released with (D-72). */
  private async readEdited({ post_stream }: ScheduledPublication, content: Content): Promise<PostWithPayload> {
    const use = this.posts.use({ post_stream, post_revision: String(content.streamRevision) });
    try {
      return await use.read();
    } finally {
      use.end();
    }
  }

  /** @param prepared the post's media, if the attempt had to wait for them */
  private async runAttempt(
    claimed: ClaimedPublication,
    { publication, channel, mayPublish, post, content, project }: AttemptInputs,
    endStart: () => void,
    prepared: PreparedMedia | null,
  ): Promise<AttemptResult | MediaWait | null> {
    const { row, worker, signals } = claimed;
    const { channels, clock, leases } = this;
    const { status } = publication.state;
    if (!OPEN_STATUSES.has(status)) return resultOf(publication); // the schedule is behind
    if (isAhead(publication, row)) return null;
    const isDeleted = channel.deleted || project.state?.deleted === true;
    // The schedule may be behind; only the streams show whether the channel may publish.
    if (status === 'queued' && !isDeleted && !mayPublish) return null;
    if (status === 'queued' && isDeleted) {
      const cancelled = await this.outcomes.recordCancellation(claimed, publication);
      return cancelled && resultOf(cancelled);
    }

    const unprocessed = {
      ...claimed,
      endStart,
      clockLead: clock.now() - performance.now(),
      channel,
      payload: contentFor(post.payload, { channelId: row.channel_id, platform: channel.platform }),
      content,
      ownerId: post.event.data.ownerId,
      publisher: this.publishers.get(channel.platform),
      target: { id: row.channel_id, address: channel.address, settings: { ...channel.settings } },
    };
    const { processed, projectRevision, hasWaited } = await this.processor.process(unprocessed, publication, project);
    if (hasWaited && (signals.drain.aborted || !leases.stillHoldsLeasesOf(worker))) return null;
    if (hasWaited && status === 'queued' && !(await channels.mayPublish(row.channel_id))) return null;

    const render = rendererOf(unprocessed, processed);
    const attempt: PublicationAttempt = { ...unprocessed, projectRevision, render, refusedMedia: new Map() };
    const first = beginAttempt(publication, processed, () => this.renderSafely(attempt, publication));
    const end = await this.advanceFromStart(attempt, first, prepared);
    if (end instanceof MediaWait) return end;
    return end.kind === 'released' ? null : resultOf(end.publication);
  }

  private async advanceFromStart(
    attempt: PublicationAttempt,
    first: AttemptState,
    prepared: PreparedMedia | null,
  ): Promise<FinalState | MediaWait> {
    if (first.kind !== 'prepared') return this.advanceToEnd(attempt, first);
    const media = await this.prepareMedia(attempt, first, prepared);
    if (media instanceof MediaWait) return media;
    const state = afterMedia(first, media);
    if (state.kind !== 'prepared') return this.advanceToEnd(attempt, state);
    const ready = media?.kind === 'ready' ? { ...attempt, refusedMedia: media.refused } : attempt;
    return this.withQuotaReservation(ready, state);
  }

  /** @returns null if no media are needed; a wait if the preparation takes longer than a turn of the event loop */
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
    const { signal, end } = this.waiting.watch(row.publication_id, place, signals.drain);
    const post = { postId: row.post_id, ownerId, media: payload.media ?? [], signal };
    const preparing = this.media.prepare(post, wanted).finally(end);
    return (await settlesSoon(preparing)) ? preparing : new MediaWait(preparing);
  }

  /** Renders the post; null if the publisher throws an error, which is a bug. */
  private renderSafely(attempt: PublicationAttempt, { state }: LoadedPublication): Rendering | null {
    try {
      return attempt.render(state.results);
    } catch (thrown) {
      const detail = { publication: attempt.row.publication_id, err: thrown };
      this.log.error(detail, 'failed to render a post; this is a bug in the gateway');
      return null;
    }
  }

  /** Sends a post, counting it towards its owner's monthly quota (D-18, D-46). */
  private async withQuotaReservation(attempt: PublicationAttempt, prepared: Prepared): Promise<FinalState> {
    const { ownerId, worker, row } = attempt;
    const reservation = await this.quota.reserve(ownerId, row.publication_id, worker, this.clock.now());
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

  /**
   * @param hasReservation true if one of the month's posts is reserved; the reservation is released if nothing is
   * published
   */
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
        await this.quota.release(attempt.row.publication_id, attempt.worker);
    }
  }

  /** Handles one state, and retries once if only this process knows the network's response. */
  private async advanceSafely(
    attempt: PublicationAttempt,
    state: Exclude<AttemptState, FinalState>,
  ): Promise<AttemptState> {
    try {
      return await this.advance(attempt, state);
    } catch (thrown) {
      if (!onlyRecords(state) || isOutage(thrown)) throw thrown;
      const detail = { publication: attempt.row.publication_id, err: thrown };
      this.log.error(detail, 'failed to record the response of the network; trying once more');
      return this.advance(attempt, state);
    }
  }

  /** Handles one state. @returns the next state */
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
        return this.outcomes.recordOutcome(attempt, state);
    }
  }
}
