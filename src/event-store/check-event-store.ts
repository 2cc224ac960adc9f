import { type EventStore, StorageFailed } from './port.js';

/** Checks that a store responds and accepts appends. @throws Unavailable if it does not; the message gives the cause */
export const checkEventStore = async (store: Pick<EventStore, 'readHead' | 'appendFailure'>): Promise<void> => {
  await store.readHead();
  const failure = store.appendFailure;
  if (!failure) return;
  const since = new Date(failure.since).toISOString();
  throw new StorageFailed(failure.code, `has refused appends since ${since}: ${failure.message}`);
};
