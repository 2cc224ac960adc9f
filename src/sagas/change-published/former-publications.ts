import { channel } from '../../domain/channel/channel.decider.js';
import { type Address, addressAt } from '../../domain/channel/channel.events.js';
import type { AggregateStore } from '../../event-store/aggregate-store.js';
import type { LoadedPublication } from '../publish-due-posts/attempt/attempt-state.js';

/** No account is this one. */
const UNKNOWN = { account: null, credentialsId: '' };

/**
 * Adds where a publication was sent: events of former releases do not say so, but the channel's history does. In another
 * chat, the number of a message belongs to someone else's (D-70).
 */
export const nameChat = async (
  publication: LoadedPublication,
  channelId: string,
  aggregates: AggregateStore,
  chatOf: (address: Address) => Address,
): Promise<LoadedPublication> => {
  const { state } = publication;
  if (state.sender !== null || state.startedAt === 0) return publication;
  const chat = chatOf(addressAt(await aggregates.readEvents(channel, channelId), state.startedAt));
  return { ...publication, state: { ...state, sender: { ...UNKNOWN, chat } } };
};
