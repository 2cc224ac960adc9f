import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import {
  createTypeMatcher,
  type EventStore,
  type StoredEvent,
  type TypeFilter,
} from '../../../src/event-store/port.js';
import type { EventBuffer } from '../../../src/event-store/postgres/append-queue.js';
import { LogFollower, type ReadLog } from '../../../src/event-store/postgres/log-follower.js';
import { PostgresEventStore } from '../../../src/event-store/postgres/postgres-event-store.js';
import { newUuid } from '../../../src/kernel/ids.js';
import { silentLog } from '../../../src/kernel/log.js';
import { until } from '../../e2e/until.js';
import { startTestPostgres } from '../../support/postgres.js';
import { newEvents, newStream } from '../contract/events.js';
import { Subscriber } from '../contract/subscriber.js';

/** Never connected to: the follower does not start its reader here, so that nothing wakes a subscriber by accident. */
const connectionString = 'postgres://no-user@127.0.0.1:1/nothing';

const addCommitted = (follower: LogFollower, events: readonly StoredEvent[]): void =>
  follower.addCommitted(events[0]!.position - 1n, events.at(-1)!.position, (isWanted) =>
    events.filter(({ type }) => isWanted(type)),
  );

/** Gives a follower whose reader does not run an empty buffer at a position. */
const startBufferAt = (follower: LogFollower, head: bigint): void => {
  Object.assign(follower, { following: Promise.resolve() });
  (Reflect.get(follower, 'buffer') as EventBuffer).reset(head);
};

describe('LogFollower', () => {
  it('ends a subscription that is aborted during a read, even if no event follows', async () => {
    const reads: (() => void)[] = [];
    const readAll = () => new Promise<StoredEvent[]>((resolve) => reads.push(() => resolve([])));
    const follower = new LogFollower({ connectionString, schema: 'event_store', log: silentLog }, readAll);
    Object.assign(follower, { following: Promise.resolve() });
    const end = new AbortController();
    const followed = (async () => {
      for await (const batch of follower.follow({ after: -1n, signal: end.signal })) expect(batch.isLive).toBe(true);
    })();
    while (reads.length < 1) await sleep(5);
    reads.shift()!(); // the subscriber has reached the end
    while (reads.length < 1) await sleep(5);
    // From here on there is an empty buffer that starts at the subscriber's position, so only an event would wake it.
    startBufferAt(follower, -1n);
    end.abort();
    reads.shift()!();
    await followed;
    await follower.close();
  });

  it('reports a lost connection to its subscribers even if none of their own reads failed', async () => {
    const postgres = await startTestPostgres({ migrated: true });
    const store = new PostgresEventStore({ connectionString: postgres.connectionString });
    const subscriber = new Subscriber(store, { after: -1n });
    await subscriber.waitUntil(({ last }) => last?.isLive ?? false);
    const killer = new pg.Client({ connectionString: postgres.connectionString });
    await killer.connect();
    const listening = `from pg_stat_activity where application_name = 'crosspost log follower'
                       and datname = current_database() and state = 'idle' and query like 'select event_store.head_position%'`;
    // Found and ended by one statement: before a second one, the connection may have begun its next query.
    while ((await killer.query(`select pg_terminate_backend(pid) ${listening}`)).rowCount === 0) await sleep(5);
    await subscriber.waitUntil(({ drops }) => drops.length > 0);
    await subscriber.stop();
    await killer.end();
    await store.close();
    await postgres.stop();
  });

  it.each([1n, 2n, 7n, 1_000n])(
    'returns events of rare types to a subscriber that is far behind, searching %i positions at a time',
    async (window) => {
      const postgres = await startTestPostgres({ migrated: true });
      const store = new PostgresEventStore({ connectionString: postgres.connectionString });
      for (let n = 0; n < 40; n++)
        await store.append(newStream(), 'noStream', newEvents(1, { type: n % 13 === 4 ? 'Rare' : 'Usual' }));
      const options = { connectionString: postgres.connectionString, schema: 'event_store', log: silentLog, window };
      const upTo = (to: bigint | undefined, events: StoredEvent[]) =>
        events.filter(({ position }) => position <= (to ?? 1_000n));
      const follower = new LogFollower(options, async ({ upTo: to, ...read }) => upTo(to, await store.readAll(read)));
      const end = new AbortController();
      for await (const { isLive } of follower.follow({ after: -1n, signal: end.signal })) if (isLive) break; // there is a buffer now
      await until('there is a buffer', () => (Reflect.get(follower, 'buffer') as EventBuffer).start === 40n);
      const [seen, positions]: [bigint[], bigint[]] = [[], []];
      for await (const { events, position, isLive } of follower.follow({
        after: -1n,
        signal: end.signal,
        types: ['Rare'],
        maxBatch: 2,
      })) {
        seen.push(...events.map((event) => event.position));
        positions.push(position);
        if (isLive && position < 41n) await store.append(newStream(), 'noStream', newEvents(1, { type: 'Rare' }));
        if (seen.at(-1) === 41n) break;
      }
      expect(seen).toEqual([5n, 18n, 31n, 41n]);
      expect(positions).toEqual([...positions].sort((a, b) => Number(a - b)));
      end.abort();
      await Promise.all([follower.close(), store.close()]);
      await postgres.stop();
    },
  );

  it('buffers the events that any subscriber wants, and shows a later subscriber with other types all of them', async () => {
    const postgres = await startTestPostgres({ migrated: true });
    const { connectionString } = postgres;
    const [store, elsewhere] = [
      new PostgresEventStore({ connectionString }),
      new PostgresEventStore({ connectionString }),
    ];
    const append = async (rounds: number) => {
      const one = (by: EventStore, type: string) => by.append(newStream(), 'noStream', newEvents(1, { type }));
      for (let n = 0; n < rounds; n++) {
        await Promise.all([one(elsewhere, 'Usual'), one(store, 'Usual'), one(elsewhere, n % 7 ? 'Usual' : 'Rare')]);
        await Promise.all([one(store, n % 5 ? 'Odd' : 'Rare'), one(elsewhere, 'Usual')]);
      }
    };
    const subscribe = (filter: TypeFilter) => ({
      filter,
      subscriber: new Subscriber(store, { after: -1n, ...filter }),
    });
    const bufferOf = () => Reflect.get(Reflect.get(store, 'follower') as LogFollower, 'buffer') as EventBuffer;

    const subscriptions = [subscribe({ types: ['Rare'] })];
    await subscriptions[0]!.subscriber.waitUntil(({ last }) => last?.isLive ?? false);
    await until('there is a buffer', () => bufferOf().start !== null);
    await append(40);
    subscriptions.push(subscribe({ except: ['Usual'] }));
    await append(40);
    const held = bufferOf().readAfter(bufferOf().start!, 1_000)!.events;
    expect(held.map(({ type }) => type)).not.toContain('Usual');
    subscriptions.push(subscribe({}));
    await append(40);

    const all = await store.readAll({ after: -1n, limit: 10_000 });
    for (const { filter, subscriber } of subscriptions) {
      await subscriber.waitUntil(({ last }) => last?.position === all.at(-1)!.position);
      await subscriber.stop();
      expect(subscriber.events).toEqual(all.filter(({ type }) => createTypeMatcher(filter)(type)));
    }
    await Promise.all([store.close(), elsewhere.close()]);
    await postgres.stop();
  });

  it('buffers no events any more that only a subscriber wanted which has ended', async () => {
    const postgres = await startTestPostgres({ migrated: true });
    const { connectionString } = postgres;
    const store = new PostgresEventStore({ connectionString });
    const buffer = Reflect.get(Reflect.get(store, 'follower') as LogFollower, 'buffer') as EventBuffer;
    const append = (type: string) => store.append(newStream(), 'noStream', newEvents(1, { type }));
    const rare = new Subscriber(store, { after: -1n, types: ['Rare'] });
    const usual = new Subscriber(store, { after: -1n, types: ['Usual'] });
    await rare.waitUntil(({ last }) => last?.isLive ?? false);
    await until('there is a buffer', () => buffer.start !== null);
    await append('Usual');
    await usual.waitUntil(({ events }) => events.length === 1);
    await usual.stop();
    const { position: end } = await append('Usual');
    const { position } = await append('Rare');
    await rare.waitUntil(({ events }) => events.length === 1);
    const held = buffer.readAfter(buffer.start!, 1_000)!.events.filter((event) => event.position >= end);
    expect(held.map((event) => event.position)).toEqual([position]);
    const again = new Subscriber(store, { after: -1n, types: ['Usual'] });
    await again.waitUntil(({ events }) => events.length === 2);
    await Promise.all([again.stop(), rare.stop()]);
    await store.close();
    await postgres.stop();
  });

  describe('events that the same process has appended', () => {
    const at = (position: bigint): StoredEvent => ({
      stream: 'one-1',
      id: newUuid(),
      type: 'OneDone',
      data: '{}',
      metadata: '{}',
      revision: position - 1n,
      position,
    });

    /** Creates a follower with an empty buffer at a position and no reader, and a subscriber that records the events it receives. */
    const createFollowerAt = (head: bigint) => {
      const follower = new LogFollower({ connectionString, schema: 'event_store', log: silentLog }, () =>
        Promise.resolve([]),
      );
      startBufferAt(follower, head);
      const end = new AbortController();
      const seen: bigint[] = [];
      const followed = (async () => {
        for await (const { events } of follower.follow({ after: head, signal: end.signal }))
          seen.push(...events.map(({ position }) => position));
      })();
      const stop = async () => {
        end.abort();
        await followed;
        await follower.close();
      };
      return { follower, seen, stop };
    };

    it('are not read if they follow the buffer directly', async () => {
      const { follower, seen, stop } = createFollowerAt(4n);
      addCommitted(follower, [at(5n), at(6n)]);
      addCommitted(follower, [at(7n)]);
      while (seen.length < 3) await sleep(5);
      await stop();
      expect(seen).toEqual([5n, 6n, 7n]);
    });

    it('are not read if another process has written in between; only its events are', async () => {
      const reads: Parameters<ReadLog>[0][] = [];
      const follower = new LogFollower({ connectionString, schema: 'event_store', log: silentLog }, async (options) => {
        reads.push(options);
        return options.after === 4n && options.upTo === 6n ? [at(5n), at(6n)] : [];
      });
      Object.assign(follower, { listen: async () => null, readHead: async () => 4n });
      const end = new AbortController();
      const seen: bigint[] = [];
      const followed = (async () => {
        for await (const { events } of follower.follow({ after: 4n, signal: end.signal }))
          seen.push(...events.map(({ position }) => position));
      })();
      await until('there is a buffer', () => (Reflect.get(follower, 'buffer') as EventBuffer).start === 4n);
      addCommitted(follower, [at(7n), at(8n)]);
      while (seen.length < 4) await sleep(5);
      end.abort();
      await followed;
      await follower.close();
      expect(seen).toEqual([5n, 6n, 7n, 8n]);
      expect(reads).toContainEqual({ after: 4n, upTo: 6n, limit: 1_000, except: [] });
    });

    it('are never returned before events that another process has written in between', async () => {
      const postgres = await startTestPostgres({ migrated: true });
      const { connectionString } = postgres;
      const store = new PostgresEventStore({ connectionString });
      const elsewhere = new PostgresEventStore({ connectionString });
      const follower = new LogFollower({ connectionString, schema: 'event_store', log: silentLog }, (options) =>
        store.readAll(options),
      );
      const end = new AbortController();
      const seen: bigint[] = [];
      const followed = (async () => {
        for await (const { events } of follower.follow({ after: -1n, signal: end.signal }))
          seen.push(...events.map(({ position }) => position));
      })();
      const append = async (by: EventStore) => {
        const stream = newStream();
        const { position } = await by.append(stream, 'noStream', newEvents(1));
        return (await by.readStream(stream)).map((event) => ({ ...event, position }));
      };
      await append(elsewhere);
      while (seen.length < 1) await sleep(5); // there is a buffer now
      for (let n = 0; n < 200; n++) {
        await Promise.all([append(elsewhere), append(elsewhere)]);
        addCommitted(follower, await append(store));
      }
      while (seen.length < 601) await sleep(5);
      end.abort();
      await followed;
      await Promise.all([follower.close(), store.close(), elsewhere.close()]);
      await postgres.stop();
      expect(seen).toEqual(Array.from({ length: 601 }, (_, n) => BigInt(n + 1)));
    });

    it('wait until the events in between are read, however many are appended meanwhile', async () => {
      const { follower, seen, stop } = createFollowerAt(4n);
      addCommitted(follower, [at(6n), at(7n)]);
      addCommitted(follower, [at(9n)]);
      await sleep(20);
      expect(seen).toEqual([]);
      addCommitted(follower, [at(5n)]);
      while (seen.length < 3) await sleep(5);
      addCommitted(follower, [at(8n)]);
      while (seen.length < 5) await sleep(5);
      await stop();
      expect(seen).toEqual([5n, 6n, 7n, 8n, 9n]);
    });
  });
});
