import type { ChannelPauseEvent } from '../../domain/channel-pause/channel-pause.events.js';
import { assertNever } from '../../kernel/decider.js';
import type { HistoryAggregate } from './history-aggregate.js';
import { applyPause, applyResume, NEVER_PAUSED, type PauseHistory } from './pause.js';

/** The history of a channel's pauses. */
export type ChannelPauseHistory = { readonly channel_id: string } & PauseHistory;

/** Folds the pauses of channels. */
export const channelPauseHistory: HistoryAggregate<ChannelPauseHistory, ChannelPauseEvent> = {
  name: 'channel-pause',
  category: 'channelPause',
  version: 1,

  evolve(state, event) {
    const { channelId } = event.data;
    const before = state ?? { channel_id: channelId, ...NEVER_PAUSED };
    switch (event.type) {
      case 'ChannelPaused':
        return { ...before, ...applyPause(before, event, event.data) };
      case 'ChannelPauseUnchanged':
        return before;
      case 'ChannelResumed':
        return { ...before, ...applyResume(before, event) };
      default:
        return assertNever(event);
    }
  },
};
