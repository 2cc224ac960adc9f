import type { RecordedEvent } from '../../kernel/events.js';
import type { Json, JsonObject } from '../../kernel/json.js';

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
