import { assertNever, type Decider } from '../../kernel/decider.js';
import {
  applyPause,
  applyResume,
  canResume,
  computePauseEnd,
  isFirstRequest,
  notPaused,
  PAUSE_MEMORY,
  type PauseRequest,
  type PauseState,
  type ResumeRequest,
} from '../pause/pause.js';
import type { ChannelPauseEvent } from './channel-pause.events.js';

/** Commands to a channel's pause. */
export type ChannelPauseCommand = { readonly channelId: string } & (
  ({ readonly type: 'PauseChannel' } & PauseRequest) | ({ readonly type: 'ResumeChannel' } & ResumeRequest)
);

/** A channel's pause. It delays every publication on the channel, in all projects that use it (D-21). */
export const channelPause: Decider<ChannelPauseCommand, PauseState, ChannelPauseEvent> = {
  category: 'channelPause',
  initial: notPaused,
  memory: PAUSE_MEMORY,

  decide(command, state) {
    const { channelId } = command;
    switch (command.type) {
      case 'PauseChannel': {
        const { source, postId } = command;
        const until = computePauseEnd(command, state);
        if (until !== null) return [{ type: 'ChannelPaused', data: { channelId, until, source, postId } }];
        if (!isFirstRequest(postId, state)) return [];
        return [{ type: 'ChannelPauseUnchanged', data: { channelId, until: state.until, postId } }];
      }
      case 'ResumeChannel':
        return canResume(command, state) ? [{ type: 'ChannelResumed', data: { channelId, at: command.at } }] : [];
      default:
        return assertNever(command);
    }
  },

  evolve(state, event) {
    switch (event.type) {
      case 'ChannelPaused':
      case 'ChannelPauseUnchanged':
        return applyPause(state, event.data.until, event.data.postId);
      case 'ChannelResumed':
        return applyResume(state);
      default:
        return assertNever(event);
    }
  },
};
