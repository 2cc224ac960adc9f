import { BEGINNING, type EventStore, type Position } from '../../../event-store/port.js';
import type { Json, JsonObject } from '../../../kernel/json.js';
import type { Difference, DifferenceKind } from './compare-schemas.js';

/** A row that differs between the live and the fresh tables, with the newest events that contain its key. */
export interface DifferenceExample {
  readonly table: string;
  /** Values of the primary key, joined by slashes. */
  readonly key: string;
  readonly kind: DifferenceKind;
  readonly live: JsonObject | null;
  readonly fresh: JsonObject | null;
  /** Ids of the newest events that contain the key, oldest first. */
  readonly events: readonly string[];
}

const BATCH = 500;
/** Maximum number of events per example. */
const CAUSES = 20;

/**
 * Finds the events that contain the keys of differing rows, in one pass over the log. If nothing differs, the log is
 * not read.
 */
export const addCauses = async (
  store: Pick<EventStore, 'readAll'>,
  differences: readonly Difference[],
  until: Position,
  signal: AbortSignal,
): Promise<DifferenceExample[]> => {
  const causes = new Map<string, string[]>();
  for (const { key } of differences) for (const needle of needlesOf(key)) causes.set(needle, []);
  let after = BEGINNING;
  while (causes.size > 0 && after < until && !signal.aborted) {
    const events = await store.readAll({ after, limit: BATCH });
    if (events.length === 0) break;
    after = events.at(-1)!.position;
    for (const event of events) {
      if (event.position > until) break;
      for (const [needle, ids] of causes) {
        if (String(event.position) !== needle && !event.stream.includes(needle) && !event.data.includes(needle))
          continue;
        ids.push(event.id);
        if (ids.length > CAUSES) ids.shift();
      }
    }
  }
  return differences.map(({ key, ...difference }) => ({
    ...difference,
    key: key.map(textOf).join('/'),
    events: needlesOf(key).flatMap((needle) => causes.get(needle) ?? []),
  }));
};

/**
 * Returns the part of a key that best identifies its row: the text before the first slash, such as the owner in
 * `<owner>/<month>`.
 */
const needlesOf = ([first]: readonly Json[]): readonly string[] =>
  first === undefined ? [] : [textOf(first).split('/')[0]!];

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));
