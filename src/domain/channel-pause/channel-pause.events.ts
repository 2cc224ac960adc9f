import type { Catalogue } from '../../kernel/events.js';
import type { PauseEvent } from '../pause/pause.js';

/** Events of a channel pause's stream. */
export type ChannelPauseEvent = PauseEvent<'Channel', 'channelId'>;

export const channelPauseEvents = {
  ChannelPaused: { version: 1 },
  ChannelPauseUnchanged: { version: 1 },
  ChannelResumed: { version: 1 },
} satisfies Catalogue & Record<ChannelPauseEvent['type'], unknown>;
