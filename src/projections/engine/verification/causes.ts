import { BEGINNING, type EventStore, type Position } from '../../../event-store/port.js';
import type { Json } from '../../../kernel/json.js';
import type { Comparison } from './compare-schemas.js';
import type { VerificationResult } from './verify-projection.js';

/** A comparison of two versions, and the position at which they were compared. */
export interface ComparisonAt extends Comparison {
  readonly position: Position;
}

const BATCH = 500;
/** Maximum number of events per example. */
const CAUSES = 20;

/** Adds to each difference the events that contain its key, found in one pass over the log. */
export const addCauses = async (
  store: Pick<EventStore, 'readAll'>,
  { position: until, differences, ...totals }: ComparisonAt,
  signal: AbortSignal,
): Promise<VerificationResult> => {
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
  const examples = differences.map(({ key, ...difference }) => ({
    ...difference,
    key: key.map(textOf).join('/'),
    events: needlesOf(key).flatMap((needle) => causes.get(needle) ?? []),
  }));
  return { position: String(until), ...totals, examples };
};

/**
 * Returns the part of a key that best identifies its row: the text before the first slash, such as the owner in
 * `<owner>/<month>`.
 */
const needlesOf = ([first]: readonly Json[]): readonly string[] =>
  first === undefined ? [] : [textOf(first).split('/')[0]!];

const textOf = (value: Json): string => (typeof value === 'string' ? value : JSON.stringify(value));
