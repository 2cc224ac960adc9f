import type { Instant } from '../../kernel/clock.js';
import type { RecordedEvent, ShownAggregate } from '../../kernel/events.js';
import type { Json, JsonObject } from '../../kernel/ids.js';
import type { SecretVault } from '../../secrets/vault.js';
import type { Folded } from '../aggregates/history-aggregate.js';
import { maskErasedSecrets } from '../erased-secrets.js';
import type { AggregatePlace, HistoryReader } from './history-reader.js';

/** A member of a state that differs between two times. */
export interface ValueChange {
  /** JSON Pointer (RFC 6901) into the state. */
  readonly path: string;
  /** Also null for a member that was absent. */
  readonly before: Json;
  readonly after: Json;
}

/** A change, and the last event that caused it. */
export type AuthoredChange = ValueChange & { readonly event: RecordedEvent };

type Value = Json | undefined;

const isObject = (value: Value): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const escapeName = (name: string): string => name.replaceAll('~', '~0').replaceAll('/', '~1');

/**
 * Lists the members that differ, at the outermost level that explains the difference: objects are compared member by
 * member, lists and other values as a whole. A null state counts as an object without members.
 */
export const diffStates = (before: JsonObject | null, after: JsonObject | null, path = ''): ValueChange[] => {
  if (before === after) return [];
  const names = new Set([...Object.keys(before ?? {}), ...Object.keys(after ?? {})]);
  return [...names].flatMap((name) => {
    const [former, present]: [Value, Value] = [before?.[name], after?.[name]];
    const place = `${path}/${escapeName(name)}`;
    if (isObject(former) && isObject(present)) return diffStates(former, present, place);
    // A new member whose value is null counts as changed by the aggregate's creation.
    if (JSON.stringify(former) === JSON.stringify(present)) return [];
    return [{ path: place, before: former ?? null, after: present ?? null }];
  });
};

/** Remembers the last event that changed each path. */
export class ChangeAuthors {
  private readonly authors = new Map<string, RecordedEvent>();

  record(before: JsonObject | null, after: JsonObject | null, event: RecordedEvent): void {
    for (const { path } of diffStates(before, after)) this.authors.set(path, event);
  }

  /** Finds the last event that changed a path, a value in it, or an object that contains it. */
  private findAuthor(path: string): RecordedEvent | undefined {
    let last: RecordedEvent | undefined;
    for (const [changed, event] of this.authors) {
      const isRelated = changed === path || changed.startsWith(`${path}/`) || path.startsWith(`${changed}/`);
      if (isRelated && (last === undefined || event.revision > last.revision)) last = event;
    }
    return last;
  }

  /** Adds the authors to the changes between two states. */
  attribute(changes: readonly ValueChange[]): AuthoredChange[] {
    return changes.map((change) => {
      const event = this.findAuthor(change.path);
      if (!event) throw new Error(`no event changed ${change.path}`);
      return { ...change, event };
    });
  }
}

/** Two points in time, earlier first. The state at a point in time includes events with exactly that timestamp. */
export interface TimeRange {
  readonly from: Instant;
  readonly to: Instant;
}

/** An aggregate at two points in time. */
export interface AggregateComparison {
  readonly first: Folded;
  readonly last: Folded;
  /** Empty if nothing differs, for example if both times precede the first event. */
  readonly changes: readonly AuthoredChange[];
}

/** Compares an aggregate at two points in time. @throws Unavailable @throws UndecodableEvent */
export const compareAggregate = async (
  reader: HistoryReader,
  aggregate: ShownAggregate,
  place: AggregatePlace,
  { from, to }: TimeRange,
): Promise<AggregateComparison> => {
  const authors = new ChangeAuthors();
  const first = await reader.foldUpTo(aggregate, place, { at: from });
  const last = await reader.foldFrom(aggregate, place, first, { at: to }, (before, after, event) =>
    authors.record(before.state, after.state, event),
  );
  return { first, last, changes: authors.attribute(diffStates(first.state, last.state)) };
};

/** Replaces the ids of erased secrets in the values of changes with `erased`. */
export const maskErasedValues = async <T extends AuthoredChange>(
  vault: Pick<SecretVault, 'findErased'>,
  changes: readonly T[],
): Promise<readonly T[]> => {
  // Only the member name reveals that a value is a secret's id.
  const named = changes.map(({ path, before, after }) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    return [{ [name]: before }, { [name]: after }] as const;
  });
  const shown = await maskErasedSecrets(vault, named);
  return changes.map((change, i) => {
    const [[before], [after]] = [Object.values(shown[i]![0]), Object.values(shown[i]![1])];
    return { ...change, before: before ?? null, after: after ?? null };
  });
};
