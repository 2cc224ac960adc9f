import { useSyncExternalStore } from 'react';
import { queryClient } from '../api/management.js';
import { createStore } from '../components/store.js';
import { endSession, getSession } from './session.js';

/** Time without use after which the tab forgets the operator's key, in ms. */
const IDLE_MS = 12 * 3_600_000;
const CHECK_MS = 60_000;
/** Time of the last use, in ms since 1970. Kept with the session, because a browser may restore a closed tab. */
const USED_KEY = 'crosspost.used';

/** True once a session ended because the tab was not used. */
const idle = createStore(false);
/** Tells the other tabs which key has signed out. */
const tabs = new BroadcastChannel('crosspost.session');

/** Ends this tab's session, and removes drafts and responses. */
export const forgetSession = (): void => {
  endSession();
  queryClient.clear();
};

/** Signs out in every tab with the same key. Drafts and responses are removed, too. */
export const signOut = (): void => {
  const key = getSession()?.key;
  forgetSession();
  if (key !== undefined) tabs.postMessage(key);
};

/** Ends the operator's session if the tab was not used for {@link IDLE_MS}. */
const endIfIdle = (): void => {
  const used = Number(sessionStorage.getItem(USED_KEY) ?? Date.now());
  if (getSession()?.role !== 'operator' || Date.now() - used < IDLE_MS) return;
  forgetSession();
  idle.set(true);
};

const noteUse = (): void => {
  endIfIdle();
  if (getSession() !== null) sessionStorage.setItem(USED_KEY, String(Date.now()));
};

/** Ends sessions that other tabs sign out, and the operator's after 12 hours without use. Call it once, at the start. */
export const watchSession = (): void => {
  tabs.addEventListener('message', ({ data }) => data === getSession()?.key && forgetSession());
  noteUse();
  for (const event of ['pointerdown', 'keydown', 'wheel']) addEventListener(event, noteUse, { passive: true });
  // Only when the tab is shown: a page that is being left could not say why the session ended.
  document.addEventListener('visibilitychange', () => !document.hidden && endIfIdle());
  setInterval(endIfIdle, CHECK_MS);
};

/** Returns whether the session ended because the tab was not used. */
export const useWasIdle = (): boolean => useSyncExternalStore(idle.subscribe, idle.get);
