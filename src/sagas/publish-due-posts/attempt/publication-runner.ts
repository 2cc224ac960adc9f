import { channel as channelDecider, type ChannelState } from '../../../domain/channel/channel.decider.js';
import { channelPause } from '../../../domain/channel-pause/channel-pause.decider.js';
import type { PauseState } from '../../../domain/pause/pause.js';
import { publication as decider, type PublicationStatus } from '../../../domain/publication/publication.decider.js';
import type { Position } from '../../../event-store/port.js';
import { Remembered } from '../../../event-store/aggregate-cache.js';
import { nothingYet } from '../../../event-store/aggregate-store.js';
import type { Rendering, Warning } from '../../../platforms/publisher.js';
import type { Publishers } from '../../../platforms/registry.js';
import type { Processed } from '../../../processing/process-post.js';
import type { PostPayloads } from '../../../projections/posts/post-payloads.js';
import type { ScheduledPublication } from '../../../projections/publish-schedule/publish-schedule.tables.js';
import { Doubts, type DoubtsDependencies } from './in-doubt-resolver.js';
import type { Ending } from '../shutdown-signals.js';
import { broken } from './attempt-errors.js';
import { Outcomes, type OutcomesDependencies } from './outcome-recorder.js';
import type { ProcessedPosts } from '../inputs/processed-posts.js';
import type { Quota } from './quota.js';
import { Sending, type SendingDependencies } from './step-sender.js';
import { NOTHING, rendererOf, type Unprocessed, type Work } from './publication-attempt.js';

/** What publishing takes. */
export interface PublishDependencies extends OutcomesDependencies, DoubtsDependencies, SendingDependencies {
  readonly payloads: PostPayloads;
  readonly publishers: Publishers;
  readonly posts: ProcessedPosts;
  readonly quota: Quota;
}

const ACTOR = 'system:publish-due-posts';

/** How far a publication was taken. */
export interface Taken {
  /** Of its last event. */
  readonly position: Position;
  /** It holds its channel back no longer (D-20). */
  readonly isOver: boolean;
}

const UNDER_WAY: ReadonlySet<PublicationStatus> = new Set(['queued', 'publishing']);

/**
 * Publishes one post on one channel. The stream decides, never the schedule: what it says is over stays over. The claim
 * (`PublicationStarted` at an expected revision) comes before the first call, each step's result before the next call,
 * the outcome last; whatever dies in between leaves a stream that says how to go on.
 */
export class Publish {
  private readonly outcomes: Outcomes;
  private readonly sending: Sending;
  private readonly channels: Remembered<ChannelState>;
  private readonly channelPauses: Remembered<PauseState>;

  constructor(private readonly on: PublishDependencies) {
    this.outcomes = new Outcomes(on);
    this.sending = new Sending(
      on,
      this.outcomes,
      new Doubts(on),
      async ({ row, channel }) => channel.enabled && !(await this.isPaused(row.channel_id)),
    );
    this.channels = new Remembered(on.streams, channelDecider);
    this.channelPauses = new Remembered(on.streams, channelPause);
  }

  /**
   * Takes the head of a channel as far as it goes.
   * @param worker name under which this process holds the channel
   * @returns null where nothing was to be done yet.
   */
  async next(row: ScheduledPublication, worker: string, ending: Ending): Promise<Taken | null> {
    const { streams, payloads, posts, publishers, leases } = this.on;
    const [loaded, { state: channel }, isPaused, post, project] = await Promise.all([
      // The first attempt needs no look: its claim fails where the schedule is behind.
      row.attempt === 0 ? nothingYet(decider) : streams.load(decider, row.publication_id),
      this.channels.load(row.channel_id),
      this.isPaused(row.channel_id),
      payloads.read(row.post_stream, row.post_revision),
      posts.project(row.project_id),
    ]);
    if (!channel) throw new Error(`${row.channel_id} is not in the store`);
    const { requestId, correlationId, id: causationId } = post.event;
    const publisher = publishers.of(channel.platform);
    const target = { id: row.channel_id, address: channel.address, settings: { ...channel.settings } };
    const unprocessed: Unprocessed = {
      row,
      worker,
      ending,
      origin: { actor: ACTOR, requestId, correlationId, causationId },
      channel,
      payload: post.payload,
      ownerId: post.event.data.ownerId,
      publisher,
      target,
      loaded,
    };
    const { status } = loaded.state;
    if (!UNDER_WAY.has(status)) return { position: loaded.position, isOver: true }; // the schedule is behind
    if (status === 'queued' && (!channel.enabled || isPaused)) return null;

    const { processed, projectRevision, tookTime } = await posts.of(unprocessed, project);
    if (tookTime && (ending.stop.aborted || !leases.isValid(worker))) return null;
    if (tookTime && status === 'queued' && (await this.isPaused(row.channel_id))) return null; // meanwhile
    const work: Work = { projectRevision, render: rendererOf(unprocessed, processed), ...unprocessed };
    const position = await this.goOn(work, processed);
    return position === null ? null : { position, isOver: !UNDER_WAY.has(work.loaded.state.status) };
  }

  /** Does what the stream asks for. @returns the position of the last event, or null where nothing was to be done yet. */
  private async goOn(work: Work, processed: Processed): Promise<Position | null> {
    const { status } = work.loaded.state;
    if (status === 'publishing') return this.sending.recover(work);
    if (processed.kind === 'filtered') return this.filter(work, processed.reason);
    if (processed.kind === 'wait') return this.putOff(work, processed);
    const rendering = this.rendered(work);
    if (rendering === null) return this.putOff(work, { error: broken, afterMs: null });
    return rendering.steps.length === 0 ? this.filter(work, nothingLeft(rendering)) : this.withShare(work, rendering);
  }

  /** Null where the program itself fails: a post that nothing can be made of must not hold its channel for ever. */
  private rendered(work: Work): Rendering | null {
    try {
      return work.render(work.loaded.state.results);
    } catch (thrown) {
      const detail = { publication: work.row.publication_id, error: (thrown as Error).stack };
      this.on.log.error(detail, 'a post could not be rendered');
      return null;
    }
  }

  private async isPaused(channelId: string): Promise<boolean> {
    const { state } = await this.channelPauses.load(channelId);
    return state.until > this.on.clock.now();
  }

  private filter(work: Work, reason: Warning): Promise<Position | null> {
    return this.outcomes.record(work, { type: 'Filter', at: this.on.clock.now(), reason });
  }

  /** An attempt that fails before it has a text: the next one may have another, so that none is settled. */
  private async putOff(work: Work, { error, afterMs }: Omit<Extract<Processed, { kind: 'wait' }>, 'kind'>) {
    const attempt = { at: this.on.clock.now(), worker: work.worker, sending: null, projectRevision: null };
    const position = await this.outcomes.record(work, { type: 'Start', ...attempt });
    if (position === null) return null;
    return this.outcomes.conclude(work, { kind: 'retry', error, afterMs, named: false }, NOTHING);
  }

  /** Sends it with one of its owner's posts of the month, which is given back where nothing is published (D-18, D-46). */
  private async withShare(work: Work, rendering: Rendering): Promise<Position | null> {
    const { quota, clock } = this.on;
    const { ownerId, worker } = work;
    const { publication_id: id } = work.row;
    const at = clock.now();
    const share = await quota.take(ownerId, id, worker, at);
    if (share.kind === 'busy') return null;
    if (share.kind === 'used_up') {
      const { until, ownerRevision } = share;
      return this.outcomes.record(work, { type: 'Hold', at, until, ownerId, ownerRevision });
    }
    if (!share.isHeld) return this.sending.send(work, rendering);
    try {
      return await this.sending.send(work, rendering);
    } finally {
      // An attempt that is still open keeps it, and so does a success, until the views count it.
      const { status } = work.loaded.state;
      if (status !== 'publishing' && status !== 'published') await quota.giveBack(id, worker);
    }
  }
}

/** Why a post without calls does not go: what a network says of it is the best that there is. */
const nothingLeft = ({ warnings }: Rendering): Warning =>
  warnings.find(({ code }) => code === 'nothing_to_send') ?? {
    code: 'nothing_to_send',
    message: 'Nothing is left that this network could show.',
  };
