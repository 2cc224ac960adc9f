import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { PostgresEventStore } from '../../../src/event-store/postgres/postgres-event-store.js';
import type { Ring } from '../../../src/event-store/postgres/event-buffer.js';
import { type ReadUpTo, Tail } from '../../../src/event-store/postgres/log-follower.js';
import type { EventStore, StoredEvent } from '../../../src/event-store/port.js';
import { type TypeFilter, wants } from '../../../src/event-store/type-filter.js';
import { newUuid } from '../../../src/kernel/ids.js';
import { silentLog } from '../../../src/kernel/log.js';
import { until } from '../../e2e/until.js';
import { startTestPostgres } from '../../support/postgres.js';
import { newEvents, newStream } from '../contract/events.js';
import { Subscriber } from '../contract/subscriber.js';

/** Never asked: what pumps the log is kept from starting, so that nothing wakes a follower by accident. */
const connectionString = 'postgres://nobody@127.0.0.1:1/nothing';

const appended = (tail: Tail, events: readonly StoredEvent[]): void =>
  tail.appended(events[0]!.position - 1n, events.at(-1)!.position, (isWanted) =>
    events.filter(({ type }) => isWanted(type)),
  );

/** Has a tail that pumps nothing stand at a position, with a ring that is empty. */
const stand = (tail: Tail, head: bigint): void => {
  Object.assign(tail, { pumping: Promise.resolve() });
  (Reflect.get(tail, 'ring') as Ring).reset(head);
};

describe('the tail of the log in PostgreSQL', () => {
  it('ends a follower that is told to while it reads, though nothing ever happens again', async () => {
    const reads: (() => void)[] = [];
    const readAll = () => new Promise<StoredEvent[]>((resolve) => reads.push(() => resolve([])));
    const tail = new Tail({ connectionString, schema: 'event_store', log: silentLog }, readAll);
    Object.assign(tail, { pumping: Promise.resolve() });
    const end = new AbortController();
    const followed = (async () => {
      for await (const batch of tail.follow({ after: -1n, signal: end.signal })) expect(batch.live).toBe(true);
    })();
    while (reads.length < 1) await sleep(5);
    reads.shift()!(); // the end is reached: the follower knows it
    while (reads.length < 1) await sleep(5);
    // From here on there is a ring, empty, and the follower stands at its start: only news would wake it.
    stand(tail, -1n);
    end.abort();
    reads.shift()!();
    await followed;
    await tail.close();
  });

  it('tells its followers that it was dropped, though none of their own reads noticed', async () => {
    const postgres = await startTestPostgres();
    const store = new PostgresEventStore({ connectionString: postgres.connectionString });
    await store.start();
    const subscriber = new Subscriber(store, { after: -1n });
    await subscriber.until(({ last }) => last?.live ?? false);
    const killer = new pg.Client({ connectionString: postgres.connectionString });
    await killer.connect();
    const listening = `from pg_stat_activity where application_name = 'crosspost tail'
                       and datname = current_database() and state = 'idle' and query like 'select position%'`;
    while ((await killer.query(`select ${listening}`)).rowCount === 0) await sleep(5);
    await killer.query(`select pg_terminate_backend(pid) ${listening}`);
    await subscriber.until(({ drops }) => drops.length > 0);
    await subscriber.stop();
    await killer.end();
    await store.close();
    await postgres.stop();
  });

  it.each([1n, 2n, 7n, 1_000n])(
    'hands few types to who is far behind, looking through %i positions at a time',
    async (window) => {
      const postgres = await startTestPostgres();
      const store = new PostgresEventStore({ connectionString: postgres.connectionString });
      await store.start();
      for (let n = 0; n < 40; n++)
        await store.append(newStream(), 'noStream', newEvents(1, { type: n % 13 === 4 ? 'Rare' : 'Usual' }));
      const options = { connectionString: postgres.connectionString, schema: 'event_store', log: silentLog, window };
      const upTo = (to: bigint | undefined, events: StoredEvent[]) =>
        events.filter(({ position }) => position <= (to ?? 1_000n));
      const tail = new Tail(options, async ({ upTo: to, ...read }) => upTo(to, await store.readAll(read)));
      const end = new AbortController();
      for await (const { live } of tail.follow({ after: -1n, signal: end.signal })) if (live) break; // there is a ring now
      await until('there is a ring', () => (Reflect.get(tail, 'ring') as Ring).start === 40n);
      const [seen, positions]: [bigint[], bigint[]] = [[], []];
      for await (const { events, position, live } of tail.follow({
        after: -1n,
        signal: end.signal,
        types: ['Rare'],
        maxBatch: 2,
      })) {
        seen.push(...events.map((event) => event.position));
        positions.push(position);
        if (live && position < 41n) await store.append(newStream(), 'noStream', newEvents(1, { type: 'Rare' }));
        if (seen.at(-1) === 41n) break;
      }
      expect(seen).toEqual([5n, 18n, 31n, 41n]);
      expect(positions).toEqual([...positions].sort((a, b) => Number(a - b)));
      end.abort();
      await Promise.all([tail.close(), store.close()]);
      await postgres.stop();
    },
  );

  it('keeps what somebody here wants, and has who comes to want more see all of it', async () => {
    const postgres = await startTestPostgres();
    const { connectionString } = postgres;
    const [store, elsewhere] = [
      new PostgresEventStore({ connectionString }),
      new PostgresEventStore({ connectionString }),
    ];
    await store.start();
    const append = async (rounds: number) => {
      const one = (by: EventStore, type: string) => by.append(newStream(), 'noStream', newEvents(1, { type }));
      for (let n = 0; n < rounds; n++) {
        await Promise.all([one(elsewhere, 'Usual'), one(store, 'Usual'), one(elsewhere, n % 7 ? 'Usual' : 'Rare')]);
        await Promise.all([one(store, n % 5 ? 'Odd' : 'Rare'), one(elsewhere, 'Usual')]);
      }
    };
    const following = (filter: TypeFilter) => ({
      filter,
      subscriber: new Subscriber(store, { after: -1n, ...filter }),
    });
    const ringOf = () => Reflect.get(Reflect.get(store, 'tail') as Tail, 'ring') as Ring;

    const followers = [following({ types: ['Rare'] })];
    await followers[0]!.subscriber.until(({ last }) => last?.live ?? false);
    await until('there is a ring', () => ringOf().start !== null);
    await append(40);
    followers.push(following({ except: ['Usual'] }));
    await append(40);
    const held = ringOf().read(ringOf().start!, 1_000)!.events;
    expect(held.map(({ type }) => type)).not.toContain('Usual');
    followers.push(following({}));
    await append(40);

    const all = await store.readAll({ after: -1n, limit: 10_000 });
    for (const { filter, subscriber } of followers) {
      await subscriber.until(({ last }) => last?.position === all.at(-1)!.position);
      await subscriber.stop();
      expect(subscriber.events).toEqual(all.filter(({ type }) => wants(filter)(type)));
    }
    await Promise.all([store.close(), elsewhere.close()]);
    await postgres.stop();
  });

  describe('takes up what its own process has appended', () => {
    const at = (position: bigint): StoredEvent => ({
      ...{ stream: 'one-1', id: newUuid(), type: 'OneDone', data: '{}', metadata: '{}' },
      ...{ revision: position - 1n, position },
    });

    /** A tail that stands at a position, read by nobody, and what a follower behind it is handed. */
    const standingAt = (head: bigint) => {
      const tail = new Tail({ connectionString, schema: 'event_store', log: silentLog }, () => Promise.resolve([]));
      stand(tail, head);
      const end = new AbortController();
      const seen: bigint[] = [];
      const followed = (async () => {
        for await (const { events } of tail.follow({ after: head, signal: end.signal }))
          seen.push(...events.map(({ position }) => position));
      })();
      const stop = async () => {
        end.abort();
        await followed;
        await tail.close();
      };
      return { tail, seen, stop };
    };

    it('with no read, where it follows what is known', async () => {
      const { tail, seen, stop } = standingAt(4n);
      appended(tail, [at(5n), at(6n)]);
      appended(tail, [at(7n)]);
      while (seen.length < 3) await sleep(5);
      await stop();
      expect(seen).toEqual([5n, 6n, 7n]);
    });

    it('with a read of no more than what another process has written in between', async () => {
      const reads: Parameters<ReadUpTo>[0][] = [];
      const tail = new Tail({ connectionString, schema: 'event_store', log: silentLog }, async (options) => {
        reads.push(options);
        return options.after === 4n && options.upTo === 6n ? [at(5n), at(6n)] : [];
      });
      Object.assign(tail, { listen: async () => null, headNow: async () => 4n });
      const end = new AbortController();
      const seen: bigint[] = [];
      const followed = (async () => {
        for await (const { events } of tail.follow({ after: 4n, signal: end.signal }))
          seen.push(...events.map(({ position }) => position));
      })();
      await until('there is a ring', () => (Reflect.get(tail, 'ring') as Ring).start === 4n);
      appended(tail, [at(7n), at(8n)]);
      while (seen.length < 4) await sleep(5);
      end.abort();
      await followed;
      await tail.close();
      expect(seen).toEqual([5n, 6n, 7n, 8n]);
      expect(reads).toContainEqual({ after: 4n, upTo: 6n, limit: 1_000, except: [] });
    });

    it('never before what another process has written in between', async () => {
      const postgres = await startTestPostgres();
      const { connectionString } = postgres;
      const store = new PostgresEventStore({ connectionString });
      const elsewhere = new PostgresEventStore({ connectionString });
      await store.start();
      const tail = new Tail({ connectionString, schema: 'event_store', log: silentLog }, (options) =>
        store.readAll(options),
      );
      const end = new AbortController();
      const seen: bigint[] = [];
      const followed = (async () => {
        for await (const { events } of tail.follow({ after: -1n, signal: end.signal }))
          seen.push(...events.map(({ position }) => position));
      })();
      const append = async (by: EventStore) => {
        const stream = newStream();
        const { position } = await by.append(stream, 'noStream', newEvents(1));
        return (await by.readStream(stream)).map((event) => ({ ...event, position }));
      };
      await append(elsewhere);
      while (seen.length < 1) await sleep(5); // its ring is there
      for (let n = 0; n < 200; n++) {
        await Promise.all([append(elsewhere), append(elsewhere)]);
        appended(tail, await append(store));
      }
      while (seen.length < 601) await sleep(5);
      end.abort();
      await followed;
      await Promise.all([tail.close(), store.close(), elsewhere.close()]);
      await postgres.stop();
      expect(seen).toEqual(Array.from({ length: 601 }, (_, n) => BigInt(n + 1)));
    });

    it('waits with it until that is read, however often it appends meanwhile', async () => {
      const { tail, seen, stop } = standingAt(4n);
      appended(tail, [at(6n), at(7n)]);
      appended(tail, [at(9n)]);
      await sleep(20);
      expect(seen).toEqual([]);
      appended(tail, [at(5n)]);
      while (seen.length < 3) await sleep(5);
      appended(tail, [at(8n)]);
      while (seen.length < 5) await sleep(5);
      await stop();
      expect(seen).toEqual([5n, 6n, 7n, 8n, 9n]);
    });
  });
});
