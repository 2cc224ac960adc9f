import { channel, type ChannelState } from '../../domain/channel/channel.decider.js';
import type { Attention } from '../../domain/channel/channel.events.js';
import type { AggregateStore } from '../../event-store/aggregate-store.js';
import type { CommandContext } from '../../event-store/codec.js';
import type { Instant } from '../../kernel/instant.js';
import { isRejection } from '../../kernel/result.js';

/** A refusal by a network that would also affect every later post. */
export interface ChannelRefusal {
  readonly channelId: string;
  /** The credentials of the refused call; nothing changes if they were replaced in the meantime. */
  readonly credentialsId: string;
  /** Time of the refusal. */
  readonly at: Instant;
  /** Time at which the refused post was accepted. */
  readonly acceptedAt: Instant;
  readonly attention: Attention;
}

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
