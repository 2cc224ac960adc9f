import { setTimeout as sleep } from 'node:timers/promises';
import { Tail } from '../../src/event-store/postgres/tail.js';
import type { StoredEvent } from '../../src/event-store/port.js';
import { silentLog } from '../../src/kernel/log.js';

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
});
