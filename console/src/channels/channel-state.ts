import type { Api } from '../api/management.js';

/** A channel, as returned by the API. */
export type Channel = Api<'Channel'>;

/** The state of a channel as the console shows it: the API's state combined with its pause. */
export type ChannelState = 'on_hold' | 'paused' | 'disabled' | 'active';

/** Returns the state of a channel as the console shows it. */
export const channelState = ({
  status,
  paused_until: until,
}: Pick<Channel, 'status' | 'paused_until'>): ChannelState => {
  if (status === 'disabled') return 'disabled';
  if (status === 'needs_attention') return 'on_hold';
  return until === null ? 'active' : 'paused';
};
