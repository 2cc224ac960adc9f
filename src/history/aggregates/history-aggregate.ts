import type { Instant } from '../../kernel/clock.js';
import { type Deed, deedOf, type RecordedEvent, type ShownAggregate } from '../../kernel/events.js';
import type { Json, JsonObject } from '../../kernel/ids.js';

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
export const applyEvent = (aggregate: ShownAggregate, before: Folded, event: RecordedEvent): Folded => {
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
