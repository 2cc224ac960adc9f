import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { channel, type ChannelState } from '../../domain/channel/channel.decider.js';
import type { Address } from '../../domain/channel/channel.events.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { isRejection } from '../../kernel/result.js';

/** Changes a channel's address after its network reported that the chat has moved. Returns the channel afterwards. */
export class MoveChannel extends Command<ChannelState> {
  constructor(
    readonly context: CommandContext,
    readonly channelId: string,
    readonly address: Address,
  ) {
    super();
  }
}

@CommandHandler(MoveChannel)
export class MoveChannelHandler implements ICommandHandler<MoveChannel> {
  constructor(private readonly aggregates: AggregateStore) {}

  /** @returns null if there is no such channel @throws Unavailable */
  async execute({ context, channelId, address }: MoveChannel): Promise<ChannelState> {
    const command = { type: 'MoveChannel', channelId, address } as const;
    const result = await this.aggregates.execute(channel, channelId, command, context);
    return isRejection(result) ? null : result.aggregate.state;
  }
}
