import { setTimeout as sleep } from 'node:timers/promises';
import { AppendTooLarge, BEGINNING, StreamDeleted } from '../../../src/event-store/port.js';
import { until } from '../../e2e/until.js';
import { ids, newEvent, newEvents, newStream } from '../contract/events.js';
import { Subscriber } from '../contract/subscriber.js';
import { kurrentServers } from './servers.js';

/** Foreign content of a KurrentDB, and differences between servers. */
describe('the KurrentDB adapter', () => {
  const { startServer, openStore } = kurrentServers();

  describe('system events', () => {
    it('never shows the server’s own events, and has no head if there are no others', async () => {
      const server = await startServer({ systemEventEvery: 1 });
      const store = openStore(server);
      await server.sendCommand({ command: 'system-events', count: 700 });
      expect(await store.readHead()).toBe(BEGINNING);
      expect(await store.readAll({ after: BEGINNING, limit: 10 })).toEqual([]);
      const stream = newStream();
      const events = newEvents(20);
      const { position } = await store.append(stream, 'noStream', events.slice(0, 10));
      await store.append(stream, 9n, events.slice(10));
      await server.sendCommand({ command: 'system-events', count: 700 });
      const subscriber = new Subscriber(store, { after: BEGINNING });
      await subscriber.waitUntil(({ last }) => last?.isLive ?? false);
      await subscriber.stop();
      expect(ids(subscriber.events)).toEqual(ids(events));
      expect(await store.readHead()).toBe(subscriber.events.at(-1)?.position);
      expect(ids(await store.readAll({ after: position, limit: 100 }))).toEqual(ids(events.slice(10)));
    });

    it('advances a checkpoint past the server’s own events, and a subscription can start there', async () => {
      const server = await startServer();
      const store = openStore(server);
      const { position } = await store.append(newStream(), 'noStream', newEvents(1));
      const first = new Subscriber(store, { after: position });
      await first.waitUntil(({ last }) => last?.isLive ?? false);
      await server.sendCommand({ command: 'system-events', count: 1_100 });
      await first.waitUntil(({ last }) => (last?.position ?? 0n) > position);
      await first.stop();
      expect(first.events).toEqual([]);
      const second = new Subscriber(store, { after: first.last?.position ?? 0n });
      const event = newEvent();
      await store.append(newStream(), 'noStream', [event]);
      await second.waitForEvent(event.id);
      await second.stop();
      expect(ids(second.events)).toEqual([event.id]);
    });

    it('never advances a checkpoint past events that are still buffered', async () => {
      const server = await startServer();
      const store = openStore(server);
      const stream = newStream();
      const events = newEvents(1 + 4_096 + 8); // one with the reader, a full buffer, and some that were not read
      for (let n = 0; n < events.length; n += 500) {
        await store.append(stream, n === 0 ? 'noStream' : BigInt(n - 1), events.slice(n, n + 500));
      }
      await server.sendCommand({ command: 'system-events', count: 1_100 });
      const subscriber = new Subscriber(store, {
        after: BEGINNING,
        maxBatch: 1,
        onBatch: once(() => sleep(1_500)),
      });
      await subscriber.waitUntil(({ last }) => last?.isLive ?? false);
      await subscriber.stop();
      expect(ids(subscriber.events)).toEqual(ids(events));
    });
  });

  it('starts after a checkpoint whose event was scavenged, and skips no event', async () => {
    const server = await startServer();
    const store = openStore(server);
    const cut = newStream();
    await store.append(newStream(), 'noStream', newEvents(1));
    const { position } = await store.append(cut, 'noStream', newEvents(1));
    const next = newEvents(2);
    await store.append(newStream(), 'noStream', next);
    await store.setRetention(cut, 1);
    await store.append(cut, 0n, newEvents(1));
    await server.sendCommand({ command: 'scavenge' });
    const subscriber = new Subscriber(store, { after: position });
    await subscriber.waitUntil(({ events }) => events.length >= 3);
    await subscriber.stop();
    expect(ids(subscriber.events.slice(0, 2))).toEqual(ids(next));
  });

  it('reports a subscription that starts where the log has no event, instead of repeating it for ever', async () => {
    const server = await startServer();
    const store = openStore(server);
    const { position } = await store.append(newStream(), 'noStream', newEvents(2));
    const drops: Error[] = [];
    const { signal } = new AbortController();
    const batches = store.subscribe({ after: position - 1n, signal, onDrop: (error) => drops.push(error) });
    await expect(batches[Symbol.asyncIterator]().next()).rejects.toThrow(
      `the event store has no event at position ${position - 1n}, from which this part of the gateway continues`,
    );
    expect(drops).toEqual([]);
    expect((await server.sendCommand({ command: 'report' })).calls.subscribe ?? 0).toBe(0);
  });

  it('reads and parses the log once for many subscribers, and events only of the types that one wants', async () => {
    const server = await startServer();
    const store = openStore(server);
    const stream = newStream();
    const [wanted, parts] = [newEvents(40), newEvents(40, { type: 'PartStored' })];
    await store.append(stream, 'noStream', [...wanted, ...parts]);
    const subscribers = Array.from(
      { length: 6 },
      () => new Subscriber(store, { after: BEGINNING, except: ['PartStored'] }),
    );
    await Promise.all(subscribers.map((subscriber) => subscriber.waitForEvent(wanted.at(-1)!.id)));
    const { calls, openSubscriptions } = await server.sendCommand({ command: 'report' });
    expect(openSubscriptions).toBe(1);
    expect(calls.subscribe).toBe(1);
    // The position moves past unwanted events, although the server sends nothing.
    const { position } = await store.append(stream, 79n, newEvents(3, { type: 'PartStored' }));
    await Promise.all(subscribers.map((each) => each.waitUntil(({ last }) => last?.position === position)));
    const late = new Subscriber(store, { after: BEGINNING, types: ['PartStored'] });
    await late.waitUntil(({ events }) => events.length === 43);
    for (const subscriber of [...subscribers, late]) await subscriber.stop();
    for (const { events } of subscribers) expect(ids(events)).toEqual(ids(wanted));
  });

  it('removes every event of a deleted stream when it is scavenged, the last one too', async () => {
    const server = await startServer();
    const store = openStore(server);
    const [gone, kept] = [newStream(), newStream()];
    await store.append(gone, 'noStream', newEvents(3));
    await store.append(kept, 'noStream', newEvents(1));
    await store.deleteStream(gone);
    await server.sendCommand({ command: 'scavenge' });
    const left = await store.readAll({ after: BEGINNING, limit: 100 });
    expect(left.map(({ stream }) => stream)).toEqual([kept]);
    await store.deleteStream(gone);
    expect(await store.readStream(gone)).toEqual([]);
    await expect(store.append(gone, 'noStream', newEvents(1))).rejects.toThrow(StreamDeleted);
    await expect(store.append(gone, 2n, newEvents(1))).rejects.toThrow(StreamDeleted);
  });

  it('keeps a stream’s other metadata, and writes nothing if nothing changes', async () => {
    const server = await startServer();
    const store = openStore(server);
    const stream = newStream();
    await store.append(stream, 'noStream', newEvents(9));
    await store.setRetention(stream, 4);
    const { events: before } = await server.sendCommand({ command: 'report' });
    await store.setRetention(stream, 4);
    expect((await server.sendCommand({ command: 'report' })).events).toBe(before);
    expect(await store.readStream(stream)).toHaveLength(4);
  });

  it('forgets an append that a kill has cut in the middle, and goes on after it', async () => {
    const server = await startServer();
    const store = openStore(server);
    const [kept, next] = [newEvent(), newEvent()];
    await store.append(newStream(), 'noStream', [kept]);
    await server.writeUnfinishedAppend();
    await server.restart();
    await until('the server answers', () => store.append(newStream(), 'noStream', [next]));
    await server.restart();
    await until('all events are read', async () => {
      const events = await store.readAll({ after: BEGINNING, limit: 100 });
      return expect(ids(events)).toEqual([kept.id, next.id]) ?? true;
    });
  });

  it('rejects an append that is too large only as the server counts, which takes two bytes for a character of a type', async () => {
    const store = openStore(await startServer());
    const events = newEvents(2, { type: 'T'.repeat(30_000), data: JSON.stringify('x'.repeat(480_000)) });
    await expect(store.append(newStream(), 'noStream', events)).rejects.toThrow(AppendTooLarge);
  });
});

/** Wraps an action so that only the first call runs it. */
const once = (action: () => Promise<unknown>) => {
  let hasRun = false;
  return async (): Promise<void> => {
    if (!hasRun) {
      hasRun = true;
      await action();
    }
  };
};
