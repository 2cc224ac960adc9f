import { useSyncExternalStore } from 'react';
import { createStore } from '../components/store.js';
import { serverNow } from '../time/server-clock.js';

/** State of the connection to the gateway. */
export interface Connection {
  /** Time at which the gateway stopped answering, in ms since 1970; null while it answers. */
  readonly lostAt: number | null;
}

const store = createStore<Connection>({ lostAt: null });

/** Records that the gateway answered a call, even if with an error. */
export const noteAnswer = (): void => {
  if (store.get().lostAt !== null) store.set({ lostAt: null });
};

/** Records that the gateway did not answer a call. */
export const noteNoAnswer = (): void => {
  if (store.get().lostAt === null) store.set({ lostAt: serverNow() });
};

/** Returns whether the gateway answers. */
export const useConnection = (): Connection => useSyncExternalStore(store.subscribe, store.get);
