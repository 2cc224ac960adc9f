/** Publications to compare with an event store, in this order. */
export interface PublicationList {
  readonly ids: readonly string[];
  /** True: the latest come first, so that once many in a row are known to the store, the rest is too. */
  readonly mayStop: boolean;
}

const BOUNDS = {
  /** Publications that are read and compared at a time. */
  page: 500,
  /** Outcomes of a list in a row that the store must know until the rest of the list is not compared. */
  enoughKnown: 5_000,
};

/**
 * Compares lists of publications with an event store, a page at a time.
 * @param comparePage returns for each outcome of a page, in order, whether the store knows it
 */
export const comparePublications = async (
  lists: readonly PublicationList[],
  comparePage: (ids: readonly string[]) => Promise<readonly boolean[]>,
  { page, enoughKnown } = BOUNDS,
): Promise<void> => {
  for (const { ids, mayStop } of lists) {
    let knownInARow = 0; // one list says nothing about the latest outcomes of another
    for (let from = 0; from < ids.length && !(mayStop && knownInARow >= enoughKnown); from += page)
      for (const isKnown of await comparePage(ids.slice(from, from + page)))
        knownInARow = isKnown ? knownInARow + 1 : 0;
  }
};
