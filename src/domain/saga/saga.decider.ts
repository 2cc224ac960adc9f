import type { Decider } from '../../kernel/events.js';
import type { SagaEvent, SagaEventSkipped } from './saga.events.js';

/** Command that records the operator's decision to skip an event. */
export type SagaCommand = { readonly type: 'SkipEvent' } & SagaEventSkipped['data'];

/** Decisions about one saga. */
export interface SagaState {
  /** Ids of the skipped events. */
  readonly skipped: readonly string[];
}

/** The operator's decisions about one saga; its id is the saga's name. */
export const saga: Decider<SagaCommand, SagaState, SagaEvent> = {
  category: 'saga',
  initial: { skipped: [] },

  decide({ type: _, ...data }, { skipped }) {
    return skipped.includes(data.eventId) ? [] : [{ type: 'SagaEventSkipped', data }];
  },

  evolve: ({ skipped }, { data }) => ({ skipped: [...skipped, data.eventId] }),
};
