import { type Decider, never } from '../../kernel/decider.js';
import {
  asksFirst,
  canResume,
  notPaused,
  type Pause,
  paused,
  pausedUntil,
  type PauseState,
  type Resume,
  resumed,
} from '../pause/pause.js';
import type { ChannelPauseEvent } from './channel-pause.events.js';

/** What can be asked of a channel’s pause. */
export type ChannelPauseCommand = (Pause | Resume) & { readonly channelId: string };

/** A channel's pause: a gate at publication, in every project that uses the channel (D-21). */
export const channelPause: Decider<ChannelPauseCommand, PauseState, ChannelPauseEvent> = {
  category: 'channelPause',
  initial: notPaused,

  decide(command, state) {
    const { channelId } = command;
    switch (command.type) {
      case 'Pause': {
        const { source, postId } = command;
        const until = pausedUntil(command, state);
        if (until !== null) return [{ type: 'ChannelPaused', data: { channelId, until, source, postId } }];
        if (!asksFirst(postId, state)) return [];
        return [{ type: 'ChannelPauseUnchanged', data: { channelId, until: state.until, postId } }];
      }
      case 'Resume':
        return canResume(command, state) ? [{ type: 'ChannelResumed', data: { channelId, at: command.at } }] : [];
      default:
        return never(command);
    }
  },

  evolve(state, event) {
    switch (event.type) {
      case 'ChannelPaused':
      case 'ChannelPauseUnchanged':
        return paused(state, event.data.until, event.data.postId);
      case 'ChannelResumed':
        return resumed(state);
      default:
        return never(event);
    }
  },
};
