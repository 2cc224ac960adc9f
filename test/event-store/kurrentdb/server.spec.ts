import { setTimeout as sleep } from 'node:timers/promises';
import { AppendTooLarge, BEGINNING, WrongExpectedRevision } from '../../../src/event-store/port.js';
import { ids, newEvent, newEvents, newStream } from '../contract/events.js';
import { Subscriber } from '../contract/subscriber.js';
import { kurrentServers } from './servers.js';

/** What else lies in a KurrentDB, and how servers differ. */
describe('the KurrentDB adapter', () => {
  const { startServer, openStore } = kurrentServers();

  describe('what is not ours', () => {
    it('never shows the server’s own events, and has no head where there is nothing else', async () => {
      const server = await startServer({ systemEventEvery: 1 });
      const store = openStore(server);
      await server.order({ order: 'system-events', count: 700 });
      expect(await store.head()).toBe(BEGINNING);
      expect(await store.readAll({ after: BEGINNING, limit: 10 })).toEqual([]);
      const stream = newStream();
      const events = newEvents(20);
      const { position } = await store.append(stream, 'noStream', events.slice(0, 10));
      await store.append(stream, 9n, events.slice(10));
      await server.order({ order: 'system-events', count: 700 });
      const subscriber = new Subscriber(store, { after: BEGINNING });
      await subscriber.until(({ last }) => last?.live ?? false);
      await subscriber.stop();
      expect(ids(subscriber.events)).toEqual(ids(events));
      expect(await store.head()).toBe(subscriber.events.at(-1)?.position);
      expect(ids(await store.readAll({ after: position, limit: 100 }))).toEqual(ids(events.slice(10)));
    });

    it('moves a checkpoint past the server’s own events, from which a subscription can start', async () => {
      const server = await startServer();
      const store = openStore(server);
      const { position } = await store.append(newStream(), 'noStream', newEvents(1));
      const first = new Subscriber(store, { after: position });
      await first.until(({ last }) => last?.live ?? false);
      await server.order({ order: 'system-events', count: 1_100 });
      await first.until(({ last }) => (last?.position ?? 0n) > position);
      await first.stop();
      expect(first.events).toEqual([]);
      const second = new Subscriber(store, { after: first.last?.position ?? 0n });
      const event = newEvent();
      await store.append(newStream(), 'noStream', [event]);
      await second.hasSeen(event.id);
      await second.stop();
      expect(ids(second.events)).toEqual([event.id]);
    });

    it('keeps a checkpoint behind the events that wait before it', async () => {
      const server = await startServer();
      const store = openStore(server);
      const stream = newStream();
      const events = newEvents(1 + 4_096 + 8); // one with the reader, the buffer full, and some not taken in
      for (let n = 0; n < events.length; n += 500) {
        await store.append(stream, n === 0 ? 'noStream' : BigInt(n - 1), events.slice(n, n + 500));
      }
      await server.order({ order: 'system-events', count: 1_100 });
      const subscriber = new Subscriber(store, {
        after: BEGINNING,
        maxBatch: 1,
        onBatch: firstTime(() => sleep(1_500)),
      });
      await subscriber.until(({ last }) => last?.live ?? false);
      await subscriber.stop();
      expect(ids(subscriber.events)).toEqual(ids(events));
    });
  });

  it('starts behind a checkpoint whose event was scavenged away, and skips nothing', async () => {
    const server = await startServer();
    const store = openStore(server);
    const cut = newStream();
    await store.append(newStream(), 'noStream', newEvents(1));
    const { position } = await store.append(cut, 'noStream', newEvents(1));
    const next = newEvents(2);
    await store.append(newStream(), 'noStream', next);
    await store.setRetention(cut, 1);
    await store.append(cut, 0n, newEvents(1));
    await server.order({ order: 'scavenge' });
    const subscriber = new Subscriber(store, { after: position });
    await subscriber.until(({ events }) => events.length >= 3);
    await subscriber.stop();
    expect(ids(subscriber.events.slice(0, 2))).toEqual(ids(next));
  });

  it('keeps a stream’s other metadata, and writes nothing where nothing changes', async () => {
    const server = await startServer();
    const store = openStore(server);
    const stream = newStream();
    await store.append(stream, 'noStream', newEvents(9));
    await store.setRetention(stream, 4);
    const { events: before } = await server.order({ order: 'report' });
    await store.setRetention(stream, 4);
    expect((await server.order({ order: 'report' })).events).toBe(before);
    expect(await store.readStream(stream)).toHaveLength(4);
  });

  it('appends with single calls to a server that knows no other way', async () => {
    const server = await startServer({ batchAppend: false });
    const store = openStore(server);
    const stream = newStream();
    const events = newEvents(3);
    const first = await store.append(stream, 'noStream', events);
    expect(await store.append(stream, 'noStream', events)).toEqual(first);
    await expect(store.append(stream, 'noStream', newEvents(1))).rejects.toThrow(WrongExpectedRevision);
    await expect(store.append(stream, 0n, newEvents(1))).rejects.toMatchObject({ actual: 2n });
    const long = newEvents(2, { type: 'T'.repeat(30_000), data: JSON.stringify('x'.repeat(480_000)) });
    await expect(store.append(stream, 2n, long)).rejects.toThrow(AppendTooLarge); // by the server's way of counting
    expect((await server.order({ order: 'report' })).calls).toMatchObject({ append: 5 });
  });
});

/** Does something the first time only. */
const firstTime = (action: () => Promise<unknown>) => {
  let done = false;
  return async (): Promise<void> => {
    if (!done) {
      done = true;
      await action();
    }
  };
};
