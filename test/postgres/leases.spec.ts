// More than 20 s: leases that must not become free are waited for, several seconds each.
import type { Infrastructure } from '../../src/app/infrastructure.js';
import type { Lease } from '../../src/postgres/leases.js';
import { sleepUnlessAborted } from '../../src/runtime/sleep.js';
import { until } from '../e2e/until.js';
import { startTwoProcesses, type TwoProcesses } from '../support/two-workers.js';

let processes: TwoProcesses;
let here: Infrastructure;
let there: Infrastructure;
beforeAll(async () => {
  processes = await startTwoProcesses('60');
  [here, there] = processes.on;
});
afterAll(() => processes.stop());

let names = 0;
const newName = (): string => `thing/${++names}`;

/** Acquires a lease; null if it is not free within `timeoutMs`. */
const acquire = (name: string, { leases } = here, timeoutMs = 120_000): Promise<Lease | null> =>
  leases.acquire(name, AbortSignal.timeout(timeoutMs));

/** Long enough to check twice if a lease is free. */
const NOT_FREE_AFTER_MS = 2_500;

/** Breaks the connection that releases a lease, before the database has released it. */
const breakRelease = async (lease: Lease): Promise<void> => {
  const blocker = await here.pool.connect();
  try {
    await blocker.query('begin');
    await blocker.query('select from ops_lease where name = $1 for update', [lease.name]);
    const released = lease.release();
    const text = `select pg_terminate_backend(pid) from pg_stat_activity where wait_event_type = 'Lock' and query like '%ops_lease%'`;
    await until('the connection is ended', async () => (await there.pool.query(text)).rowCount === 1);
    await released;
  } finally {
    await blocker.query('rollback');
    blocker.release();
  }
};

it('is held by one holder at a time, over all processes, which are notified when it is free', async () => {
  const name = newName();
  const first = (await acquire(name))!;
  expect(await acquire(name, here, NOT_FREE_AFTER_MS)).toBeNull();
  expect(await acquire(name, there, NOT_FREE_AFTER_MS)).toBeNull();

  const next = [acquire(name), acquire(name, there)];
  await first.release();
  const second = (await Promise.race(next))!;
  await second.release();
  const [last] = (await Promise.all(next)).filter((lease) => lease !== second);
  expect(last).not.toBeNull();
  await last!.release();
});

it('can be acquired again after its release failed: it is not lost for the lifetime of the process', async () => {
  const name = newName();
  await breakRelease((await acquire(name))!);
  expect(await acquire(name, there, NOT_FREE_AFTER_MS)).toBeNull();
  expect(await acquire(name)).not.toBeNull();
});

it('can be acquired again after the response to its acquisition was lost', async () => {
  const name = newName();
  await here.pool.query('insert into ops_lease (name, worker_id) values ($1, $2)', [name, here.leases.workerId]);
  expect(await acquire(name, there, NOT_FREE_AFTER_MS)).toBeNull();
  expect(await acquire(name)).not.toBeNull();
});

it('is not released by a late release of an earlier term', async () => {
  const name = newName();
  const first = (await acquire(name))!;
  await breakRelease(first);
  const second = (await acquire(name))!;
  await first.release();
  expect(await acquire(name, there, NOT_FREE_AFTER_MS)).toBeNull();
  await second.release();
  expect(await acquire(name, there)).not.toBeNull();
});

it('moves to a worker with fewer leases that asks for it, and is left when its holder stops', async () => {
  const names = Array.from({ length: 6 }, newName);
  const stopping = { here: new AbortController(), there: new AbortController() };
  const held = { here: new Set<string>(), there: new Set<string>() };
  const work = async (side: 'here' | 'there', name: string): Promise<void> => {
    const { signal } = stopping[side];
    const { leases } = side === 'here' ? here : there;
    for (let lease = await leases.acquire(name, signal); lease; lease = await leases.acquire(name, signal)) {
      held[side].add(name);
      await sleepUnlessAborted(600_000, AbortSignal.any([signal, lease.lost]));
      held[side].delete(name);
      await lease.release();
    }
  };
  const runs = names.map((name) => work('here', name));
  await until('one process holds all', () => held.here.size === 6 || null);
  runs.push(...names.map((name) => work('there', name)));
  await until('leases have moved', () => (held.there.size >= 2 && held.here.size + held.there.size === 6) || null);
  stopping.here.abort();
  await until('the other one holds all', () => held.there.size === 6 || null);
  stopping.there.abort();
  await Promise.all(runs);
});
