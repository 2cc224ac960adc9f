import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { PostgresEventStore } from '../../src/event-store/postgres/postgres-event-store.js';
import { Tail } from '../../src/event-store/postgres/tail.js';
import type { StoredEvent } from '../../src/event-store/port.js';
import { newUuid } from '../../src/kernel/ids.js';
import { silentLog } from '../../src/kernel/log.js';
import { startTestPostgres } from '../support/postgres.js';
import { Subscriber } from './contract/subscriber.js';

/** Never asked: what pumps the log is kept from starting, so that nothing wakes a follower by accident. */
const connectionString = 'postgres://nobody@127.0.0.1:1/nothing';

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
    Object.assign(tail, { ringStart: -1n });
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

  describe('takes up what its own process has appended', () => {
    const at = (position: bigint): StoredEvent => ({
      ...{ stream: 'one-1', id: newUuid(), type: 'OneDone', data: '{}', metadata: '{}' },
      ...{ revision: position - 1n, position },
    });

    /** A tail that stands at a position, read by nobody, and what a follower behind it is handed. */
    const standingAt = (head: bigint) => {
      const tail = new Tail({ connectionString, schema: 'event_store', log: silentLog }, () => Promise.resolve([]));
      Object.assign(tail, { pumping: Promise.resolve(), ringStart: head, head });
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
      tail.appended([at(5n), at(6n)]);
      tail.appended([at(7n)]);
      while (seen.length < 3) await sleep(5);
      await stop();
      expect(seen).toEqual([5n, 6n, 7n]);
    });

    it('never past what another process has written in between', async () => {
      const { tail, seen, stop } = standingAt(4n);
      tail.appended([at(6n)]);
      tail.appended([at(5n)]);
      while (seen.length < 1) await sleep(5);
      await stop();
      expect(seen).toEqual([5n]);
    });
  });
});
