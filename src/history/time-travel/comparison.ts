import type { Instant } from '../../kernel/instant.js';
import type { SecretVault } from '../../secrets/vault.js';
import type { Folded, HistoryAggregate } from '../aggregates/history-aggregate.js';
import { maskErasedSecrets } from '../erased-secrets.js';
import { type AuthoredChange, ChangeAuthors, diffStates } from './diff.js';
import type { AggregatePlace, HistoryReader } from './history-reader.js';

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
  aggregate: HistoryAggregate,
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
