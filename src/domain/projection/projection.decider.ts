import { assertNever, type Decider } from '../../kernel/events.js';
import type {
  ProjectionCandidateDiscarded,
  ProjectionEvent,
  ProjectionEventSkipped,
  ProjectionPromoted,
  ProjectionRolledBack,
} from './projection.events.js';

/**
 * Commands that record decisions about a projection. All except `SkipEvent` are executed after the decision has been
 * carried out, with the id of the original command.
 */
export type ProjectionCommand =
  | ({ readonly type: 'SkipEvent' } & ProjectionEventSkipped['data'])
  | ({ readonly type: 'RecordPromotion' } & ProjectionPromoted['data'])
  | ({ readonly type: 'RecordRollback' } & ProjectionRolledBack['data'])
  | ({ readonly type: 'RecordDiscard' } & ProjectionCandidateDiscarded['data']);

/** Decisions about one projection. */
export interface ProjectionState {
  /** Ids of the skipped events. */
  readonly skipped: readonly string[];
}

/** The operator's decisions about one projection; its id is the projection's name. */
export const projection: Decider<ProjectionCommand, ProjectionState, ProjectionEvent> = {
  category: 'projection',
  initial: { skipped: [] },

  decide(command, { skipped }) {
    const { type, ...data } = command;
    switch (type) {
      case 'SkipEvent': {
        const skip = data as ProjectionEventSkipped['data'];
        return skipped.includes(skip.eventId) ? [] : [{ type: 'ProjectionEventSkipped', data: skip }];
      }
      case 'RecordPromotion':
        return [{ type: 'ProjectionPromoted', data: data as ProjectionPromoted['data'] }];
      case 'RecordRollback':
        return [{ type: 'ProjectionRolledBack', data: data as ProjectionRolledBack['data'] }];
      case 'RecordDiscard':
        return [{ type: 'ProjectionCandidateDiscarded', data: data as ProjectionCandidateDiscarded['data'] }];
      default:
        return assertNever(type);
    }
  },

  evolve(state, event) {
    return event.type === 'ProjectionEventSkipped' ? { skipped: [...state.skipped, event.data.eventId] } : state;
  },
};
