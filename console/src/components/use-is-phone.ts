import { useSyncExternalStore } from 'react';

const query = matchMedia('(max-width: 760px)');

/** The last result. Evaluating the query itself makes the browser lay out the page on every rendering. */
let isPhone = query.matches;
query.addEventListener('change', ({ matches }) => {
  isPhone = matches;
});

const subscribe = (listener: () => void): (() => void) => {
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
};

/**
 * Returns whether the window is as narrow as a phone's, in which table rows have two lines, and names are above their
 * lanes.
 */
export const useIsPhone = (): boolean => useSyncExternalStore(subscribe, () => isPhone);
