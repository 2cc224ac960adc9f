import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { channel, type ChannelState } from '../../domain/channel/channel.decider.js';
import type { Attention } from '../../domain/channel/channel.events.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import type { Instant } from '../../kernel/instant.js';
import { isRejection } from '../../kernel/result.js';

/** A network's refusal that no later post can survive. */
export interface ChannelRefusal {
  readonly channelId: string;
  /** The credentials of the refused call; nothing changes if they were replaced meanwhile. */
  readonly credentialsId: string;
  /** Time of the refusal. */
  readonly at: Instant;
  /** Time at which the post that met the refusal was accepted. */
  readonly acceptedAt: Instant;
  readonly attention: Attention;
}

/** Marks a channel that cannot post, and holds its queue (D-26, D-50). Returns the channel afterwards. */
export class FlagChannel extends Command<ChannelState> {
  constructor(
    readonly context: CommandContext,
    readonly refusal: ChannelRefusal,
  ) {
    super();
  }
}

@CommandHandler(FlagChannel)
export class FlagChannelHandler implements ICommandHandler<FlagChannel> {
  constructor(private readonly aggregates: AggregateStore) {}

  /** @returns null if there is no such channel @throws Unavailable */
  async execute({ context, refusal }: FlagChannel): Promise<ChannelState> {
    const command = { type: 'FlagChannel', ...refusal } as const;
    const result = await this.aggregates.execute(channel, refusal.channelId, command, context);
    return isRejection(result) ? null : result.aggregate.state;
  }
}
