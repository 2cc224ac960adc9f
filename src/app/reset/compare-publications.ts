/** Publications to compare with an event store, in this order. */
export interface PublicationList {
  readonly ids: readonly string[];
  /** True: the latest come first, so that once many in a row are known to the store, the rest is too. */
  readonly mayStop: boolean;
}

/** A publication, and whether an event store knows its outcome. */
export interface Compared {
  readonly id: string;
  readonly isKnown: boolean;
}

/** Publications that are read at a time. */
export const PAGE = 500;

const BOUNDS = {
  page: PAGE,
  /** Outcomes of a list in a row that the store must know until the rest of the list is not compared. */
  enoughKnown: 5_000,
};

/**
 * Finds the publications whose outcomes an event store lacks, a page at a time. Those of each list come in reverse: the outcomes
 * that an interrupted run has appended are then the earliest, as in a longer backup, and the next run may stop at them.
 * @param comparePage compares the publications of a page, in order; those whose posts the store lacks are left out
 */
export const findUnknown = async (
  lists: readonly PublicationList[],
  comparePage: (ids: readonly string[]) => Promise<readonly Compared[]>,
  { page, enoughKnown } = BOUNDS,
): Promise<readonly string[]> => {
  const unknown: string[] = [];
  for (const { ids, mayStop } of lists) {
    const found: string[] = [];
    let knownInARow = 0; // one list says nothing about the latest outcomes of another
    for (let from = 0; from < ids.length && !(mayStop && knownInARow >= enoughKnown); from += page)
      for (const { id, isKnown } of await comparePage(ids.slice(from, from + page))) {
        knownInARow = isKnown ? knownInARow + 1 : 0;
        if (!isKnown) found.push(id);
      }
    unknown.push(...found.reverse());
  }
  return unknown;
};
