import { channel, type ChannelState } from '../../domain/channel/channel.decider.js';
import type { Address } from '../../domain/channel/channel.events.js';
import type { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { isRejection } from '../../kernel/result.js';

/**
 * Changes a channel's address after its network reported that the chat has moved.
 * @returns the channel afterwards; null if there is none
 * @throws Unavailable
 */
export const moveChannel = async (
  aggregates: AggregateStore,
  context: CommandContext,
  channelId: string,
  address: Address,
): Promise<ChannelState> => {
  const command = { type: 'MoveChannel', channelId, address } as const;
  const result = await aggregates.execute(channel, channelId, command, context);
  return isRejection(result) ? null : result.aggregate.state;
};
