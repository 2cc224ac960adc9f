import { setTimeout as sleep } from 'node:timers/promises';
import type { EventStore, NewEvent, Position } from '../../../src/event-store/port.js';
import { ids, newEvent, newEvents, newStream } from './events.js';
import type { Stage } from './harness.js';
import { Subscriber } from './subscriber.js';

/** Appends events one by one to the end of a stream that so many are in. */
const appendSingly = async (store: EventStore, stream: string, events: readonly NewEvent[], from = 0) => {
  for (const [n, event] of events.entries()) {
    await store.append(stream, from + n === 0 ? 'noStream' : BigInt(from + n - 1), [event]);
  }
};

/** Subscriptions to a store that is there. */
export const subscribing = (stage: Stage): void => {
  describe('subscribing', () => {
    it('catches up from a checkpoint, then follows live: everything once, in order', async () => {
      const stream = newStream();
      const after = await stage.store.head();
      const events = newEvents(3_000);
      for (let n = 0; n < 2_500; n += 500) {
        await stage.store.append(stream, n === 0 ? 'noStream' : BigInt(n - 1), events.slice(n, n + 500));
      }
      const subscriber = new Subscriber(stage.store, { after, of: [stream] });
      await appendSingly(stage.store, stream, events.slice(2_500), 2_500);
      await subscriber.hasSeen(events.at(-1)?.id as string);
      await subscriber.stop();
      expect(ids(subscriber.events)).toEqual(ids(events));
      expect(subscriber.events).toEqual(await stage.store.readStream(stream));
    });

    it('starts behind the checkpoint, and every batch ends with the next one', async () => {
      const stream = newStream();
      const after = await stage.store.head();
      const events = newEvents(10);
      await stage.store.append(stream, 'noStream', events);
      const first = new Subscriber(stage.store, { after, of: [stream], maxBatch: 4 });
      await first.until((subscriber) => subscriber.events.length >= 4);
      await first.stop();
      const [batch] = first.batches.filter((each) => each.events.some((event) => event.stream === stream));
      const second = new Subscriber(stage.store, { after: batch?.position as Position, of: [stream] });
      await second.hasSeen(events.at(-1)?.id as string);
      await second.stop();
      const ofFirst = batch?.events.filter((event) => event.stream === stream) ?? [];
      expect(ids([...ofFirst, ...second.events])).toEqual(ids(events));
    });

    it('gives batches of at most the size asked for, positions rising', async () => {
      const stream = newStream();
      const after = await stage.store.head();
      const events = newEvents(100);
      await stage.store.append(stream, 'noStream', events);
      const subscriber = new Subscriber(stage.store, { after, of: [stream], maxBatch: 7 });
      await subscriber.hasSeen(events.at(-1)?.id as string);
      await subscriber.stop();
      expect(Math.max(...subscriber.batches.map((batch) => batch.events.length))).toBeLessThanOrEqual(7);
      let before = after;
      for (const { events: given, position } of subscriber.batches) {
        expect(position).toBeGreaterThanOrEqual(given.at(-1)?.position ?? before);
        expect(given.every((event) => event.position > before)).toBe(true);
        before = position;
      }
    });

    it('says when it has reached the end of the log', async () => {
      const stream = newStream();
      const after = await stage.store.head();
      await stage.store.append(stream, 'noStream', newEvents(200));
      const subscriber = new Subscriber(stage.store, { after, of: [stream], maxBatch: 50 });
      await subscriber.until(({ last }) => last?.live ?? false);
      expect(subscriber.batches[0]?.live).toBe(false);
      expect(subscriber.events).toHaveLength(200);
      expect(subscriber.last?.position).toBeGreaterThanOrEqual(await stage.store.head());
      await subscriber.stop();
    });

    it('says so where there is nothing to catch up with, and shows what comes then', async () => {
      const subscriber = new Subscriber(stage.store, { after: await stage.store.head() });
      await subscriber.until(({ last }) => last?.live ?? false);
      const event = newEvent();
      await stage.store.append(newStream(), 'noStream', [event]);
      await subscriber.hasSeen(event.id);
      await subscriber.stop();
      expect(ids(subscriber.events)).toEqual([event.id]);
    });

    it('picks types, and its position moves on past all others', async () => {
      const stream = newStream();
      const type = `Picked${stream.slice(-8)}`;
      const after = await stage.store.head();
      const picked = newEvents(3, { type });
      await stage.store.append(
        stream,
        'noStream',
        picked.flatMap((event) => [...newEvents(150), event]),
      );
      const subscriber = new Subscriber(stage.store, { after, types: [type, 'Never'] });
      await subscriber.hasSeen(picked[2]?.id as string);
      const { position } = await stage.store.append(stream, 452n, newEvents(1));
      await subscriber.until(({ last }) => (last?.position ?? 0n) >= position);
      await subscriber.stop();
      expect(ids(subscriber.events)).toEqual(ids(picked));
    });

    it('leaves types out, and its position moves on past them, caught up and live', async () => {
      const stream = newStream();
      const type = `Left${stream.slice(-8)}`;
      const after = await stage.store.head();
      const kept = newEvents(3);
      await stage.store.append(
        stream,
        'noStream',
        kept.slice(0, 2).flatMap((event) => [...newEvents(150, { type }), event]),
      );
      const subscriber = new Subscriber(stage.store, { after, except: [type, 'Never'], of: [stream] });
      await subscriber.until(({ last }) => last?.live ?? false);
      await stage.store.append(stream, 301n, [...newEvents(20, { type }), kept[2]!]);
      await subscriber.hasSeen(kept[2]!.id);
      const { position } = await stage.store.append(stream, 322n, newEvents(1, { type }));
      await subscriber.until(({ last }) => (last?.position ?? 0n) >= position);
      await subscriber.stop();
      expect(ids(subscriber.events)).toEqual(ids(kept));
    });

    it('shows appends to streams of every client', async () => {
      const subscriber = new Subscriber(stage.store, { after: await stage.store.head() });
      const stream = newStream('shared');
      const plan = { writer: 'there', streams: [stream], count: 20 };
      await stage.harness.appendElsewhere(plan);
      await subscriber.until(({ events }) => events.length >= 20);
      await subscriber.stop();
      expect(subscriber.events).toEqual(await stage.store.readStream(stream));
    });

    it('waits for a reader that is slow while 500 events come in live', async () => {
      const stream = newStream();
      const events = newEvents(501);
      const subscriber = new Subscriber(stage.store, {
        after: await stage.store.head(),
        of: [stream],
        maxBatch: 20,
        onBatch: () => sleep(30),
      });
      await subscriber.until(({ last }) => last?.live ?? false);
      await appendSingly(stage.store, stream, events);
      await subscriber.hasSeen(events.at(-1)?.id as string);
      await subscriber.stop();
      expect(ids(subscriber.events)).toEqual(ids(events));
    });

    it('gives two readers their own pace', async () => {
      const stream = newStream();
      const after = await stage.store.head();
      const events = newEvents(60);
      let release: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      const slow = new Subscriber(stage.store, { after, of: [stream], maxBatch: 5, onBatch: () => held });
      const quick = new Subscriber(stage.store, { after, of: [stream] });
      await appendSingly(stage.store, stream, events);
      await quick.hasSeen(events.at(-1)?.id as string);
      expect(slow.events.length).toBeLessThanOrEqual(5);
      release();
      await slow.hasSeen(events.at(-1)?.id as string);
      await Promise.all([slow.stop(), quick.stop()]);
      expect(ids(quick.events)).toEqual(ids(events));
      expect(ids(slow.events)).toEqual(ids(events));
    });

    it('ends when it is told to, idle or in the middle of much', async () => {
      const after = await stage.store.head();
      await stage.store.append(newStream(), 'noStream', newEvents(1_000));
      const busy = new Subscriber(stage.store, { after, maxBatch: 10 });
      await busy.until(({ batches }) => batches.length >= 2);
      await busy.stop();
      const seen = busy.events.length;
      const idle = new Subscriber(stage.store, { after: await stage.store.head() });
      await idle.until(({ last }) => last?.live ?? false);
      await idle.stop();
      await stage.store.append(newStream(), 'noStream', newEvents(1));
      expect(seen).toBeLessThan(1_000);
      expect(busy.events).toHaveLength(seen);
      expect(idle.events).toEqual([]);
    });

    it('ends at whatever moment it is told to, also in the middle of a read', async () => {
      const after = await stage.store.head();
      const stops = Array.from({ length: 60 }, async (_, n) => {
        const subscriber = new Subscriber(stage.store, { after });
        await sleep(n / 10);
        await subscriber.stop();
      });
      await Promise.all(stops);
    });

    it('ends at once where it was told to before it began', async () => {
      const subscriber = new Subscriber(stage.store, { after: await stage.store.head(), signal: AbortSignal.abort() });
      await subscriber.ended;
      expect(subscriber.batches).toEqual([]);
    });

    it('ends when its reader leaves, and others go on', async () => {
      const stream = newStream();
      const after = await stage.store.head();
      const stays = new Subscriber(stage.store, { after, of: [stream] });
      await stage.store.append(stream, 'noStream', newEvents(10));
      const { signal } = new AbortController();
      for await (const { events } of stage.store.subscribe({ after, signal, maxBatch: 3 })) {
        if (events.length > 0) break;
      }
      const event = newEvent();
      await stage.store.append(stream, 9n, [event]);
      await stays.hasSeen(event.id);
      await stays.stop();
      expect(stays.events).toHaveLength(11);
    });
  });
};
