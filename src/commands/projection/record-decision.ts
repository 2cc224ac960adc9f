import { projection, type ProjectionCommand } from '../../domain/projection/projection.decider.js';
import type { AggregateStore } from '../../event-store/aggregate-store.js';
import type { Decision, RecordDecision } from '../../projections/engine/rebuild/decisions.js';
import { requireCompleted, toOutcome } from '../command-result.js';

/** Creates the function that appends the events for decisions about projections. */
export const createDecisionRecorder =
  (aggregates: AggregateStore): RecordDecision =>
  async ({ projection: name, event, context }) =>
    requireCompleted(toOutcome(await aggregates.execute(projection, name, toCommand(event), context))).position;

const toCommand = (event: Decision['event']): ProjectionCommand => {
  switch (event.type) {
    case 'ProjectionEventSkipped':
      return { type: 'SkipEvent', ...event.data };
    case 'ProjectionPromoted':
      return { type: 'RecordPromotion', ...event.data };
    case 'ProjectionRolledBack':
      return { type: 'RecordRollback', ...event.data };
    case 'ProjectionCandidateDiscarded':
      return { type: 'RecordDiscard', ...event.data };
  }
};
