import { randomBytes } from 'node:crypto';
import type { NewEvent, StoredEvent } from '../../../src/event-store/port.js';

/** A stream name that no other case and no other run has. */
export const newStream = (category = 'case'): string => `${category}-${randomBytes(8).toString('hex')}`;

/** An event with an id of its own. */
export const newEvent = (data: unknown = {}, fields: Partial<NewEvent> = {}): NewEvent => ({
  id: crypto.randomUUID(),
  type: 'Happened',
  data: JSON.stringify(data),
  metadata: '{"actor":"operator"}',
  ...fields,
});

/** So many events whose data are their numbers, from 0. */
export const newEvents = (count: number, fields: Partial<NewEvent> = {}): NewEvent[] =>
  Array.from({ length: count }, (_, n) => newEvent({ n }, fields));

/** The part of stored events that was appended. */
export const appendedPart = (events: readonly StoredEvent[]): NewEvent[] =>
  events.map(({ id, type, data, metadata }) => ({ id, type, data, metadata }));

export const ids = (events: readonly { readonly id: string }[]): string[] => events.map(({ id }) => id);
