import { useSyncExternalStore } from 'react';
import { createStore } from '../components/store.js';

/** Minimum time between two checks, in ms: a screen that polls what it may not read is refused every few seconds. */
const INTERVAL_MS = 10_000;

/** True if the gateway serves another console than the one that runs in this tab. */
const outdated = createStore(false);
let checkedAt = -Infinity;

/** Returns the address of a page's script, which has a hash of the console's contents in its name. */
const scriptOf = (page: Document): string | null | undefined =>
  page.querySelector('script[type="module"]')?.getAttribute('src');

const readPage = async (): Promise<Document | null> => {
  const answer = await fetch('/console/').catch(() => null);
  return answer?.ok ? new DOMParser().parseFromString(await answer.text(), 'text/html') : null;
};

/** Finds out, without waiting for it, whether this tab was opened before the gateway got its present release. */
export const checkRelease = (): void => {
  if (performance.now() - checkedAt < INTERVAL_MS) return;
  checkedAt = performance.now();
  void readPage().then((page) => page && outdated.set(scriptOf(page) !== scriptOf(document)));
};

/** Checks the release each time that the tab is shown again. Call it once, at the start. */
export const watchRelease = (): void =>
  document.addEventListener('visibilitychange', () => !document.hidden && checkRelease());

/** Returns whether the gateway serves another console than the one that runs in this tab. */
export const useIsOutdated = (): boolean => useSyncExternalStore(outdated.subscribe, outdated.get);
