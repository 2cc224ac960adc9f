import { channel as channelDecider, type ChannelCommand } from '../../domain/channel/channel.decider.js';
import { channelPause } from '../../domain/channel-pause/channel-pause.decider.js';
import {
  publication as decider,
  type PublicationCommand,
  type PublicationState,
} from '../../domain/publication/publication.decider.js';
import type { Position } from '../../event-store/port.js';
import { type Loaded, nothingYet, type Streams } from '../../event-store/streams.js';
import type { Clock } from '../../kernel/clock.js';
import type { Origin } from '../../kernel/events.js';
import { newUuid } from '../../kernel/ids.js';
import type { Instant } from '../../kernel/instant.js';
import type { Log } from '../../kernel/log.js';
import { isRejection } from '../../kernel/result.js';
import type { PublishPayload } from '../../payload/payload.js';
import {
  type PlatformChannel,
  platformPostOf,
  type Publisher,
  type PublishError,
  type Rendering,
  type SendContext,
  type Step,
  type StepOutcome,
} from '../../platforms/publisher.js';
import type { Publishers } from '../../platforms/registry.js';
import type { Leases } from '../../postgres/leases.js';
import type { PostPayloads } from '../../projections/posts/post-payloads.js';
import type { ScheduledPublication } from '../../projections/publish-schedule/publish-schedule.tables.js';
import type { SecretVault } from '../../secrets/vault.js';
import type { PauseAfterPublication } from '../pause-after-publication/pause-after-publication.js';
import type { Pacing } from './pacing.js';
import { retryAt } from './backoff.js';
import type { Ending } from './ending.js';
import { erased, interrupted, moved, overdue } from './interruptions.js';
import { surely } from './surely.js';

export interface PublishDependencies {
  readonly streams: Streams;
  readonly payloads: PostPayloads;
  readonly publishers: Publishers;
  readonly vault: SecretVault;
  readonly pacing: Pacing;
  readonly pauses: PauseAfterPublication;
  readonly leases: Leases;
  readonly clock: Clock;
  readonly log: Log;
}

const ACTOR = 'system:publish-due-posts';

type Channel = NonNullable<ReturnType<typeof channelDecider.evolve>>;

/** What a post becomes, as far as is known. */
type Render = (results: SendContext['results']) => Rendering;

/** One publication on its way: what is known of it while it is being worked on. */
interface Work {
  readonly row: ScheduledPublication;
  readonly worker: string;
  readonly ending: Ending;
  readonly origin: Origin;
  readonly channel: Channel;
  readonly payload: PublishPayload;
  /** The publication's stream as this worker left it. */
  loaded: Loaded<PublicationState>;
}

/**
 * Publishes one post on one channel. The stream decides, never the schedule: what it says is over stays over. The claim
 * (`PublicationStarted` at an expected revision) comes before the first call, each step's result before the next call,
 * the outcome last; whatever dies in between leaves a stream that says how to go on.
 */
export class Publish {
  constructor(private readonly on: PublishDependencies) {}

  /**
   * Takes the head of a channel as far as it goes.
   * @param worker name under which this process holds the channel
   * @returns the position of the last event, or null where nothing was to be done yet.
   */
  async next(row: ScheduledPublication, worker: string, ending: Ending): Promise<Position | null> {
    const { streams, payloads } = this.on;
    const [loaded, { state: channel }, isPaused, post] = await Promise.all([
      // The first attempt needs no look: its claim fails where the schedule is behind.
      row.attempt === 0 ? nothingYet(decider) : streams.load(decider, row.publication_id),
      streams.load(channelDecider, row.channel_id),
      this.isPaused(row.channel_id),
      payloads.read(row.post_stream, row.post_revision),
    ]);
    if (!channel) throw new Error(`${row.channel_id} is not in the store`);
    const { requestId, correlationId, id: causationId } = post.event;
    const work: Work = {
      row,
      worker,
      ending,
      origin: { actor: ACTOR, requestId, correlationId, causationId },
      channel,
      payload: post.payload,
      loaded,
    };

    if (loaded.state.status === 'publishing') return this.recover(work);
    if (loaded.state.status !== 'queued') return loaded.position; // the schedule is behind; let it catch up
    if (!channel.enabled || isPaused) return null;

    const publisher = this.on.publishers.of(channel.platform);
    const platformChannel: PlatformChannel = {
      id: row.channel_id,
      address: channel.address,
      settings: { ...channel.settings },
    };
    const platformPost = platformPostOf(work.payload);
    const render: Render = (results) => publisher.render(platformPost, platformChannel, results);
    const rendering = render(loaded.state.results);
    if (rendering.steps.length === 0) return this.filter(work, rendering);
    return this.send(work, publisher, platformChannel, render);
  }

  private async isPaused(channelId: string): Promise<boolean> {
    const { state } = await this.on.streams.load(channelPause, channelId);
    return state.until > this.on.clock.now();
  }

  /** An attempt whose worker is gone: in doubt where something visible was on its way, else simply again. */
  private async recover(work: Work): Promise<Position | null> {
    const at = this.on.clock.now();
    const error = interrupted(work.loaded.state.sending);
    const { attempt, sending } = work.loaded.state;
    if (sending === null) {
      return this.record(work, { type: 'Postpone', attempt, at, retryAt: at, rule: 'interrupted', error });
    }
    return this.doubt(work, error);
  }

  private async doubt(work: Work, error: PublishError): Promise<Position | null> {
    const at = this.on.clock.now();
    const position = await this.record(work, { type: 'Doubt', attempt: work.loaded.state.attempt, at, error });
    const resend = work.channel.settings.on_doubt === 'resend' && work.loaded.state.status === 'in_doubt';
    return resend ? this.record(work, { type: 'Resend', at }) : position;
  }

  private async filter(work: Work, { warnings }: Rendering): Promise<Position | null> {
    const reason = warnings[0] ?? { code: 'nothing_to_send', message: 'Nothing is left that this network could show.' };
    return this.record(work, { type: 'Filter', at: this.on.clock.now(), reason });
  }

  private async send(
    work: Work,
    publisher: Publisher,
    channel: PlatformChannel,
    render: Render,
  ): Promise<Position | null> {
    const { vault, pacing, leases, clock } = this.on;
    const { worker, ending } = work;
    let rendering = render(work.loaded.state.results);
    const [first] = rendering.steps.filter(({ name }) => !(name in work.loaded.state.results));
    const credentials = await vault.get(work.channel.credentialsId);
    const waited = await pacing.turn(channel.id, work.channel.credentialsId, publisher.pace, ending.stop);
    if (waited && (await this.isPaused(channel.id))) return null; // meanwhile
    if (!leases.isValid(worker) || ending.stop.aborted) return null;

    let position = await this.record(work, { type: 'Start', at: clock.now(), worker, sending: visible(first) });
    if (position === null) return null;
    if (credentials === null) return this.conclude(work, { kind: 'credentials', error: erased }, rendering);
    for (let step = first; step !== undefined;) {
      // Past this point nothing can be taken back: whoever may have lost the channel must not send.
      if (!leases.isValid(worker)) return this.giveUp(work);
      const { results, attempt } = work.loaded.state;
      const key = work.row.publication_id;
      const context = { credentials, channel, results, key, attempt, media: noFile, signal: ending.breakOff };
      const outcome = await publisher.send(step, context);
      if (outcome.kind !== 'done') return this.conclude(work, outcome, rendering);
      const { result, messageIds, urls } = outcome;
      // What this step found may change those that follow.
      const known = { ...results, [step.name]: result };
      rendering = render(known);
      const next = rendering.steps.find(({ name }) => !(name in known));
      if (next === undefined) return this.conclude(work, outcome, rendering);
      const done = { step: step.name, result, messageIds, urls, sending: visible(next) };
      position = await this.record(work, { type: 'CompleteStep', attempt, ...done });
      if (position === null) return null;
      step = next;
    }
    return position;
  }

  private async conclude(work: Work, outcome: StepOutcome, { warnings }: Rendering): Promise<Position | null> {
    const { attempt, failures } = work.loaded.state;
    const at = this.on.clock.now();
    switch (outcome.kind) {
      case 'done': {
        const { messageIds, urls } = outcome;
        await this.pause(work, at);
        return this.record(work, { type: 'Succeed', attempt, at, messageIds, urls, warnings });
      }
      case 'retry': {
        const { error, afterMs, named } = outcome;
        const rule = named ? 'platform_limit' : 'retry';
        return this.record(work, {
          type: 'Postpone',
          attempt,
          at,
          retryAt: retryAt(at, failures, afterMs),
          rule,
          error,
        });
      }
      case 'failed':
        return this.record(work, { type: 'Fail', attempt, at, error: outcome.error });
      case 'in_doubt':
        return this.doubt(work, outcome.error);
      case 'credentials': {
        const { error } = outcome;
        await this.flagChannel(work, error);
        return this.record(work, { type: 'Postpone', attempt, at, retryAt: at, rule: 'needs_attention', error });
      }
      case 'moved':
        await this.moveChannel(work, outcome.address);
        return this.record(work, { type: 'Postpone', attempt, at, retryAt: at, rule: 'interrupted', error: moved });
    }
  }

  /** The channel was lost after the claim and before the call: nobody needs to doubt that nothing was sent. */
  private async giveUp(work: Work): Promise<Position | null> {
    const at = this.on.clock.now();
    const { attempt } = work.loaded.state;
    return this.record(work, { type: 'Postpone', attempt, at, retryAt: at, rule: 'interrupted', error: overdue });
  }

  /** The pauses that the post brings along: before its success is recorded, see {@link PauseAfterPublication}. */
  private async pause({ row, payload, origin, ending }: Work, at: Instant): Promise<void> {
    const { post_id: postId, project_id: projectId, channel_id: channelId } = row;
    const taken = { postId, projectId, channelId, payload, at, origin };
    await surely(() => this.on.pauses.apply(taken), ending.breakOff);
  }

  private flagChannel(work: Work, { code, message }: PublishError): Promise<void> {
    const { credentialsId } = work.channel;
    const [channelId, at] = [work.row.channel_id, this.on.clock.now()];
    return this.tellChannel(work, {
      type: 'FlagChannel',
      ...{ channelId, credentialsId, at, attention: { code, message } },
    });
  }

  private moveChannel(work: Work, address: Readonly<Record<string, string>>): Promise<void> {
    return this.tellChannel(work, { type: 'MoveChannel', channelId: work.row.channel_id, address });
  }

  private async tellChannel({ row, origin, ending }: Work, command: ChannelCommand): Promise<void> {
    const execution = { ...origin, commandId: newUuid(), at: this.on.clock.now() };
    const run = () => this.on.streams.run(channelDecider, row.channel_id, command, execution);
    await surely(run, ending.breakOff);
  }

  /** Appends what a command decides; null where somebody else has taken over meanwhile. */
  private async record(work: Work, command: WithoutIds<PublicationCommand>): Promise<Position | null> {
    const { publication_id: publicationId, post_id: postId, channel_id: channelId } = work.row;
    const full = { ...command, publicationId, postId, channelId } as PublicationCommand;
    const execution = { ...work.origin, commandId: newUuid(), at: this.on.clock.now() };
    const run = () => this.on.streams.run(decider, publicationId, full, execution, work.loaded);
    const decided = await surely(run, work.ending.breakOff);
    if (isRejection(decided)) {
      this.on.log.info(
        { publication: publicationId, command: command.type, rejection: decided.rejection },
        'overtaken',
      );
      return null;
    }
    work.loaded = decided.after;
    return decided.after.position;
  }
}

type WithoutIds<C> = C extends unknown ? Omit<C, 'publicationId' | 'postId' | 'channelId'> : never;

/** Files do not reach the publishers yet: whatever needs one goes as a link (D-22). */
const noFile: SendContext['media'] = async () => ({
  code: 'media_unsuitable',
  category: 'media',
  source: 'gateway',
  message: 'Files are not sent yet.',
});

const visible = (step: Step | undefined): string | null => (step?.visible ? step.name : null);
