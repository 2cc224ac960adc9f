import { channel, type ChannelCommand, type ChannelState } from '../../domain/channel/channel.decider.js';
import type { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import { isRejection } from '../../kernel/result.js';

/** A refusal by a network that would also affect every later post. */
export type ChannelRefusal = Omit<Extract<ChannelCommand, { readonly type: 'FlagChannel' }>, 'type'>;

/**
 * Marks a channel that cannot post, and holds its queue (D-26, D-50).
 * @returns the channel afterwards; null if there is none
 * @throws Unavailable
 */
export const flagChannel = async (
  aggregates: AggregateStore,
  context: CommandContext,
  refusal: ChannelRefusal,
): Promise<ChannelState> => {
  const command = { type: 'FlagChannel', ...refusal } as const;
  const result = await aggregates.execute(channel, refusal.channelId, command, context);
  return isRejection(result) ? null : result.aggregate.state;
};
