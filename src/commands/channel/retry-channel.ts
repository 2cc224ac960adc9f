import { channel, type ChannelCommand } from '../../domain/channel/channel.decider.js';
import type { CommandContext } from '../../event-store/codec.js';
import { AggregateCommand } from '../aggregate-command.js';

/**
 * At the owner's request, resumes a channel that needs attention: the first post in its queue is tried at once, with
 * the stored credentials (D-50). Rejected with `channel_disabled`, or `nothing_to_retry` if the channel is not waiting.
 */
export class RetryChannel extends AggregateCommand<ChannelCommand> {
  constructor(context: CommandContext, channelId: string) {
    super(context, channel, channelId, { type: 'RetryChannel', channelId, at: context.at });
  }
}
