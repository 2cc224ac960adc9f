import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from '../../../src/event-store/port.js';
import { ids, newEvent, newEvents, newStream } from './events.js';
import type { ContractContext } from './harness.js';
import { Subscriber } from './subscriber.js';

/** Lost connections and outages of the store. */
export const describeOutages = (context: ContractContext): void => {
  describe('losing the connection', () => {
    it('resumes a subscription without gaps or repeats, and reports every drop', async () => {
      const stream = newStream();
      const fragile = await context.openFragile();
      const subscriber = new Subscriber(fragile, { after: await fragile.readHead(), streams: [stream] });
      const appended: string[] = [];
      for (let round = 0; round < 3; round++) {
        const events = newEvents(40);
        const expected = round === 0 ? 'noStream' : BigInt(40 * round - 1);
        await context.store.append(stream, expected, events.slice(0, 20));
        await subscriber.waitForEvent(events[19]?.id as string);
        const drops = subscriber.drops.length;
        await context.harness.dropSubscribers();
        await context.store.append(stream, BigInt(40 * round + 19), events.slice(20));
        // A subscription that has not resumed since the last drop has no connection to lose, so the drop is repeated.
        while (subscriber.drops.length === drops) {
          await sleep(20);
          await context.harness.dropSubscribers();
        }
        appended.push(...ids(events));
      }
      await subscriber.waitForEvent(appended.at(-1) as string);
      await subscriber.stop();
      expect(ids(subscriber.events)).toEqual(appended);
    });

    it('resumes during catch-up', async () => {
      const stream = newStream();
      const after = await context.store.readHead();
      const events = newEvents(2_000);
      for (let n = 0; n < events.length; n += 500) {
        await context.store.append(stream, n === 0 ? 'noStream' : BigInt(n - 1), events.slice(n, n + 500));
      }
      let batches = 0;
      const fragile = await context.openFragile();
      const subscriber = new Subscriber(fragile, {
        after,
        streams: [stream],
        maxBatch: 100,
        onBatch: async () => {
          if (++batches % 6 === 0) await context.harness.dropSubscribers();
        },
      });
      await subscriber.waitForEvent(events.at(-1)?.id as string);
      await subscriber.stop();
      expect(ids(subscriber.events)).toEqual(ids(events));
    });
  });

  describe('an outage of the store', () => {
    afterEach(() => context.harness.endOutage());

    it('rejects an append, and accepts the identical one afterwards', async () => {
      const stream = newStream();
      const events = newEvents(2);
      const fragile = await context.openFragile();
      await fragile.append(stream, 'noStream', newEvents(1));
      await context.harness.startOutage();
      await expect(fragile.append(stream, 0n, events)).rejects.toThrow(Unavailable);
      await context.harness.endOutage();
      expect(await context.store.readStream(stream)).toHaveLength(1);
      const result = await retryWhileUnavailable(() => fragile.append(stream, 0n, events));
      expect(result.revision).toBe(2n);
      expect(await fragile.append(stream, 0n, events)).toEqual(result);
      expect(await context.store.readStream(stream)).toHaveLength(3);
    });

    it('rejects reads, and answers them afterwards', async () => {
      const stream = newStream();
      const event = newEvent();
      await context.store.append(stream, 'noStream', [event]);
      const fragile = await context.openFragile();
      expect(ids(await fragile.readStream(stream))).toEqual([event.id]);
      await context.harness.startOutage();
      await expect(fragile.readStream(stream)).rejects.toThrow(Unavailable);
      await expect(fragile.readAll({ after: -1n, limit: 1 })).rejects.toThrow(Unavailable);
      await expect(fragile.readHead()).rejects.toThrow(Unavailable);
      await expect(fragile.setRetention(stream, 3)).rejects.toThrow(Unavailable);
      await context.harness.endOutage();
      expect(ids(await retryWhileUnavailable(() => fragile.readStream(stream)))).toEqual([event.id]);
      expect(await retryWhileUnavailable(() => fragile.readHead())).toBe(await context.store.readHead());
    });

    it('does not break a client whose very first read failed', async () => {
      const stream = newStream();
      const event = newEvent();
      await context.store.append(stream, 'noStream', [event]);
      const fragile = await context.openFragile();
      await context.harness.startOutage();
      await expect(fragile.readStream(stream)).rejects.toThrow(Unavailable);
      await context.harness.endOutage();
      expect(ids(await retryWhileUnavailable(() => fragile.readStream(stream)))).toEqual([event.id]);
    });

    it('is survived by a live subscription', async () => {
      const stream = newStream();
      const events = newEvents(30);
      const fragile = await context.openFragile();
      const subscriber = new Subscriber(fragile, { after: await fragile.readHead(), streams: [stream] });
      await context.store.append(stream, 'noStream', events.slice(0, 10));
      await subscriber.waitForEvent(events[9]?.id as string);
      await context.harness.startOutage();
      await context.store.append(stream, 9n, events.slice(10, 20)).catch(() => undefined); // memory: the outage affects all clients
      await context.harness.endOutage();
      await retryWhileUnavailable(() => context.store.append(stream, 9n, events.slice(10, 20)));
      await context.store.append(stream, 19n, events.slice(20));
      await subscriber.waitForEvent(events[29]?.id as string);
      await subscriber.stop();
      expect(ids(subscriber.events)).toEqual(ids(events));
    });

    it('is survived by a subscription that started during it', async () => {
      const after = await context.store.readHead();
      const event = newEvent();
      const fragile = await context.openFragile();
      await context.harness.startOutage();
      const subscriber = new Subscriber(fragile, { after });
      await sleep(200); // time for an attempt to fail
      await context.harness.endOutage();
      await context.store.append(newStream(), 'noStream', [event]);
      await subscriber.waitForEvent(event.id);
      await subscriber.stop();
      expect(ids(subscriber.events)).toEqual([event.id]);
    });
  });

  describe('closing', () => {
    it('waits for calls in flight', async () => {
      const streams = Array.from({ length: 20 }, () => newStream());
      const closing = await context.harness.open();
      await closing.readStream(newStream());
      let answered = 0;
      const appends = streams.map((stream) =>
        closing.append(stream, 'noStream', newEvents(1)).then(() => (answered += 1)),
      );
      await closing.close();
      expect(answered).toBe(20);
      await Promise.all(appends);
      for (const stream of streams) expect(await context.store.readStream(stream)).toHaveLength(1);
    });

    it('ends subscriptions', async () => {
      const closing = await context.harness.open();
      const subscriber = new Subscriber(closing, { after: await context.store.readHead() });
      await subscriber.waitUntil(({ last }) => last?.isLive ?? false);
      await closing.close();
      await subscriber.ended;
      await expect(subscriber.waitUntil(() => true)).resolves.toBeUndefined();
    });
  });
};

/** Repeats a call until the store is available. */
const retryWhileUnavailable = async <T>(call: () => Promise<T>): Promise<T> => {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      await sleep(50);
    }
  }
};
