import type { Decider } from '../../kernel/events.js';
import type { HistoryArchived } from './archive.events.js';

/** Records that a file is to hold events. */
export type ArchiveCommand = { readonly type: 'NameFile' } & HistoryArchived['data'];

/** The newest file; null if there is none. */
export interface ArchiveState {
  readonly last: HistoryArchived['data'] | null;
}

/** The files of old events, which follow each other in the order of positions. */
export const archive: Decider<ArchiveCommand, ArchiveState, HistoryArchived> = {
  category: 'archive',
  initial: { last: null },

  decide: ({ type: _, ...data }, { last }) => (last?.file === data.file ? [] : [{ type: 'HistoryArchived', data }]),

  evolve: (_, { data }) => ({ last: data }),
};
