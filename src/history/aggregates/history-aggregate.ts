import { type Instant, iso } from '../../kernel/clock.js';
import type { DomainEvent, RecordedEvent, RecordedEventOf } from '../../kernel/events.js';
import type { Json, JsonObject } from '../../kernel/ids.js';

/**
 * An aggregate as shown in history: a pure fold of its events into a state. Its members are named as in the management
 * API, and times are in ISO 8601. Only events change a state: an expired pause remains until the next event.
 */
export interface HistoryAggregate<S extends JsonObject = JsonObject, E extends DomainEvent = DomainEvent> {
  /** Name in paths and responses, such as `project-pause` (management-api.md: `GET /history`). */
  readonly name: string;
  /** First part of its streams' names. */
  readonly category: string;
  /** Version of the state's format, for snapshots; raised whenever the fold changes. */
  readonly version: number;
  /** Applies an event. @param state null before the first event */
  evolve(state: S | null, event: RecordedEventOf<E>): S | null;
}

/** Author, time and address of an event, as recorded in a state. */
export type Deed = {
  /** ISO 8601, UTC. */
  readonly at: string;
  /** Actor: `operator`, `owner:own_…`, `endpoint:ep_…` or `system:<saga>`. */
  readonly by: string;
  /** The client's address; null if no request caused the event directly. */
  readonly ip: string | null;
  readonly request_id: string;
};

/** Returns the author, time and address of an event. */
export const deedOf = ({ at, actor, clientAddress, requestId }: RecordedEvent): Deed => ({
  at: iso(at),
  by: actor,
  ip: clientAddress,
  request_id: requestId,
});

/** The last change to a member of a state: the author, the event, and the member's previous value. */
export type MemberChange = Deed & { readonly event_id: string; readonly before: Json };

/** The last change of each member, by name. */
export type MemberChanges = Readonly<Record<string, MemberChange>>;

/** An aggregate after an event of its stream. */
export interface Folded {
  readonly state: JsonObject | null;
  readonly changes: MemberChanges;
  /** Revision of the last event; -1n if there was none. */
  readonly revision: bigint;
  /** Time of the last event. It never decreases within a stream, even if a clock was set back. */
  readonly at: Instant;
  /** Hash of the last event. */
  readonly hash: string;
}

/** An aggregate without events. */
export const NOTHING_FOLDED: Folded = { state: null, changes: {}, revision: -1n, at: 0, hash: '' };

/** Returns the event, with the previous event's time if its own time is earlier. */
export const inOrderOfTime = (event: RecordedEvent, before: Pick<Folded, 'at'>): RecordedEvent =>
  event.at >= before.at ? event : { ...event, at: before.at };

/** Applies an event, and records which members it changed. @param event result of {@link inOrderOfTime} */
export const applyEvent = (aggregate: HistoryAggregate, before: Folded, event: RecordedEvent): Folded => {
  const state = aggregate.evolve(before.state, event);
  const { revision, at, hash } = event;
  return { state, changes: recordChanges(before, state, event), revision, at, hash };
};

const recordChanges = (before: Folded, state: JsonObject | null, event: RecordedEvent): MemberChanges => {
  if (state === before.state) return before.changes;
  const changed: Record<string, MemberChange> = {};
  for (const name of new Set([...Object.keys(before.state ?? {}), ...Object.keys(state ?? {})])) {
    const [former, present] = [before.state?.[name] ?? null, state?.[name] ?? null];
    if (former === present || JSON.stringify(former) === JSON.stringify(present)) continue;
    changed[name] = { ...deedOf(event), event_id: event.id, before: former };
  }
  return { ...before.changes, ...changed };
};
