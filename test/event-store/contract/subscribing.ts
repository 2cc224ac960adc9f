import { setTimeout as sleep } from 'node:timers/promises';
import {
  countBytes,
  type EventStore,
  MAX_PAGE_BYTES,
  type NewEvent,
  type Position,
} from '../../../src/event-store/port.js';
import { ids, newEvent, newEvents, newStream } from './events.js';
import type { ContractContext } from './harness.js';
import { Subscriber } from './subscriber.js';

/** Appends events one at a time to a stream that has `from` events. */
const appendSingly = async (store: EventStore, stream: string, events: readonly NewEvent[], from = 0) => {
  for (const [n, event] of events.entries()) {
    await store.append(stream, from + n === 0 ? 'noStream' : BigInt(from + n - 1), [event]);
  }
};

/** Subscriptions to an available store. */
export const describeSubscribing = (context: ContractContext): void => {
  describe('subscribing', () => {
    it('catches up from a checkpoint, then follows live: every event once, in order', async () => {
      const stream = newStream();
      const after = await context.store.readHead();
      const events = newEvents(3_000);
      for (let n = 0; n < 2_500; n += 500) {
        await context.store.append(stream, n === 0 ? 'noStream' : BigInt(n - 1), events.slice(n, n + 500));
      }
      const subscriber = new Subscriber(context.store, { after, streams: [stream] });
      await appendSingly(context.store, stream, events.slice(2_500), 2_500);
      await subscriber.waitForEvent(events.at(-1)?.id as string);
      await subscriber.stop();
      expect(ids(subscriber.events)).toEqual(ids(events));
      expect(subscriber.events).toEqual(await context.store.readStream(stream));
    });

    it('starts after the checkpoint, and every batch ends at the next checkpoint', async () => {
      const stream = newStream();
      const after = await context.store.readHead();
      const events = newEvents(10);
      await context.store.append(stream, 'noStream', events);
      const first = new Subscriber(context.store, { after, streams: [stream], maxBatch: 4 });
      await first.waitUntil((subscriber) => subscriber.events.length >= 4);
      await first.stop();
      const [batch] = first.batches.filter((each) => each.events.some((event) => event.stream === stream));
      const second = new Subscriber(context.store, { after: batch?.position as Position, streams: [stream] });
      await second.waitForEvent(events.at(-1)?.id as string);
      await second.stop();
      const ofFirst = batch?.events.filter((event) => event.stream === stream) ?? [];
      expect(ids([...ofFirst, ...second.events])).toEqual(ids(events));
    });

    it('returns batches of at most the requested size, with increasing positions', async () => {
      const stream = newStream();
      const after = await context.store.readHead();
      const events = newEvents(100);
      await context.store.append(stream, 'noStream', events);
      const subscriber = new Subscriber(context.store, { after, streams: [stream], maxBatch: 7 });
      await subscriber.waitForEvent(events.at(-1)?.id as string);
      await subscriber.stop();
      expect(Math.max(...subscriber.batches.map((batch) => batch.events.length))).toBeLessThanOrEqual(7);
      let before = after;
      for (const { events: given, position } of subscriber.batches) {
        expect(position).toBeGreaterThanOrEqual(given.at(-1)?.position ?? before);
        expect(given.every((event) => event.position > before)).toBe(true);
        before = position;
      }
    });

    it('ends a batch at 2 MiB, for a reader that is behind and for one that follows live', async () => {
      const stream = newStream();
      const after = await context.store.readHead();
      const events = newEvents(28).map((event) => ({ ...event, data: JSON.stringify('ж'.repeat(350_000)) }));
      await appendSingly(context.store, stream, events.slice(0, 14));
      let resume = (): void => undefined;
      const paused = new Promise<void>((resolve) => (resume = resolve));
      const behind = new Subscriber(context.store, { after, streams: [stream] });
      const live = new Subscriber(context.store, {
        after,
        streams: [stream],
        onBatch: async ({ events: given }) => {
          if (given.some(({ id }) => id === events[13]!.id)) await paused;
        },
      });
      await live.waitForEvent(events[13]!.id);
      await appendSingly(context.store, stream, events.slice(14), 14);
      await behind.waitForEvent(events[27]!.id);
      resume();
      await live.waitForEvent(events[27]!.id);
      for (const subscriber of [behind, live]) {
        await subscriber.stop();
        expect(ids(subscriber.events)).toEqual(ids(events));
        const sizes = subscriber.batches.map((batch) =>
          batch.events.slice(0, -1).reduce((sum, event) => sum + countBytes(event), 0),
        );
        expect(Math.max(...sizes)).toBeLessThan(MAX_PAGE_BYTES);
      }
    });

    it('reports when it has reached the end of the log', async () => {
      const stream = newStream();
      const after = await context.store.readHead();
      await context.store.append(stream, 'noStream', newEvents(200));
      const subscriber = new Subscriber(context.store, { after, streams: [stream], maxBatch: 50 });
      await subscriber.waitUntil(({ last }) => last?.isLive ?? false);
      expect(subscriber.batches[0]?.isLive).toBe(false);
      expect(subscriber.events).toHaveLength(200);
      expect(subscriber.last?.position).toBeGreaterThanOrEqual(await context.store.readHead());
      await subscriber.stop();
    });

    it('is live at once if there is nothing to catch up with, and then shows new events', async () => {
      const subscriber = new Subscriber(context.store, { after: await context.store.readHead() });
      await subscriber.waitUntil(({ last }) => last?.isLive ?? false);
      const event = newEvent();
      await context.store.append(newStream(), 'noStream', [event]);
      await subscriber.waitForEvent(event.id);
      await subscriber.stop();
      expect(ids(subscriber.events)).toEqual([event.id]);
    });

    it('selects event types, and its position advances past all others', async () => {
      const stream = newStream();
      const type = `Picked${stream.slice(-8)}`;
      const after = await context.store.readHead();
      const picked = newEvents(3, { type });
      await context.store.append(
        stream,
        'noStream',
        picked.flatMap((event) => [...newEvents(150), event]),
      );
      const subscriber = new Subscriber(context.store, { after, types: [type, 'Never'] });
      await subscriber.waitForEvent(picked[2]?.id as string);
      const { position } = await context.store.append(stream, 452n, newEvents(1));
      await subscriber.waitUntil(({ last }) => (last?.position ?? 0n) >= position);
      await subscriber.stop();
      expect(ids(subscriber.events)).toEqual(ids(picked));
    });

    it('excludes event types, and its position advances past them, in catch-up and live', async () => {
      const stream = newStream();
      const type = `Left${stream.slice(-8)}`;
      const after = await context.store.readHead();
      const kept = newEvents(3);
      await context.store.append(
        stream,
        'noStream',
        kept.slice(0, 2).flatMap((event) => [...newEvents(150, { type }), event]),
      );
      const subscriber = new Subscriber(context.store, { after, except: [type, 'Never'], streams: [stream] });
      await subscriber.waitUntil(({ last }) => last?.isLive ?? false);
      await context.store.append(stream, 301n, [...newEvents(20, { type }), kept[2]!]);
      await subscriber.waitForEvent(kept[2]!.id);
      const { position } = await context.store.append(stream, 322n, newEvents(1, { type }));
      await subscriber.waitUntil(({ last }) => (last?.position ?? 0n) >= position);
      await subscriber.stop();
      expect(ids(subscriber.events)).toEqual(ids(kept));
    });

    it('shows appends of every client', async () => {
      const subscriber = new Subscriber(context.store, { after: await context.store.readHead() });
      const stream = newStream('shared');
      const plan = { writer: 'there', streams: [stream], count: 20 };
      await context.harness.appendInOtherProcess(plan);
      await subscriber.waitUntil(({ events }) => events.length >= 20);
      await subscriber.stop();
      expect(subscriber.events).toEqual(await context.store.readStream(stream));
    });

    it('waits for a slow reader while 500 live events arrive', async () => {
      const stream = newStream();
      const events = newEvents(501);
      const subscriber = new Subscriber(context.store, {
        after: await context.store.readHead(),
        streams: [stream],
        maxBatch: 20,
        onBatch: () => sleep(30),
      });
      await subscriber.waitUntil(({ last }) => last?.isLive ?? false);
      await appendSingly(context.store, stream, events);
      await subscriber.waitForEvent(events.at(-1)?.id as string);
      await subscriber.stop();
      expect(ids(subscriber.events)).toEqual(ids(events));
    });

    it('lets two readers read at different speeds', async () => {
      const stream = newStream();
      const after = await context.store.readHead();
      const events = newEvents(60);
      let release: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      const slow = new Subscriber(context.store, { after, streams: [stream], maxBatch: 5, onBatch: () => held });
      const quick = new Subscriber(context.store, { after, streams: [stream] });
      await appendSingly(context.store, stream, events);
      await quick.waitForEvent(events.at(-1)?.id as string);
      expect(slow.events.length).toBeLessThanOrEqual(5);
      release();
      await slow.waitForEvent(events.at(-1)?.id as string);
      await Promise.all([slow.stop(), quick.stop()]);
      expect(ids(quick.events)).toEqual(ids(events));
      expect(ids(slow.events)).toEqual(ids(events));
    });

    it('ends when it is aborted, idle or busy', async () => {
      const after = await context.store.readHead();
      await context.store.append(newStream(), 'noStream', newEvents(1_000));
      const busy = new Subscriber(context.store, { after, maxBatch: 10 });
      await busy.waitUntil(({ batches }) => batches.length >= 2);
      await busy.stop();
      const seen = busy.events.length;
      const idle = new Subscriber(context.store, { after: await context.store.readHead() });
      await idle.waitUntil(({ last }) => last?.isLive ?? false);
      await idle.stop();
      await context.store.append(newStream(), 'noStream', newEvents(1));
      expect(seen).toBeLessThan(1_000);
      expect(busy.events).toHaveLength(seen);
      expect(idle.events).toEqual([]);
    });

    it('ends when it is aborted at any moment, also during a read', async () => {
      const after = await context.store.readHead();
      const stops = Array.from({ length: 60 }, async (_, n) => {
        const subscriber = new Subscriber(context.store, { after });
        await sleep(n / 10);
        await subscriber.stop();
      });
      await Promise.all(stops);
    });

    it('ends at once if it was aborted before it started', async () => {
      const subscriber = new Subscriber(context.store, {
        after: await context.store.readHead(),
        signal: AbortSignal.abort(),
      });
      await subscriber.ended;
      expect(subscriber.batches).toEqual([]);
    });

    it('ends when its reader stops, while others continue', async () => {
      const stream = newStream();
      const after = await context.store.readHead();
      const stays = new Subscriber(context.store, { after, streams: [stream] });
      await context.store.append(stream, 'noStream', newEvents(10));
      const { signal } = new AbortController();
      for await (const { events } of context.store.subscribe({ after, signal, maxBatch: 3 })) {
        if (events.length > 0) break;
      }
      const event = newEvent();
      await context.store.append(stream, 9n, [event]);
      await stays.waitForEvent(event.id);
      await stays.stop();
      expect(stays.events).toHaveLength(11);
    });
  });
};
