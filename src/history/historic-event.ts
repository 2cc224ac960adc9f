import type { RecordedEvent } from '../kernel/events.js';
import { type AuditedThing, thingOf } from '../projections/audit/audit.tables.js';

/** An event as shown in history, with the aggregate that it belongs to. */
export type HistoricEvent = RecordedEvent & { readonly thing: AuditedThing };

/** Matches an event's id: a UUID in lower case. */
export const EVENT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Adds the aggregate to an event. */
export const toHistoricEvent = (event: RecordedEvent): HistoricEvent => ({ ...event, thing: thingOf(event) });
