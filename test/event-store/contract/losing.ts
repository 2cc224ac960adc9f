import { setTimeout as sleep } from 'node:timers/promises';
import { Unavailable } from '../../../src/event-store/port.js';
import { ids, newEvent, newEvents, newStream } from './events.js';
import type { Stage } from './harness.js';
import { Subscriber } from './subscriber.js';

/** Lost connections and a store that goes away and comes back. */
export const losing = (stage: Stage): void => {
  describe('losing the connection', () => {
    it('resumes a subscription without a skip or a repeat, and tells of every drop', async () => {
      const stream = newStream();
      const fragile = await stage.fragile();
      const subscriber = new Subscriber(fragile, { after: await fragile.head(), of: [stream] });
      const appended: string[] = [];
      for (let round = 0; round < 3; round++) {
        const events = newEvents(40);
        const expected = round === 0 ? 'noStream' : BigInt(40 * round - 1);
        await stage.store.append(stream, expected, events.slice(0, 20));
        await subscriber.hasSeen(events[19]?.id as string);
        const drops = subscriber.drops.length;
        await stage.harness.dropSubscribers();
        await stage.store.append(stream, BigInt(40 * round + 19), events.slice(20));
        // A subscription that has not come back from the last drop yet has no connection to lose: once more, then.
        while (subscriber.drops.length === drops) {
          await sleep(20);
          await stage.harness.dropSubscribers();
        }
        appended.push(...ids(events));
      }
      await subscriber.hasSeen(appended.at(-1) as string);
      await subscriber.stop();
      expect(ids(subscriber.events)).toEqual(appended);
    });

    it('resumes in the middle of catching up', async () => {
      const stream = newStream();
      const after = await stage.store.head();
      const events = newEvents(2_000);
      for (let n = 0; n < events.length; n += 500) {
        await stage.store.append(stream, n === 0 ? 'noStream' : BigInt(n - 1), events.slice(n, n + 500));
      }
      let batches = 0;
      const fragile = await stage.fragile();
      const subscriber = new Subscriber(fragile, {
        after,
        of: [stream],
        maxBatch: 100,
        onBatch: async () => {
          if (++batches % 6 === 0) await stage.harness.dropSubscribers();
        },
      });
      await subscriber.hasSeen(events.at(-1)?.id as string);
      await subscriber.stop();
      expect(ids(subscriber.events)).toEqual(ids(events));
    });
  });

  describe('a store that goes away and comes back', () => {
    afterEach(() => stage.harness.comeBack());

    it('refuses an append meanwhile, and takes the identical one once it is back', async () => {
      const stream = newStream();
      const events = newEvents(2);
      const fragile = await stage.fragile();
      await fragile.append(stream, 'noStream', newEvents(1));
      await stage.harness.goAway();
      await expect(fragile.append(stream, 0n, events)).rejects.toThrow(Unavailable);
      await stage.harness.comeBack();
      expect(await stage.store.readStream(stream)).toHaveLength(1);
      const result = await eventually(() => fragile.append(stream, 0n, events));
      expect(result.revision).toBe(2n);
      expect(await fragile.append(stream, 0n, events)).toEqual(result);
      expect(await stage.store.readStream(stream)).toHaveLength(3);
    });

    it('refuses reads meanwhile, and answers them once it is back', async () => {
      const stream = newStream();
      const event = newEvent();
      await stage.store.append(stream, 'noStream', [event]);
      const fragile = await stage.fragile();
      expect(ids(await fragile.readStream(stream))).toEqual([event.id]);
      await stage.harness.goAway();
      await expect(fragile.readStream(stream)).rejects.toThrow(Unavailable);
      await expect(fragile.readAll({ after: -1n, limit: 1 })).rejects.toThrow(Unavailable);
      await expect(fragile.head()).rejects.toThrow(Unavailable);
      await expect(fragile.setRetention(stream, 3)).rejects.toThrow(Unavailable);
      await stage.harness.comeBack();
      expect(ids(await eventually(() => fragile.readStream(stream)))).toEqual([event.id]);
      expect(await eventually(() => fragile.head())).toBe(await stage.store.head());
    });

    it('answers a client whose very first read found it away', async () => {
      const stream = newStream();
      const event = newEvent();
      await stage.store.append(stream, 'noStream', [event]);
      const fragile = await stage.fragile();
      await stage.harness.goAway();
      await expect(fragile.readStream(stream)).rejects.toThrow(Unavailable);
      await stage.harness.comeBack();
      expect(ids(await eventually(() => fragile.readStream(stream)))).toEqual([event.id]);
    });

    it('is followed again by a subscription that was live', async () => {
      const stream = newStream();
      const events = newEvents(30);
      const fragile = await stage.fragile();
      const subscriber = new Subscriber(fragile, { after: await fragile.head(), of: [stream] });
      await stage.store.append(stream, 'noStream', events.slice(0, 10));
      await subscriber.hasSeen(events[9]?.id as string);
      await stage.harness.goAway();
      await stage.store.append(stream, 9n, events.slice(10, 20)).catch(() => undefined); // memory: away for all
      await stage.harness.comeBack();
      await eventually(() => stage.store.append(stream, 9n, events.slice(10, 20)));
      await stage.store.append(stream, 19n, events.slice(20));
      await subscriber.hasSeen(events[29]?.id as string);
      await subscriber.stop();
      expect(ids(subscriber.events)).toEqual(ids(events));
    });

    it('is followed by a subscription that began while it was away', async () => {
      const after = await stage.store.head();
      const event = newEvent();
      const fragile = await stage.fragile();
      await stage.harness.goAway();
      const subscriber = new Subscriber(fragile, { after });
      await sleep(200); // it has tried
      await stage.harness.comeBack();
      await stage.store.append(newStream(), 'noStream', [event]);
      await subscriber.hasSeen(event.id);
      await subscriber.stop();
      expect(ids(subscriber.events)).toEqual([event.id]);
    });
  });

  describe('closing', () => {
    it('waits for what is in flight', async () => {
      const streams = Array.from({ length: 20 }, () => newStream());
      const closing = await stage.harness.open();
      await closing.readStream(newStream());
      let answered = 0;
      const appends = streams.map((stream) =>
        closing.append(stream, 'noStream', newEvents(1)).then(() => (answered += 1)),
      );
      await closing.close();
      expect(answered).toBe(20);
      await Promise.all(appends);
      for (const stream of streams) expect(await stage.store.readStream(stream)).toHaveLength(1);
    });

    it('ends subscriptions', async () => {
      const closing = await stage.harness.open();
      const subscriber = new Subscriber(closing, { after: await stage.store.head() });
      await subscriber.until(({ last }) => last?.live ?? false);
      await closing.close();
      await subscriber.ended;
      await expect(subscriber.until(() => true)).resolves.toBeUndefined();
    });
  });
};

/** The outcome of a call that may find the store away for a moment yet. */
const eventually = async <T>(call: () => Promise<T>): Promise<T> => {
  for (;;) {
    try {
      return await call();
    } catch (error) {
      if (!(error instanceof Unavailable)) throw error;
      await sleep(50);
    }
  }
};
