import { useSyncExternalStore } from 'react';

const query = matchMedia('(max-width: 760px)');

/** The last result, stored because evaluating the query makes the browser lay out the page on every render. */
let isPhone = query.matches;
query.addEventListener('change', ({ matches }) => {
  isPhone = matches;
});

const subscribe = (listener: () => void): (() => void) => {
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
};

/**
 * Returns whether the window is as narrow as a phone's. On phones, list rows have two lines, and lanes have their names
 * above them.
 */
export const useIsPhone = (): boolean => useSyncExternalStore(subscribe, () => isPhone);
