// More than 20 s: calls to a frozen server wait for their time limits.
import { once } from 'node:events';
import { createServer, type ServerHttp2Stream } from 'node:http2';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type KurrentEventStore } from '../../../src/event-store/kurrentdb/kurrent-event-store.js';
import { BEGINNING, type NewEvent, Unavailable } from '../../../src/event-store/port.js';
import { until } from '../../e2e/until.js';
import { ids, newEvent, newEvents, newStream } from '../contract/events.js';
import { Subscriber } from '../contract/subscriber.js';
import { kurrentServers } from './servers.js';

/** Faults of a KurrentDB beyond the contract, each as observed on a real one. */
describe('the KurrentDB adapter and its server', () => {
  const { startServer, openStore } = kurrentServers();

  const appendInPages = async (store: KurrentEventStore, stream: string, events: readonly NewEvent[]) => {
    for (let n = 0; n < events.length; n += 500) {
      await store.append(stream, n === 0 ? 'noStream' : BigInt(n - 1), events.slice(n, n + 500));
    }
  };

  describe('after the server was killed', () => {
    it('fails 200 appends in flight with Unavailable, without unhandled rejections, and writes each repeated one once', async () => {
      const server = await startServer();
      const store = openStore(server, 30_000);
      const unhandled: unknown[] = [];
      const record = (reason: unknown): unknown => unhandled.push(reason);
      process.on('unhandledRejection', record);
      const appends = Array.from({ length: 200 }, () => ({
        stream: newStream(),
        events: newEvents(2, { data: JSON.stringify('x'.repeat(20_000)) }),
      }));
      const append = ({ stream, events }: (typeof appends)[number]) => store.append(stream, 'noStream', events);
      await append({ stream: newStream(), events: newEvents(1) });
      await server.sendCommand({ command: 'die-after-commits', appends: 50 });
      const outcomes = await Promise.allSettled(appends.map(append));
      await server.waitForExit();
      process.off('unhandledRejection', record);

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

    it('keeps an append that was committed but not answered', async () => {
      const server = await startServer();
      const store = openStore(server);
      const stream = newStream();
      const events = newEvents(3);
      await server.sendCommand({ command: 'die-after-commits', appends: 1 });
      await expect(store.append(stream, 'noStream', events)).rejects.toThrow(Unavailable);
      await server.waitForExit();
      await server.restart();
      const repeated = await store.append(stream, 'noStream', events);
      expect(repeated.revision).toBe(2n);
      expect(ids(await store.readStream(stream))).toEqual(ids(events));
      expect(repeated.position).toBe(await store.readHead());
    });

    it('resumes a subscription at its last position', async () => {
      const server = await startServer();
      const store = openStore(server);
      const stream = newStream();
      const events = newEvents(40);
      const subscriber = new Subscriber(store, { after: BEGINNING });
      await store.append(stream, 'noStream', events.slice(0, 20));
      await subscriber.waitForEvent(events[19]?.id as string);
      await server.kill();
      await subscriber.waitUntil(({ drops }) => drops.length > 0);
      await server.restart();
      await openStore(server).append(stream, 19n, events.slice(20));
      await subscriber.waitForEvent(events[39]?.id as string);
      await subscriber.stop();
      expect(ids(subscriber.events)).toEqual(ids(events));
    });
  });

  it.each([
    ['+discover', (url: string) => url.replace(':', '+discover:')],
    ['several addresses', (url: string) => url.replace('?', ',127.0.0.1:1?')],
  ])('finds the server again after an outage, with %s', async (_, change) => {
    const server = await startServer();
    const store = openStore({ connectionString: change(server.connectionString) });
    const append = () => store.append(newStream(), 'noStream', newEvents(1));
    const subscriber = new Subscriber(store, { after: BEGINNING });
    await append();
    await server.kill();
    const lost = await Promise.allSettled(Array.from({ length: 20 }, append)); // every client has looked for it in vain
    for (const outcome of lost) expect(outcome).toMatchObject({ status: 'rejected', reason: expect.any(Unavailable) });
    expect(await store.readHead().catch((error: unknown) => error)).toBeInstanceOf(Unavailable);
    await server.restart();
    await until('an append is accepted', append);
    const event = newEvent();
    await Promise.all([...Array.from({ length: 20 }, append), store.append(newStream(), 'noStream', [event])]);
    await until('a read is answered', () => store.readHead());
    await subscriber.waitForEvent(event.id);
    await subscriber.stop();
  });

  describe('while the server is frozen', () => {
    it('fails every call at its time limit, and accepts the identical append afterwards', async () => {
      const server = await startServer();
      const store = openStore(server, 1_500);
      const stream = newStream();
      const [first, events] = [newEvents(1), newEvents(2)];
      await until('the store is connected', () => store.append(stream, 'noStream', first));
      expect(await until('it reads', () => store.readStream(stream))).toHaveLength(1);
      server.freeze();
      await Promise.all([
        expect(store.append(stream, 0n, events)).rejects.toThrow(Unavailable),
        expect(store.readStream(stream)).rejects.toThrow(Unavailable),
        expect(store.readHead()).rejects.toThrow(Unavailable),
        expect(store.setRetention(stream, 5)).rejects.toThrow(Unavailable),
      ]);
      server.thaw();
      // The server has the first copy too. It drops one that arrives before the other is replicated.
      const repeated = await until('the identical append is accepted', () => store.append(stream, 0n, events));
      expect(repeated.revision).toBe(2n);
      expect(await until('it reads again', () => store.readStream(stream))).toHaveLength(3);
    });

    it('does not block later appends', async () => {
      const server = await startServer();
      const store = openStore(server, 4_000, { sent: 60 });
      await until('the store is connected', () => store.append(newStream(), 'noStream', newEvents(1)));
      server.freeze();
      const stuck = Array.from({ length: 120 }, () => store.append(newStream(), 'noStream', newEvents(1)));
      const outcomes = await Promise.allSettled(stuck);
      const names = outcomes.map((outcome) => outcome.status === 'rejected' && (outcome.reason as Error).name);
      // At most sixty were sent, with unknown outcomes. The others were never sent.
      expect(names.filter((name) => name === 'NotAppended').length).toBeGreaterThanOrEqual(60);
      const sent = names.filter((name) => name !== 'NotAppended');
      for (const name of sent) expect(['TimedOut', 'Unavailable']).toContain(name);
      expect(sent).toContain('TimedOut');
      server.thaw();
      const stream = newStream();
      const later = newEvents(1);
      await until('a later append is accepted', () => store.append(stream, 'noStream', later));
      expect(await until('it reads', () => store.readStream(stream))).toHaveLength(1);
    });

    it.each([
      ['appends', { sent: 15, waiting: 5 }],
      ['bytes', { sent: 15, waitingBytes: 5 * 400 }],
    ])('refuses appends at once if too many wait, by the number of %s', async (_, bounds) => {
      const server = await startServer();
      const store = openStore(server, 60_000, bounds);
      const stream = newStream();
      await store.append(stream, 'noStream', newEvents(1));
      server.freeze();
      const data = `"${'x'.repeat(80)}"`;
      const events = Array.from({ length: 27 }, () => newEvent({}, { data, metadata: '{}' }));
      const outcomes: string[] = [];
      const appends = events.map((event) =>
        store.append(stream, 0n, [event]).then(
          () => outcomes.push('appended'),
          (error: Error) => outcomes.push(error.name),
        ),
      );
      await until('some are refused', () => outcomes.length > 0);
      const refused = outcomes.length;
      expect(outcomes).toEqual(Array<string>(refused).fill('NotAppended'));
      expect(refused).toBeGreaterThanOrEqual(6);
      expect(refused).toBeLessThan(12);
      server.thaw();
      await Promise.all(appends);
      expect(outcomes.filter((outcome) => outcome === 'appended')).toHaveLength(1);
      expect(outcomes.filter((outcome) => outcome === 'WrongExpectedRevision')).toHaveLength(26 - refused);
    });

    it('appends through another node of the cluster, although appends come one after the other', async () => {
      const nodes = [await startServer(), await startServer()] as const;
      const addresses = nodes.map(({ port }) => `127.0.0.1:${port}`).join(',');
      const store = openStore({ connectionString: `kurrentdb://${addresses}?tls=false&gossipTimeout=1` }, 1_500);
      const append = () => store.append(newStream(), 'noStream', newEvents(1));
      const countEvents = () =>
        Promise.all(nodes.map(async (node) => (await node.sendCommand({ command: 'report' })).events));
      // On a busy machine, an append may be too late, and the store leaves its node.
      const { used, before } = await until('an append is accepted by one node', async () => {
        const counts = await countEvents();
        await append();
        const grown = (await countEvents()).map((events, n) => events > counts[n]!);
        return grown[0] !== grown[1] && { used: grown[0] ? (0 as const) : (1 as const), before: counts };
      });
      nodes[used].freeze();
      await expect(append()).rejects.toThrow(Unavailable);
      await until('an append is accepted', append);
      const { events } = await nodes[1 - used]!.sendCommand({ command: 'report' });
      expect(events).toBeGreaterThan(before[1 - used]!);
    });

    it('serves a subscription that started meanwhile once it continues', async () => {
      const server = await startServer();
      const store = openStore(server, 1_500);
      const [stream, event] = [newStream(), newEvent()];
      await until('the store is connected', () => store.append(stream, 'noStream', [event]));
      server.freeze();
      const subscriber = new Subscriber(store, { after: BEGINNING });
      await subscriber.waitUntil(({ drops }) => drops.length > 0);
      server.thaw();
      await subscriber.waitForEvent(event.id);
      await subscriber.stop();
      expect(ids(subscriber.events)).toEqual([event.id]);
    });
  });

  describe('while the server is not ready', () => {
    it('fails appends and reads with Unavailable', async () => {
      const server = await startServer();
      const store = openStore(server);
      const stream = newStream();
      const event = newEvent();
      await server.sendCommand({ command: 'not-ready', calls: 2 });
      await expect(store.append(stream, 'noStream', [event])).rejects.toThrow(Unavailable);
      await expect(store.readStream(stream)).rejects.toThrow(Unavailable);
      await store.append(stream, 'noStream', [event]);
      expect(ids(await store.readStream(stream))).toEqual([event.id]);
    });

    it('follows the log as soon as the server is ready', async () => {
      const server = await startServer();
      const store = openStore(server);
      const event = newEvent();
      const { position } = await store.append(newStream(), 'noStream', newEvents(1));
      await server.sendCommand({ command: 'not-ready', calls: 4 });
      const subscriber = new Subscriber(store, { after: position });
      await subscriber.waitUntil(({ last }) => last?.isLive ?? false);
      await store.append(newStream(), 'noStream', [event]);
      await subscriber.waitForEvent(event.id);
      await subscriber.stop();
      expect(subscriber.drops.length).toBeGreaterThanOrEqual(3);
      expect(ids(subscriber.events)).toEqual([event.id]);
    });
  });

  describe('while the server does not know the call for many appends', () => {
    const SENTENCE =
      /^append to \S+: the server does not know this call \(.+\)\. Appends need EventStoreDB 21\.10 or later/;

    it('fails appends with an explanation, and batches them again once the server knows the call', async () => {
      const server = await startServer();
      const store = openStore(server);
      const append = () => store.append(newStream(), 'noStream', newEvents(1));
      await server.sendCommand({ command: 'unknown-batches', isUnknown: true });
      const error: unknown = await append().catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(Unavailable);
      expect((error as Error).message).toMatch(SENTENCE);
      await server.sendCommand({ command: 'unknown-batches', isUnknown: false });
      await Promise.all(Array.from({ length: 20 }, append));
      expect((await server.sendCommand({ command: 'report' })).calls).toEqual({ unknownBatches: 1, batchAppend: 20 });
    });

    it('sends one request for an append if a proxy before the server has no route', async () => {
      let requests = 0;
      const proxy = createServer().on('stream', (stream: ServerHttp2Stream) => {
        requests += 1;
        stream.respond({ ':status': 404 }, { endStream: true });
      });
      await once(proxy.listen(0, '127.0.0.1'), 'listening');
      const { port } = proxy.address() as AddressInfo;
      const store = openStore({ connectionString: `kurrentdb://127.0.0.1:${port}?tls=false` }, 60_000);
      const error: unknown = await store
        .append(newStream(), 'noStream', newEvents(1))
        .catch((reason: unknown) => reason);
      proxy.close();
      expect(error).toBeInstanceOf(Unavailable);
      expect((error as Error).message).toMatch(SENTENCE);
      expect(requests).toBe(1);
    });
  });

  it('repeats an append that was committed but never answered, on a connection that stayed open', async () => {
    const server = await startServer();
    const store = openStore(server, 1_500);
    const stream = newStream();
    const events = newEvents(2);
    await server.sendCommand({ command: 'lose-responses', appends: 1 });
    await expect(store.append(stream, 'noStream', events)).rejects.toThrow(Unavailable);
    const repeated = await until('the repeated append is accepted', () => store.append(stream, 'noStream', events));
    expect(repeated.revision).toBe(1n);
    expect(ids(await until('it reads', () => store.readStream(stream)))).toEqual(ids(events));
  });

  it('reports that appends use another connection, which may lead to another server, before the first of them is answered', async () => {
    const server = await startServer();
    const store = openStore(server, 10_000); // far above the time that a busy machine needs for an append
    const outcomes: string[] = [];
    store.onConnectionLoss(() => outcomes.push('another connection'));
    const append = () =>
      store.append(newStream(), 'noStream', newEvents(1)).then(
        () => outcomes.push('appended'),
        () => outcomes.push('lost'),
      );
    await append();
    await server.sendCommand({ command: 'lose-responses', appends: 1 });
    await append(); // the server answers nothing, so the call may be dead
    await Promise.all([append(), append()]);
    expect(outcomes).toEqual(['appended', 'lost', 'another connection', 'appended', 'appended']);
  });

  it('does not cancel other appends when the answer to one does not come', async () => {
    const server = await startServer();
    const store = openStore(server, 12_000);
    await store.append(newStream(), 'noStream', newEvents(1));
    const streams = Array.from({ length: 40 }, newStream);
    await server.sendCommand({ command: 'lose-responses', appends: 1 });
    const lost = store.append(newStream(), 'noStream', newEvents(1)).catch((error: unknown) => error);
    await server.sendCommand({ command: 'replicate-after', ms: 2_000 });
    await sleep(11_000); // the limit of the lost one ends while they are in flight, and theirs long after their answers
    const neighbours = streams.map((stream) => store.append(stream, 'noStream', newEvents(1)));
    expect(await lost).toBeInstanceOf(Unavailable);
    expect((await Promise.all(neighbours)).map(({ revision }) => revision)).toEqual(streams.map(() => 0n));
    expect((await server.sendCommand({ command: 'report' })).droppedCopies).toBe(0);
  });

  it('continues to send when the maximum number of pending appends is never answered', async () => {
    const server = await startServer();
    const store = openStore(server, 1_500, { sent: 15 });
    const stream = newStream();
    const events = newEvents(1);
    const first = newEvents(1);
    await until('the store is connected', () => store.append(stream, 'noStream', first));
    await server.sendCommand({ command: 'lose-responses', appends: 15 });
    const lost = await Promise.allSettled(
      Array.from({ length: 15 }, (_, index) => store.append(stream, BigInt(index), newEvents(1))),
    );
    expect(lost.map(({ status }) => status)).toEqual(lost.map(() => 'rejected'));
    const later = await until('a later append is accepted', () => store.append(stream, 15n, events));
    expect(later.revision).toBe(16n);
  });

  describe('when the server has written an append but not yet replicated it', () => {
    it('answers identical appends of one process with one call', async () => {
      const server = await startServer();
      const store = openStore(server);
      await store.append(newStream(), 'noStream', newEvents(1));
      await server.sendCommand({ command: 'replicate-after', ms: 300 });
      const stream = newStream();
      const events = newEvents(2);
      const results = await Promise.all(Array.from({ length: 10 }, () => store.append(stream, 'noStream', events)));
      expect(new Set(results.map(({ revision, position }) => `${revision} ${position}`)).size).toBe(1);
      expect((await server.sendCommand({ command: 'report' })).droppedCopies).toBe(0);
    });

    it('sends the copy of another process again, because the server drops it', async () => {
      const server = await startServer();
      const [store, another] = [openStore(server), openStore(server)];
      await Promise.all([store, another].map((each) => each.append(newStream(), 'noStream', newEvents(1))));
      await server.sendCommand({ command: 'replicate-after', ms: 1_000 });
      const stream = newStream();
      const events = newEvents(2);
      const [first, copy] = await Promise.all([store, another].map((each) => each.append(stream, 'noStream', events)));
      expect(copy).toEqual(first);
      expect(ids(await store.readStream(stream))).toEqual(ids(events));
      expect((await server.sendCommand({ command: 'report' })).droppedCopies).toBe(1);
    });
  });

  it.each(['cleanly', 'with-error'] as const)('resumes a subscription that the server ended %s', async (how) => {
    const server = await startServer();
    const store = openStore(server);
    const stream = newStream();
    const events = newEvents(30);
    const subscriber = new Subscriber(store, { after: BEGINNING });
    for (let n = 0; n < 30; n += 10) {
      await store.append(stream, n === 0 ? 'noStream' : BigInt(n - 1), events.slice(n, n + 10));
      await subscriber.waitForEvent(events[n + 9]?.id as string);
      await server.sendCommand({ command: 'end-subscriptions', how });
    }
    await subscriber.waitUntil(({ drops }) => drops.length === 3);
    await subscriber.stop();
    expect(ids(subscriber.events)).toEqual(ids(events));
  });

  it.each(['drop', 'catch-up'] as const)(
    'loses no event when the server lets a slow consumer %s',
    async (slowConsumerPolicy) => {
      const server = await startServer({ slowConsumerPolicy });
      const store = openStore(server);
      const stream = newStream();
      const events = newEvents(8_000, { metadata: JSON.stringify({ pad: 'x'.repeat(200) }) });
      let release: () => void = () => undefined;
      const held = new Promise<void>((resolve) => (release = resolve));
      const subscriber = new Subscriber(store, {
        after: BEGINNING,
        onBatch: async ({ events: given }) => given.length > 0 && held,
      });
      await subscriber.waitUntil(({ last }) => last?.isLive ?? false);
      await appendInPages(store, stream, events);
      release();
      await subscriber.waitForEvent(events.at(-1)?.id as string);
      await subscriber.waitUntil(({ last }) => last?.isLive ?? false);
      await subscriber.stop();
      const { slowDrops } = await server.sendCommand({ command: 'report' });
      expect(slowDrops > 0).toBe(slowConsumerPolicy === 'drop');
      expect(subscriber.drops).toHaveLength(slowDrops);
      expect(ids(subscriber.events)).toEqual(ids(events));
    },
  );

  it('leaves no subscription open on the server', async () => {
    const server = await startServer();
    const store = openStore(server);
    await store.append(newStream(), 'noStream', newEvents(100));
    const subscribers = Array.from({ length: 5 }, () => new Subscriber(store, { after: BEGINNING, maxBatch: 10 }));
    await Promise.all(subscribers.map((subscriber) => subscriber.waitUntil(({ batches }) => batches.length > 0)));
    await Promise.all(subscribers.map((subscriber) => subscriber.stop()));
    let open = Infinity;
    while (open > 0) ({ openSubscriptions: open } = await server.sendCommand({ command: 'report' }));
    expect(open).toBe(0);
  });
});
