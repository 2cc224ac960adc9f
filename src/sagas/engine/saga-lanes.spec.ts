import { setTimeout as sleep } from 'node:timers/promises';
import type { StoredEvent } from '../../event-store/port.js';
import type { ParkedEvents } from './parked-events.js';
import { SagaLanes } from './saga-lanes.js';

const event = (lane: string, position: bigint) => ({ lane, stored: { stream: lane, position } as StoredEvent });

describe('lanes of a saga', () => {
  it('stop while a batch waits that adds to a parked lane', async () => {
    const stopping = new AbortController();
    const parked = {
      listLanes: () => Promise.resolve([]),
      readPage: () => Promise.resolve([]),
      remove: () => Promise.resolve(),
    } as unknown as ParkedEvents;
    const lanes = new SagaLanes(
      {
        attempt: async ({ stream }, signal) => {
          await sleep(60_000, undefined, { signal }).catch(() => undefined);
          return stream === 'slow';
        },
        parked,
        checkpoint: { moveTo: () => Promise.resolve() },
        skips: { waitAndRead: () => Promise.resolve() },
      },
      stopping.signal,
    );
    await lanes.handleBatch([event('parked', 1n)], 1n);
    const handling = lanes.handleBatch([event('parked', 2n), event('slow', 3n)], 3n);
    stopping.abort();
    await handling;
    expect(await Promise.race([lanes.stop(), sleep(5_000, 'hangs')])).toBeUndefined();
  });
});
