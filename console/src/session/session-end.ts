import { useSyncExternalStore } from 'react';
import { management, queryClient } from '../api/management.js';
import { createStore } from '../components/store.js';
import { endSession, getSession, type Session, setSession, shareSession } from './session.js';

/** Time without use in any tab after which the operator's session ends, in ms. */
const IDLE_MS = 12 * 3_600_000;
const CHECK_MS = 60_000;
/** Time of the last use, in ms since 1970. Kept with the session, because a browser may restore a closed tab. */
const USED_KEY = 'crosspost.used';
/** What all tabs keep of a session, beside the cookie. */
const SHARED_KEYS = ['crosspost.session', USED_KEY];

/** True once a session ended because no tab was used. */
const idle = createStore(false);
/** True if the tab was opened with a sign-in link that no longer works. */
const badLink = createStore(false);
/** Tells the other tabs who has signed in; null if the person signed out. */
const tabs = new BroadcastChannel('crosspost.session');

/** Ends this tab's session, and removes drafts and responses. */
const forgetSession = (): void => {
  endSession();
  queryClient.clear();
};

const isSamePerson = (one: Session | null, other: Session): boolean =>
  one !== null && one.role === other.role && (one.role === 'operator' || one.owner?.id === other.owner?.id);

/** Starts a session in this tab. Nothing of a former person remains. */
const adopt = (session: Session): void => {
  const former = getSession();
  if (former !== null && !isSamePerson(former, session)) forgetSession();
  // An operator may have chosen an owner, and keeps the choice. Another key of the same person may allow something else.
  setSession(former !== null && isSamePerson(former, session) ? { ...former, key: session.key } : session);
  badLink.set(false);
};

/** Starts a session in every tab. */
export const announceSignIn = (session: Session): void => {
  shareSession(session);
  adopt(session);
  noteUse();
  tabs.postMessage(session);
};

/** Ends the session in every tab. */
export const endSignIn = (): void => {
  forgetSession();
  for (const name of SHARED_KEYS) localStorage.removeItem(name);
  tabs.postMessage(null);
};

/** Signs out in every tab. The cookie stops working at once; drafts and responses are removed, too. */
export const signOut = (): void => {
  // Without an answer, the session still ends, after 12 hours or 30 days: no tab uses it any more.
  void management()
    .delete('/sessions/{id}', { path: { id: 'current' } })
    .catch(() => undefined);
  endSignIn();
};

/** Ends the operator's session if no tab was used for {@link IDLE_MS}. */
const endIfIdle = (): void => {
  const used = Number(localStorage.getItem(USED_KEY) ?? Date.now());
  if (getSession()?.role !== 'operator' || Date.now() - used < IDLE_MS) return;
  signOut();
  idle.set(true);
};

const noteUse = (): void => {
  endIfIdle();
  if (getSession() !== null) localStorage.setItem(USED_KEY, String(Date.now()));
};

/**
 * Follows what other tabs do: a sign-in, perhaps of another person, or a sign-out. Ends the operator's session after 12
 * hours without use. Call it once, at the start.
 */
export const watchSession = (): void => {
  tabs.addEventListener('message', ({ data }) => {
    if (data === null) forgetSession();
    else adopt(data as Session);
  });
  noteUse();
  for (const event of ['pointerdown', 'keydown', 'wheel']) addEventListener(event, noteUse, { passive: true });
  // Only when the tab is shown: a page that is being left could not say why the session ended.
  document.addEventListener('visibilitychange', () => !document.hidden && endIfIdle());
  setInterval(endIfIdle, CHECK_MS);
};

/** Notes that the tab was opened with a sign-in link that no longer works. */
export const noteLink = (): void => badLink.set(true);

/** Returns whether the session ended because no tab was used. */
export const useWasIdle = (): boolean => useSyncExternalStore(idle.subscribe, idle.get);

/** Returns whether the tab was opened with a sign-in link that no longer works. */
export const useHasBadLink = (): boolean => useSyncExternalStore(badLink.subscribe, badLink.get);
