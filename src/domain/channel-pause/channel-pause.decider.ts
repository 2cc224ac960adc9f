import { createPauseDecider, type PauseCommand } from '../pause/pause.js';

/** Commands to a channel's pause. */
export type ChannelPauseCommand = PauseCommand<'Channel', 'channelId'>;

/** A channel's pause. It delays every publication on the channel, in all projects that use it (D-21). */
export const channelPause = createPauseDecider('channelPause', 'Channel', 'channelId');
