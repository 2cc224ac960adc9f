import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { channel } from '../../domain/channel/channel.decider.js';
import { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { type CommandOutcome, toOutcome } from '../command-result.js';

/**
 * At the owner's request, resumes a channel that needs attention: the first post in its queue is tried at once, with
 * the stored credentials (D-50). Rejected with `channel_disabled`, or `nothing_to_retry` if the channel is not waiting.
 */
export class RetryChannel extends Command<CommandOutcome> {
  constructor(
    readonly context: CommandContext,
    readonly channelId: string,
  ) {
    super();
  }
}

@CommandHandler(RetryChannel)
export class RetryChannelHandler implements ICommandHandler<RetryChannel> {
  constructor(private readonly aggregates: AggregateStore) {}

  async execute({ context, channelId }: RetryChannel): Promise<CommandOutcome> {
    const command = { type: 'RetryChannel', channelId, at: context.at } as const;
    return toOutcome(await this.aggregates.execute(channel, channelId, command, context));
  }
}
