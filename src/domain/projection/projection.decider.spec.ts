import { fold } from '../../kernel/events.js';
import { projection, type ProjectionCommand } from './projection.decider.js';
import type { ProjectionEvent } from './projection.events.js';

const skip = (eventId: string): ProjectionCommand => ({
  type: 'SkipEvent',
  projection: 'posts',
  eventId,
  eventType: 'PostAccepted',
  position: '7',
  error: 'boom',
  reason: 'damaged by hand',
});
const decide = (command: ProjectionCommand, ...before: ProjectionEvent[]) =>
  projection.decide(command, fold(projection, before)) as readonly ProjectionEvent[];

describe('decisions about a projection', () => {
  it('name the event that is left out, once', () => {
    const [skipped] = decide(skip('e1'));
    const { type: _, ...data } = skip('e1');
    expect(skipped).toEqual({ type: 'ProjectionEventSkipped', data });
    expect(decide(skip('e1'), skipped!)).toEqual([]);
    expect(decide(skip('e2'), skipped!)).toHaveLength(1);
  });

  it('are recorded as often as they are made', () => {
    const promotion = { projection: 'posts', version: 2, previousVersion: 1, jobId: null, reason: null };
    const [promoted] = decide({ type: 'RecordPromotion', ...promotion });
    expect(promoted).toEqual({ type: 'ProjectionPromoted', data: promotion });
    const { jobId: _, ...rollback } = promotion;
    const [rolledBack] = decide({ type: 'RecordRollback', ...rollback }, promoted!);
    expect(rolledBack).toEqual({ type: 'ProjectionRolledBack', data: rollback });
    expect(decide({ type: 'RecordPromotion', ...promotion }, promoted!, rolledBack!)).toEqual([promoted]);
    const discard = { projection: 'posts', version: 3, reason: 'wrong rule' };
    expect(decide({ type: 'RecordDiscard', ...discard })).toEqual([
      { type: 'ProjectionCandidateDiscarded', data: discard },
    ]);
  });
});
