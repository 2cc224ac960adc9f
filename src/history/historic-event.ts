import type { RecordedEvent } from '../kernel/events.js';
import { type AuditedThing, thingOf } from '../projections/audit/audit.tables.js';

/** An event as history shows it, with the aggregate that it happened to. */
export type HistoricEvent = Omit<RecordedEvent, 'stream'> & { readonly thing: AuditedThing };

/** Adds the aggregate to an event. */
export const toHistoricEvent = (event: RecordedEvent): HistoricEvent => {
  const { stream: _, ...rest } = event;
  return { ...rest, thing: thingOf(event) };
};
