import { isDeepStrictEqual } from 'node:util';
import { channel as channelDecider, type ChannelCommand } from '../../../domain/channel/channel.decider.js';
import { publication as decider, type PublicationCommand } from '../../../domain/publication/publication.decider.js';
import type { Position } from '../../../event-store/port.js';
import type { Streams } from '../../../event-store/aggregate-store.js';
import type { Clock } from '../../../kernel/clock.js';
import { newUuid } from '../../../kernel/ids.js';
import type { Instant } from '../../../kernel/instant.js';
import type { Log } from '../../../kernel/log.js';
import { isRejection } from '../../../kernel/result.js';
import type { PublishError, Rendering, Step, StepOutcome } from '../../../platforms/publisher.js';
import type { PauseAfterPublication } from '../../pause-after-publication/pause-after-publication.js';
import { retryAt } from './retry-delay.js';
import { moved } from './attempt-errors.js';
import { surely } from '../retry-while-unavailable.js';
import type { Channel, Work } from './publication-attempt.js';

/** What writing outcomes takes. */
export interface OutcomesDependencies {
  readonly streams: Streams;
  readonly pauses: PauseAfterPublication;
  readonly clock: Clock;
  readonly log: Log;
}

type WithoutIds<C> = C extends unknown ? Omit<C, 'publicationId' | 'postId' | 'channelId'> : never;
type Done = Extract<StepOutcome, { kind: 'done' }>;

/** Writes down what became of a publication, and what follows from it for its channel and project. */
export class Outcomes {
  constructor(private readonly on: OutcomesDependencies) {}

  /** What ends an attempt. @returns the position of the last event; null where somebody else has taken over. */
  async conclude(work: Work, outcome: Exclude<StepOutcome, { kind: 'in_doubt' }>, { warnings }: Rendering) {
    const { attempt, failures, waits } = work.loaded.state;
    const at = this.on.clock.now();
    switch (outcome.kind) {
      case 'done': {
        const { messageIds, urls } = outcome;
        await this.pause(work, at);
        return this.record(work, { type: 'Succeed', attempt, at, messageIds, urls, warnings });
      }
      case 'retry': {
        const { error, afterMs, named } = outcome;
        // A wait that the network asks for and does not name grows as well, though it is no failed attempt.
        const before = named ? (waits[error.code] ?? 0) : failures;
        const wait = { rule: named ? ('platform_limit' as const) : ('retry' as const), error };
        return this.record(work, { type: 'Postpone', attempt, at, retryAt: retryAt(at, before, afterMs), ...wait });
      }
      case 'failed':
        return this.record(work, { type: 'Fail', attempt, at, error: outcome.error });
      case 'credentials': {
        const { error } = outcome;
        if (!(await this.holdQueue(work, error, at))) return this.record(work, { type: 'Fail', attempt, at, error });
        return this.record(work, { type: 'Postpone', attempt, at, retryAt: at, rule: 'needs_attention', error });
      }
      case 'moved': {
        const { address, kind: _, ...says } = outcome;
        const error = { ...moved, ...says };
        // To where it is already: sending it there again would go on for ever.
        if (isDeepStrictEqual(address, work.channel.address))
          return this.record(work, { type: 'Fail', attempt, at, error });
        await this.tellChannel(work, { type: 'MoveChannel', channelId: work.row.channel_id, address });
        // At once, but as a failed attempt: two places that name each other would have it sent to and fro for ever.
        return this.record(work, { type: 'Postpone', attempt, at, retryAt: at, rule: 'retry', error });
      }
    }
  }

  /** A step is done, and others follow. @param sending the visible step that goes at once; null: none does yet */
  stepDone(work: Work, { name }: Step, { result, messageIds, urls }: Done, sending: string | null) {
    const { attempt } = work.loaded.state;
    return this.record(work, { type: 'CompleteStep', attempt, step: name, result, messageIds, urls, sending });
  }

  /** The attempt ends with nothing of it in doubt, and is no failed one: the next may come at once. */
  interrupt(work: Work, error: PublishError): Promise<Position | null> {
    const at = this.on.clock.now();
    const { attempt } = work.loaded.state;
    return this.record(work, { type: 'Postpone', attempt, at, retryAt: at, rule: 'interrupted', error });
  }

  /** Nobody can say whether readers see it (D-25): for the owner to decide, unless the channel wants it sent again. */
  doubt(work: Work, error: PublishError): Promise<Position | null> {
    const at = this.on.clock.now();
    const { attempt, failures } = work.loaded.state;
    const resendAt = work.channel.settings.on_doubt === 'resend' ? retryAt(at, failures, null) : null;
    return this.record(work, { type: 'Doubt', attempt, at, error, resendAt });
  }

  /** Appends what a command decides; null where somebody else has taken over meanwhile. */
  async record(work: Work, command: WithoutIds<PublicationCommand>): Promise<Position | null> {
    const { publication_id: publicationId, post_id: postId, channel_id: channelId } = work.row;
    const full = { publicationId, postId, channelId, ...command } as PublicationCommand;
    const execution = { commandId: newUuid(), at: this.on.clock.now(), ...work.origin };
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

  /** The pauses that the post brings along: before its success is recorded, see {@link PauseAfterPublication}. */
  private async pause({ row, payload, origin, ending }: Work, at: Instant): Promise<void> {
    const { post_id: postId, project_id: projectId, channel_id: channelId } = row;
    if (!payload.ad_pause_minutes && !payload.ad_target_pause_minutes) return;
    const taken = { postId, projectId, channelId, payload, at, origin };
    await surely(() => this.on.pauses.apply(taken), ending.breakOff);
  }

  /**
   * Marks the channel (D-26). @returns whether there is something to wait for: the hold lasts, or a new credential has
   * come meanwhile; false once the queue has been held for its 24 hours.
   */
  private async holdQueue(work: Work, { code, message }: PublishError, at: Instant): Promise<boolean> {
    const { credentialsId } = work.channel;
    const { channel_id: channelId, accepted_at: acceptedAt } = work.row;
    const flag = { channelId, credentialsId, at, acceptedAt, attention: { code, message } };
    const now = await this.tellChannel(work, { type: 'FlagChannel', ...flag });
    return now.attentionUntil > at || now.credentialsId !== credentialsId;
  }

  /** Carries a command out on the work's channel. @returns the channel as it then is */
  private async tellChannel({ row, channel, origin, ending }: Work, command: ChannelCommand): Promise<Channel> {
    const execution = { ...origin, commandId: newUuid(), at: this.on.clock.now() };
    const run = () => this.on.streams.run(channelDecider, row.channel_id, command, execution);
    const decided = await surely(run, ending.breakOff);
    return (isRejection(decided) ? null : decided.after.state) ?? channel;
  }
}
