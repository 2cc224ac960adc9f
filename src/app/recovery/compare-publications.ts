/** Publications to compare with an event store, in this order. */
export interface PublicationList {
  readonly ids: readonly string[];
  /** True if sorted newest first: the comparison can stop after enough consecutive known outcomes. */
  readonly mayStop: boolean;
}

/** A publication, and whether an event store knows its outcome. */
export interface Compared {
  readonly id: string;
  readonly isKnown: boolean;
}

/** Number of publications read at a time. */
export const PAGE = 500;

const BOUNDS = {
  page: PAGE,
  /** Number of consecutive outcomes that the store must know before the rest of a list is skipped. */
  enoughKnown: 5_000,
};

/**
 * Finds the publications whose outcomes an event store lacks. Returns each list in reverse, for the caller to append the
 * earliest outcomes first: after an interruption, the store then looks like a longer backup, and the next run can stop
 * when it reaches the appended outcomes.
 * @param comparePage compares publications in order, and leaves out publications whose posts the store lacks
 */
export const findUnknown = async (
  lists: readonly PublicationList[],
  comparePage: (ids: readonly string[]) => Promise<readonly Compared[]>,
  { page, enoughKnown } = BOUNDS,
): Promise<readonly string[]> => {
  const unknown: string[] = [];
  for (const { ids, mayStop } of lists) {
    const found: string[] = [];
    let knownInARow = 0; // known outcomes in one list imply nothing about another
    for (let from = 0; from < ids.length && !(mayStop && knownInARow >= enoughKnown); from += page)
      for (const { id, isKnown } of await comparePage(ids.slice(from, from + page))) {
        knownInARow = isKnown ? knownInARow + 1 : 0;
        if (!isKnown) found.push(id);
      }
    unknown.push(...found.reverse());
  }
  return unknown;
};
