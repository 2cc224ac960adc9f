import type { Infrastructure } from '../../src/app/infrastructure.js';
import type { Lease } from '../../src/postgres/leases.js';
import { until } from '../e2e/until.js';
import { startTwoProcesses, type TwoProcesses } from '../support/processes.js';

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

/** Null where it is not to be had within `patienceMs`. */
const take = (name: string, { leases } = here, patienceMs = 20_000): Promise<Lease | null> =>
  leases.acquire(name, AbortSignal.timeout(patienceMs));

/** Long enough for two looks at what is free. */
const GIVEN_UP_MS = 2_500;

/** Ends the connection over which a lease is being given back, before the database has done so. */
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

it('is held by one at a time, in one process and in others, and heard of when it is free', async () => {
  const name = newName();
  const first = (await take(name))!;
  expect(await take(name, here, GIVEN_UP_MS)).toBeNull();
  expect(await take(name, there, GIVEN_UP_MS)).toBeNull();

  const next = [take(name), take(name, there)];
  await first.release();
  const second = (await Promise.race(next))!;
  await second.release();
  const [last] = (await Promise.all(next)).filter((lease) => lease !== second);
  expect(last).not.toBeNull();
  await last!.release();
});

it('whoever could not give it back takes it again: it does not stay with nobody for as long as the process lives', async () => {
  const name = newName();
  await breakRelease((await take(name))!);
  expect(await take(name, there, GIVEN_UP_MS)).toBeNull();
  expect(await take(name)).not.toBeNull();
});

it('whoever was never told that it had been taken takes it again', async () => {
  const name = newName();
  await here.pool.query('insert into ops_lease (name, worker_id) values ($1, $2)', [name, here.leases.workerId]);
  expect(await take(name, there, GIVEN_UP_MS)).toBeNull();
  expect(await take(name)).not.toBeNull();
});

it('is not taken from who has it now by a release that comes late', async () => {
  const name = newName();
  const first = (await take(name))!;
  await breakRelease(first);
  const second = (await take(name))!;
  await first.release();
  expect(await take(name, there, GIVEN_UP_MS)).toBeNull();
  await second.release();
  expect(await take(name, there)).not.toBeNull();
});
