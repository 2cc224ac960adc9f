import type { Instant } from '../../kernel/clock.js';
import type { Decider } from '../../kernel/events.js';
import type { ArchiveEvent, HistoryArchived, HorizonMoved } from './archive.events.js';

/** Records that a file is to hold events, or that read models let go of what is older than a time. */
export type ArchiveCommand =
  ({ readonly type: 'NameFile' } & HistoryArchived['data']) | ({ readonly type: 'MoveHorizon' } & HorizonMoved['data']);

export interface ArchiveState {
  /** The newest file; null if there is none. */
  readonly last: HistoryArchived['data'] | null;
  /** Read models have let go of what is older; null if of nothing. */
  readonly before: Instant | null;
}

/** The files of old events, which follow each other in the order of positions, and the horizon of read models. */
export const archive: Decider<ArchiveCommand, ArchiveState, ArchiveEvent> = {
  category: 'archive',
  initial: { last: null, before: null },

  decide: (command, { last, before }) => {
    if (command.type === 'NameFile') {
      const { type: _, ...data } = command;
      return last?.file === data.file ? [] : [{ type: 'HistoryArchived', data }];
    }
    const { type: _, ...data } = command;
    return before !== null && data.before <= before ? [] : [{ type: 'HorizonMoved', data }];
  },

  evolve: (state, event) =>
    event.type === 'HistoryArchived' ? { ...state, last: event.data } : { ...state, before: event.data.before },
};
