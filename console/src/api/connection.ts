import { useSyncExternalStore } from 'react';
import { createStore } from '../components/store.js';
import { serverNow } from '../time/server-clock.js';

/** State of the connection to the gateway. */
export interface Connection {
  /** When the gateway stopped responding, in ms since 1970; null while it responds. */
  readonly lostAt: number | null;
}

const store = createStore<Connection>({ lostAt: null });

/** Records that the gateway responded, even if with an error. */
export const noteAnswer = (): void => {
  if (store.get().lostAt !== null) store.set({ lostAt: null });
};

/** Records that the gateway did not respond. */
export const noteNoAnswer = (): void => {
  if (store.get().lostAt === null) store.set({ lostAt: serverNow() });
};

/** Returns whether the gateway responds and, if not, since when. */
export const useConnection = (): Connection => useSyncExternalStore(store.subscribe, store.get);
