import { randomBytes } from 'node:crypto';
import type { NewEvent, StoredEvent } from '../../../src/event-store/port.js';

/** Returns a unique stream name. */
export const newStream = (category = 'case'): string => `${category}-${randomBytes(8).toString('hex')}`;

/** Creates an event with a unique id. */
export const newEvent = (data: unknown = {}, fields: Partial<NewEvent> = {}): NewEvent => ({
  id: crypto.randomUUID(),
  type: 'Happened',
  data: JSON.stringify(data),
  metadata: '{"actor":"operator"}',
  ...fields,
});

/** Creates events whose data are their numbers, from 0. */
export const newEvents = (count: number, fields: Partial<NewEvent> = {}): NewEvent[] =>
  Array.from({ length: count }, (_, n) => newEvent({ n }, fields));

/** Returns the part of stored events that was appended. */
export const appendedPart = (events: readonly StoredEvent[]): NewEvent[] =>
  events.map(({ id, type, data, metadata }) => ({ id, type, data, metadata }));

export const ids = (events: readonly { readonly id: string }[]): string[] => events.map(({ id }) => id);
