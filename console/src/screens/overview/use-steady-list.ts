import { useEffect, useRef, useState } from 'react';

/** A list that does not change while it is held. */
export interface SteadyList<T> {
  readonly shown: readonly T[];
  /** Keys of the items that the last update added. */
  readonly added: ReadonlySet<string>;
  /** Number of items that have arrived since the list was held. */
  readonly held: number;
}

/** Returns how many items of a list, newest first, are not in another list. */
export const countNew = (items: readonly string[], known: readonly string[]): number =>
  items.filter((key) => !known.includes(key)).length;

/**
 * Keeps a list up to date except while it is held, because items under the pointer must not move.
 * @param items newest first
 */
export const useSteadyList = <T>(items: readonly T[], keyOf: (item: T) => string, isHeld: boolean): SteadyList<T> => {
  const [shown, setShown] = useState({ items, added: new Set<string>() });
  const latest = useRef(keyOf);
  useEffect(() => {
    if (isHeld) return;
    setShown((before) => {
      if (before.items === items) return before;
      const known = new Set(before.items.map(latest.current));
      return { items, added: new Set(items.map(latest.current).filter((key) => !known.has(key))) };
    });
  }, [items, isHeld]);
  return {
    shown: shown.items,
    added: shown.added,
    held: countNew(items.map(keyOf), shown.items.map(keyOf)),
  };
};
