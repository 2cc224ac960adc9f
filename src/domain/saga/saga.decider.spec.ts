import { fold } from '../../kernel/events.js';
import { saga, type SagaCommand } from './saga.decider.js';
import type { SagaEvent } from './saga.events.js';

const skip = (eventId: string): SagaCommand => ({
  type: 'SkipEvent',
  saga: 'schedule-deliveries',
  eventId,
  eventType: 'PublicationSucceeded',
  position: '7',
  error: 'boom',
  reason: 'damaged by hand',
});
const decide = (command: SagaCommand, ...before: SagaEvent[]) =>
  saga.decide(command, fold(saga, before)) as readonly SagaEvent[];

it('names the event that a saga leaves out, once', () => {
  const [skipped] = decide(skip('e1'));
  const { type: _, ...data } = skip('e1');
  expect(skipped).toEqual({ type: 'SagaEventSkipped', data });
  expect(decide(skip('e1'), skipped!)).toEqual([]);
  expect(decide(skip('e2'), skipped!)).toHaveLength(1);
});
