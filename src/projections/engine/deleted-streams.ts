import type { EventStore } from '../../event-store/port.js';

/** Returns true if a stream has no events. @throws Unavailable */
export const isDeleted = async (store: Pick<EventStore, 'readStream'>, stream: string): Promise<boolean> =>
  (await store.readStream(stream, { limit: 1 })).length === 0;
