/**
 * Does work on each item, a slice of the items at a time, so that memory holds what a slice needs, however many items
 * there are. Returns the results in the order of the items. Rejects if some work fails; no further slice begins then.
 * @param size number of items in a slice
 */
export const inSlices = async <Item, Result>(
  items: readonly Item[],
  size: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> => {
  const results: Result[] = [];
  for (let from = 0; from < items.length; from += size)
    results.push(...(await Promise.all(items.slice(from, from + size).map(work))));
  return results;
};
