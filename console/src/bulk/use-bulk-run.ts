import { useEffect, useRef, useState } from 'react';
import { type Result, runEach } from './run-each.js';

interface BulkRun<T> {
  /** The things that were chosen; null before the start. */
  readonly shown: readonly T[] | null;
  readonly results: ReadonlyMap<string, Result>;
  readonly isBusy: boolean;
  readonly start: (items: readonly T[]) => void;
  /** Tries again what failed and what was not begun. */
  readonly tryAgain: () => void;
  readonly stop: () => void;
}

interface BulkWork<T> {
  /** @param isAgain true if an earlier call failed, so that the thing may have changed since it was listed */
  readonly work: (item: T, chosen: readonly T[], isAgain: boolean) => Promise<unknown>;
  /** Called when nothing is under way any more, with how many things are done, also if the dialog is gone by then. */
  readonly onEnd: (done: number, all: number, isLeft: boolean) => void;
}

/** Does something with several things. Ends after what is under way when the component is removed. */
export const useBulkRun = <T extends { readonly id: string }>({ work, onEnd }: BulkWork<T>): BulkRun<T> => {
  const [shown, setShown] = useState<readonly T[] | null>(null);
  const [results, setResults] = useState<ReadonlyMap<string, Result>>(new Map());
  const [isBusy, setIsBusy] = useState(false);
  const isStopped = useRef(false);
  const isLeft = useRef(false);
  useEffect(() => {
    isLeft.current = false;
    return () => {
      isLeft.current = true;
    };
  }, []);
  const run = async (chosen: readonly T[], before: ReadonlyMap<string, Result>): Promise<void> => {
    const known = new Map([...before].filter(([, { isDone }]) => isDone));
    const rest = chosen.filter(({ id }) => !known.has(id));
    isStopped.current = false;
    setIsBusy(true);
    setResults(new Map(known));
    await runEach(
      rest,
      (item) => work(item, chosen, before.has(item.id)),
      ({ id }, result) => {
        known.set(id, result);
        setResults(new Map(known));
      },
      () => isStopped.current || isLeft.current,
    );
    setIsBusy(false);
    onEnd([...known.values()].filter(({ isDone }) => isDone).length, chosen.length, isLeft.current);
  };
  return {
    shown,
    results,
    isBusy,
    start: (items) => {
      setShown(items);
      void run(items, new Map());
    },
    tryAgain: () => void run(shown ?? [], results),
    stop: () => {
      isStopped.current = true;
    },
  };
};
