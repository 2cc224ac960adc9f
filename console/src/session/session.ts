import { useMemo, useSyncExternalStore } from 'react';
import { createStore } from '../components/store.js';
import { PREFIX, readSession, type Session, STORAGE_KEY } from './kept-session.js';

export type { Session };

const store = createStore<Session | null>(readSession(() => sessionStorage));
/** True once the gateway has rejected the session's key with a 401. The sign-in form then covers the screen. */
const expired = createStore(false);

/** Returns the session; null if signed out. */
export const getSession = (): Session | null => store.get();

/** Returns who signed in last in this browser, in any tab; null if no one did, or if that person signed out. */
export const readSharedSession = (): Session | null => readSession(() => localStorage);

/** Starts a session in all tabs that will be opened. */
export const shareSession = (session: Session): void => localStorage.setItem(STORAGE_KEY, JSON.stringify(session));

/** Starts a session in this tab, or changes the owner whose data is shown. */
export const setSession = (session: Session): void => {
  sessionStorage.setItem(STORAGE_KEY, JSON.stringify(session));
  store.set(session);
  expired.set(false);
};

/** Notes what the session's key may do; returns whether someone has changed it. */
export const noteRights = (key: Session['key']): boolean => {
  const session = store.get();
  if (!session || JSON.stringify(session.key ?? null) === JSON.stringify(key)) return false;
  setSession({ ...session, key });
  return true;
};

/** Ends the session in this tab, and forgets the drafts and everything else that the tab keeps. */
export const endSession = (): void => {
  for (const name of Object.keys(sessionStorage)) if (name.startsWith(PREFIX)) sessionStorage.removeItem(name);
  store.set(null);
  expired.set(false);
};

/** Records that the gateway refused the session's key. */
export const expireSession = (): void => expired.set(store.get() !== null);

/** Returns the session; null if signed out. */
export const useSession = (): Session | null => useSyncExternalStore(store.subscribe, store.get);

/** Returns whether the gateway refused the session's key. */
export const useIsExpired = (): boolean => useSyncExternalStore(expired.subscribe, expired.get);

/** Calls the listener after each change to the session; returns a function that unsubscribes it. */
export const onSessionChange = (listener: () => void): (() => void) => store.subscribe(listener);

/** The owners whose data the screens show. */
export interface Scope {
  readonly isOperator: boolean;
  /** Null for all owners. */
  readonly ownerId: string | null;
  /** Query parameters for calls that return lists: `query: { ...scope.query, limit: 50 }`. */
  readonly query: { readonly owner_id?: string };
  /** Part of every list query key, because the results depend on the scope. */
  readonly key: string;
}

const toScope = (isOperator: boolean, ownerId: string | null): Scope => ({
  isOperator,
  ownerId,
  query: isOperator && ownerId !== null ? { owner_id: ownerId } : {},
  key: ownerId ?? 'all',
});

/** Returns the scope of a session: the signed-in owner, or the owner or owners that the operator selected. */
export const scopeOf = (session: Session | null): Scope =>
  toScope(session?.role === 'operator', session?.owner?.id ?? null);

/** Returns the scope of the session. */
export const useScope = (): Scope => {
  const { isOperator, ownerId } = scopeOf(useSession());
  return useMemo(() => toScope(isOperator, ownerId), [isOperator, ownerId]);
};
