import { BEGINNING, type NewEvent, Unavailable } from '../../../src/event-store/port.js';
import { type KurrentEventStore } from '../../../src/event-store/kurrentdb/kurrent-event-store.js';
import { ids, newEvent, newEvents, newStream } from '../contract/events.js';
import { Subscriber } from '../contract/subscriber.js';
import { kurrentServers } from './servers.js';

/** What a KurrentDB may do to its client beyond the contract: each fault as it was seen on a real one. */
describe('the KurrentDB adapter and its server', () => {
  const { startServer, openStore } = kurrentServers();

  const appendInPages = async (store: KurrentEventStore, stream: string, events: readonly NewEvent[]) => {
    for (let n = 0; n < events.length; n += 500) {
      await store.append(stream, n === 0 ? 'noStream' : BigInt(n - 1), events.slice(n, n + 500));
    }
  };

  describe('killed', () => {
    it('fails 200 appends in flight as unavailable, rejects nothing unhandled, and takes each again once', async () => {
      const server = await startServer();
      const store = openStore(server);
      const unhandled: unknown[] = [];
      const note = (reason: unknown): unknown => unhandled.push(reason);
      process.on('unhandledRejection', note);
      const appends = Array.from({ length: 200 }, () => ({
        stream: newStream(),
        events: newEvents(2, { data: JSON.stringify('x'.repeat(20_000)) }),
      }));
      const append = ({ stream, events }: (typeof appends)[number]) => store.append(stream, 'noStream', events);
      await append({ stream: newStream(), events: newEvents(1) });
      await server.order({ order: 'die-after-commits', appends: 50 });
      const outcomes = await Promise.allSettled(appends.map(append));
      await server.died();
      process.off('unhandledRejection', note);

      const failed = outcomes.filter((outcome) => outcome.status === 'rejected');
      expect(failed.length).toBeGreaterThan(100);
      for (const { reason } of failed) expect(reason).toBeInstanceOf(Unavailable);
      expect(unhandled).toEqual([]);

      await server.restart();
      await store.readStream(newStream()).catch(() => undefined);
      const repeated = await Promise.all(appends.map(append));
      expect(repeated.map(({ revision }) => revision)).toEqual(appends.map(() => 1n));
      const stored = await Promise.all(appends.map(({ stream }) => store.readStream(stream)));
      expect(stored.map(ids)).toEqual(appends.map(({ events }) => ids(events)));
    });

    it('has kept what it committed and did not answer', async () => {
      const server = await startServer();
      const store = openStore(server);
      const stream = newStream();
      const events = newEvents(3);
      await server.order({ order: 'die-after-commits', appends: 1 });
      await expect(store.append(stream, 'noStream', events)).rejects.toThrow(Unavailable);
      await server.died();
      await server.restart();
      const repeated = await store.append(stream, 'noStream', events);
      expect(repeated.revision).toBe(2n);
      expect(ids(await store.readStream(stream))).toEqual(ids(events));
      expect(repeated.position).toBe(await store.head());
    });

    it('is followed from where it was left', async () => {
      const server = await startServer();
      const store = openStore(server);
      const stream = newStream();
      const events = newEvents(40);
      const subscriber = new Subscriber(store, { after: BEGINNING });
      await store.append(stream, 'noStream', events.slice(0, 20));
      await subscriber.hasSeen(events[19]?.id as string);
      await server.kill();
      await subscriber.until(({ drops }) => drops.length > 0);
      await server.restart();
      await openStore(server).append(stream, 19n, events.slice(20));
      await subscriber.hasSeen(events[39]?.id as string);
      await subscriber.stop();
      expect(ids(subscriber.events)).toEqual(ids(events));
    });
  });

  describe('frozen', () => {
    it('is given up by every call in its time, and takes the identical append once it goes on', async () => {
      const server = await startServer();
      const store = openStore(server, 1_500);
      const stream = newStream();
      const events = newEvents(2);
      await store.append(stream, 'noStream', newEvents(1));
      expect(await store.readStream(stream)).toHaveLength(1);
      server.freeze();
      await Promise.all([
        expect(store.append(stream, 0n, events)).rejects.toThrow(Unavailable),
        expect(store.readStream(stream)).rejects.toThrow(Unavailable),
        expect(store.head()).rejects.toThrow(Unavailable),
        expect(store.setRetention(stream, 5)).rejects.toThrow(Unavailable),
      ]);
      server.thaw();
      expect((await store.append(stream, 0n, events)).revision).toBe(2n);
      expect(await store.readStream(stream)).toHaveLength(3);
    });

    it('does not keep later appends from being sent', async () => {
      const server = await startServer();
      const store = openStore(server, 1_500);
      await store.append(newStream(), 'noStream', newEvents(1));
      server.freeze();
      const stuck = Array.from({ length: 120 }, () => store.append(newStream(), 'noStream', newEvents(1)));
      const outcomes = await Promise.allSettled(stuck);
      expect(outcomes.every((outcome) => outcome.status === 'rejected' && outcome.reason instanceof Unavailable)).toBe(
        true,
      );
      server.thaw();
      const stream = newStream();
      await store.append(stream, 'noStream', newEvents(1));
      expect(await store.readStream(stream)).toHaveLength(1);
    });

    it('is followed by a subscription that began meanwhile', async () => {
      const server = await startServer();
      const store = openStore(server, 1_500);
      const event = newEvent();
      await store.append(newStream(), 'noStream', [event]);
      server.freeze();
      const subscriber = new Subscriber(store, { after: BEGINNING });
      await subscriber.until(({ drops }) => drops.length > 0);
      server.thaw();
      await subscriber.hasSeen(event.id);
      await subscriber.stop();
      expect(ids(subscriber.events)).toEqual([event.id]);
    });
  });

  describe('not ready', () => {
    it('is unavailable to appends and reads until it is', async () => {
      const server = await startServer();
      const store = openStore(server);
      const stream = newStream();
      const event = newEvent();
      await server.order({ order: 'not-ready', calls: 2 });
      await expect(store.append(stream, 'noStream', [event])).rejects.toThrow(Unavailable);
      await expect(store.readStream(stream)).rejects.toThrow(Unavailable);
      await store.append(stream, 'noStream', [event]);
      expect(ids(await store.readStream(stream))).toEqual([event.id]);
    });

    it('is followed as soon as it is', async () => {
      const server = await startServer();
      const store = openStore(server);
      const event = newEvent();
      const { position } = await store.append(newStream(), 'noStream', newEvents(1));
      await server.order({ order: 'not-ready', calls: 4 });
      const subscriber = new Subscriber(store, { after: position });
      await subscriber.until(({ last }) => last?.live ?? false);
      await store.append(newStream(), 'noStream', [event]);
      await subscriber.hasSeen(event.id);
      await subscriber.stop();
      expect(subscriber.drops.length).toBeGreaterThanOrEqual(3);
      expect(ids(subscriber.events)).toEqual([event.id]);
    });
  });

  it('repeats an append that was committed and never answered, though the connection held', async () => {
    const server = await startServer();
    const store = openStore(server, 1_500);
    const stream = newStream();
    const events = newEvents(2);
    await server.order({ order: 'lose-answers', appends: 1 });
    await expect(store.append(stream, 'noStream', events)).rejects.toThrow(Unavailable);
    expect((await store.append(stream, 'noStream', events)).revision).toBe(1n);
    expect(ids(await store.readStream(stream))).toEqual(ids(events));
  });

  it('sends on when the answers of as many appends as it may have unanswered never come', async () => {
    const server = await startServer();
    const store = openStore(server, 1_500);
    const stream = newStream();
    const events = newEvents(1);
    await server.order({ order: 'lose-answers', appends: 15 });
    const lost = await Promise.allSettled(Array.from({ length: 15 }, () => store.append(stream, 'noStream', events)));
    expect(lost.map(({ status }) => status)).toEqual(lost.map(() => 'rejected'));
    expect((await store.append(stream, 'noStream', events)).revision).toBe(0n);
  });

  it.each(['cleanly', 'with-error'] as const)('resumes a subscription that the server ended %s', async (how) => {
    const server = await startServer();
    const store = openStore(server);
    const stream = newStream();
    const events = newEvents(30);
    const subscriber = new Subscriber(store, { after: BEGINNING });
    for (let n = 0; n < 30; n += 10) {
      await store.append(stream, n === 0 ? 'noStream' : BigInt(n - 1), events.slice(n, n + 10));
      await subscriber.hasSeen(events[n + 9]?.id as string);
      await server.order({ order: 'end-subscriptions', how });
    }
    await subscriber.until(({ drops }) => drops.length === 3);
    await subscriber.stop();
    expect(ids(subscriber.events)).toEqual(ids(events));
  });

  it.each(['drop', 'catch-up'] as const)(
    'loses nothing when the server lets a slow consumer %s',
    async (whenTooSlow) => {
      const server = await startServer({ whenTooSlow });
      const store = openStore(server);
      const stream = newStream();
      const events = newEvents(8_000, { metadata: JSON.stringify({ pad: 'x'.repeat(200) }) });
      let release: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      const subscriber = new Subscriber(store, {
        after: BEGINNING,
        onBatch: async ({ events: given }) => given.length > 0 && held,
      });
      await subscriber.until(({ last }) => last?.live ?? false);
      await appendInPages(store, stream, events);
      release();
      await subscriber.hasSeen(events.at(-1)?.id as string);
      await subscriber.until(({ last }) => last?.live ?? false);
      await subscriber.stop();
      const { slowDrops } = await server.order({ order: 'report' });
      expect(slowDrops > 0).toBe(whenTooSlow === 'drop');
      expect(subscriber.drops).toHaveLength(slowDrops);
      expect(ids(subscriber.events)).toEqual(ids(events));
    },
  );

  it('leaves no subscription open on the server', async () => {
    const server = await startServer();
    const store = openStore(server);
    await store.append(newStream(), 'noStream', newEvents(100));
    const subscribers = Array.from({ length: 5 }, () => new Subscriber(store, { after: BEGINNING, maxBatch: 10 }));
    await Promise.all(subscribers.map((subscriber) => subscriber.until(({ batches }) => batches.length > 0)));
    await Promise.all(subscribers.map((subscriber) => subscriber.stop()));
    let open = Infinity;
    while (open > 0) ({ openSubscriptions: open } = await server.order({ order: 'report' }));
    expect(open).toBe(0);
  });
});
