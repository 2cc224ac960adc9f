import { channel as channelDecider, type ChannelState } from '../../domain/channel/channel.decider.js';
import { channelPause } from '../../domain/channel-pause/channel-pause.decider.js';
import type { PauseState } from '../../domain/pause/pause.js';
import { publication as decider, type PublicationStatus } from '../../domain/publication/publication.decider.js';
import type { Position } from '../../event-store/port.js';
import { Remembered } from '../../event-store/remembered.js';
import { nothingYet } from '../../event-store/streams.js';
import type { PublishError, Rendering, SendContext, Step, StepOutcome, Warning } from '../../platforms/publisher.js';
import type { Publishers } from '../../platforms/registry.js';
import type { Processed } from '../../processing/process-post.js';
import type { PostPayloads } from '../../projections/posts/post-payloads.js';
import type { ScheduledPublication } from '../../projections/publish-schedule/publish-schedule.tables.js';
import type { SecretVault } from '../../secrets/vault.js';
import { Doubts, type DoubtsDependencies, type Verdict } from './doubts.js';
import type { Ending } from './ending.js';
import { erased, interrupted, overdue } from './interruptions.js';
import type { MediaFiles } from './media-files.js';
import { Outcomes, type OutcomesDependencies } from './outcomes.js';
import type { Pacing } from './pacing.js';
import type { ProcessedPosts } from './processed-posts.js';
import type { Quota } from './quota.js';
import { nextStep, rendererOf, type Unprocessed, visible, type Work } from './work.js';

export interface PublishDependencies extends OutcomesDependencies, DoubtsDependencies {
  readonly payloads: PostPayloads;
  readonly publishers: Publishers;
  readonly vault: SecretVault;
  readonly pacing: Pacing;
  readonly media: MediaFiles;
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
  private readonly doubts: Doubts;
  private readonly channels: Remembered<ChannelState>;
  private readonly channelPauses: Remembered<PauseState>;

  constructor(private readonly on: PublishDependencies) {
    this.outcomes = new Outcomes(on);
    this.doubts = new Doubts(on);
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
    const work: Work = { ...unprocessed, projectRevision, render: rendererOf(unprocessed, processed) };
    const position = await this.goOn(work, processed);
    return position === null ? null : { position, isOver: !UNDER_WAY.has(work.loaded.state.status) };
  }

  /** Does what the stream asks for. @returns the position of the last event, or null where nothing was to be done yet. */
  private async goOn(work: Work, processed: Processed): Promise<Position | null> {
    const { status, results } = work.loaded.state;
    if (status === 'publishing') return this.recover(work);
    if (processed.kind === 'filtered') return this.filter(work, processed.reason);
    const rendering = work.render(results);
    if (processed.kind === 'wait') return this.putOff(work, rendering, processed);
    return rendering.steps.length === 0 ? this.filter(work, nothingLeft(rendering)) : this.withShare(work, rendering);
  }

  private async isPaused(channelId: string): Promise<boolean> {
    const { state } = await this.channelPauses.load(channelId);
    return state.until > this.on.clock.now();
  }

  /** An attempt whose worker is gone: looked into where something visible was on its way, else simply again. */
  private async recover(work: Work): Promise<Position | null> {
    const { sending, results } = work.loaded.state;
    const error = interrupted(sending);
    if (sending === null) return this.outcomes.interrupt(work, error);
    const step = work.render(results).steps.find(({ name }) => name === sending);
    const credentials = await this.on.vault.get(work.channel.credentialsId);
    if (!step || !credentials) return this.outcomes.doubt(work, error);
    const verdict = await this.resolve(work, step, this.contextOf(work, credentials));
    switch (verdict.kind) {
      case 'sent': {
        const known = { ...results, [step.name]: verdict.outcome.result };
        const rendering = work.render(known);
        if (!nextStep(rendering, known)) return this.outcomes.conclude(work, verdict.outcome, rendering);
        // What follows is for an attempt of our own: the worker of this one may only have been slow.
        const position = await this.outcomes.stepDone(work, step, verdict.outcome, null);
        return position === null ? null : this.outcomes.interrupt(work, error);
      }
      case 'not_sent':
        return this.outcomes.interrupt(work, error);
      case 'unresolved':
        return this.outcomes.doubt(work, error);
      case 'left':
        return null;
    }
  }

  private resolve(work: Work, step: Step, context: SendContext): Promise<Verdict> {
    return this.doubts.resolve(work, step, context, async () => {
      return work.channel.enabled && !(await this.isPaused(work.row.channel_id));
    });
  }

  private filter(work: Work, reason: Warning): Promise<Position | null> {
    return this.outcomes.record(work, { type: 'Filter', at: this.on.clock.now(), reason });
  }

  /** An attempt that fails before it has a text: the next one may have another, so that none is settled. */
  private async putOff(work: Work, rendering: Rendering, { error, afterMs }: Extract<Processed, { kind: 'wait' }>) {
    const attempt = { at: this.on.clock.now(), worker: work.worker, sending: null, projectRevision: null };
    const position = await this.outcomes.record(work, { type: 'Start', ...attempt });
    if (position === null) return null;
    return this.outcomes.conclude(work, { kind: 'retry', error, afterMs, named: false }, rendering);
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
    if (!share.isHeld) return this.send(work, rendering);
    try {
      return await this.send(work, rendering);
    } finally {
      // An attempt that is still open keeps it, and so does a success, until the views count it.
      const { status } = work.loaded.state;
      if (status !== 'publishing' && status !== 'published') await quota.giveBack(id, worker);
    }
  }

  private async send(work: Work, first: Rendering): Promise<Position | null> {
    const { vault, pacing, leases, clock } = this.on;
    const { worker, ending, publisher, channel, projectRevision } = work;
    const channelId = work.row.channel_id;
    let rendering = first;
    let step = nextStep(rendering, work.loaded.state.results);
    const credentials = await vault.get(channel.credentialsId);
    const waited = await pacing.turn(channelId, channel.credentialsId, publisher.pace, ending.stop);
    if (waited && (await this.isPaused(channelId))) return null; // meanwhile
    if (!leases.isValid(worker) || ending.stop.aborted) return null;

    const attempt = { at: clock.now(), worker, sending: visible(step), projectRevision };
    let position = await this.outcomes.record(work, { type: 'Start', ...attempt });
    if (position === null) return null;
    if (credentials === null) return this.outcomes.conclude(work, { kind: 'credentials', error: erased }, rendering);
    while (step !== undefined) {
      // Past this point nothing can be taken back: whoever may have lost the channel must not send.
      if (!leases.isValid(worker)) return this.outcomes.interrupt(work, overdue);
      const context = this.contextOf(work, credentials);
      const outcome = await this.outcomeOf(work, step, context);
      if (outcome.kind === 'left') return null;
      if (outcome.kind === 'unresolved') return this.outcomes.doubt(work, outcome.error);
      if (outcome.kind !== 'done') return this.outcomes.conclude(work, outcome, rendering);
      // What this step found may change those that follow.
      const known = { ...context.results, [step.name]: outcome.result };
      rendering = work.render(known);
      const next = nextStep(rendering, known);
      if (next === undefined) return this.outcomes.conclude(work, outcome, rendering);
      position = await this.outcomes.stepDone(work, step, outcome, visible(next));
      if (position === null) return null;
      step = next;
    }
    return position;
  }

  /** Sends a step, and looks into it where that ends in doubt. */
  private async outcomeOf(work: Work, step: Step, context: SendContext): Promise<Resolved> {
    const outcome = await work.publisher.send(step, context);
    if (outcome.kind !== 'in_doubt') return outcome;
    const verdict = await this.resolve(work, step, context);
    const { error } = outcome;
    switch (verdict.kind) {
      case 'sent':
        return verdict.outcome;
      case 'not_sent':
        return { kind: 'retry', error, afterMs: null, named: false };
      case 'unresolved':
        return { kind: 'unresolved', error };
      case 'left':
        return verdict;
    }
  }

  private contextOf(work: Work, credentials: Readonly<Record<string, string>>): SendContext {
    const { results, attempt } = work.loaded.state;
    const { post_id: postId, publication_id: key } = work.row;
    const signal = work.ending.breakOff;
    const media = this.on.media.of({ postId, media: work.payload.media ?? [], signal });
    return { credentials, channel: work.target, results, key, attempt, media, signal };
  }
}

/** Why a post without calls does not go: what a network says of it is the best that there is. */
const nothingLeft = ({ warnings }: Rendering): Warning =>
  warnings.find(({ code }) => code === 'nothing_to_send') ?? {
    code: 'nothing_to_send',
    message: 'Nothing is left that this network could show.',
  };

/** What a step has come to, once everything was done to find that out. */
type Resolved =
  | Exclude<StepOutcome, { kind: 'in_doubt' }>
  | { readonly kind: 'unresolved'; readonly error: PublishError }
  | { readonly kind: 'left' };
