import { useSyncExternalStore } from 'react';

const query = matchMedia('(max-width: 760px)');

/** The last result, cached because evaluating the query on every render would force a layout each time. */
let isPhone = query.matches;
query.addEventListener('change', ({ matches }) => {
  isPhone = matches;
});

const subscribe = (listener: () => void): (() => void) => {
  query.addEventListener('change', listener);
  return () => query.removeEventListener('change', listener);
};

/**
 * Returns whether the window is only as wide as a phone screen. On phones, list rows have two lines, and lanes have
 * their names above them.
 */
export const useIsPhone = (): boolean => useSyncExternalStore(subscribe, () => isPhone);
