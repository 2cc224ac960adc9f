// More than 20 s: forty connections are broken under load, each after a search for the right moment.
import { setTimeout as sleep } from 'node:timers/promises';
import { query } from '../postgres/spawn-embedded.js';
import { expectNothingLost, expectReplays } from './audit.js';
import { createManagementClient, e2eTest } from './e2e-harness.js';
import { startSharedServers } from './gateway-processes.js';
import { startLoad } from './load.js';
import { Random } from './random.js';

const LONG = Boolean(process.env.TEST_LONG);
const BREAKS = LONG ? 1_500 : 40;
const ENDPOINTS = [[0], [1, 2], [2, 3], [0, 1, 2, 3, 4]];
const random = new Random();

/** The gateway's connections except workers' registrations: a worker that loses its registration loses its channels. */
const GATEWAY_CONNECTIONS = `datname = current_database() and application_name like 'crosspost %' and application_name <> 'crosspost presence'`;

/** Ends one of the gateway's connections, preferably a busy one: its transaction is rolled back, or committed without an answer. */
const BREAK_ANY = `
  select pg_terminate_backend(pid) from (
    select pid from pg_stat_activity where ${GATEWAY_CONNECTIONS} order by state = 'idle', random() limit 1) one`;

/** Searches for a while for connections that acquire or release leases, and ends them. */
const BREAK_LEASING = `
  do $$ begin
    for attempt in 1..3000 loop
      perform pg_stat_clear_snapshot();
      perform pg_terminate_backend(pid) from pg_stat_activity
        where ${GATEWAY_CONNECTIONS} and state = 'active' and query like '%ops_lease%' and pid <> pg_backend_pid();
      exit when found;
    end loop;
  end $$`;

e2eTest(
  `${BREAKS} attempts to break a connection lose no post and leave none in doubt (seed ${random.seed})`,
  async (harness) => {
    // Leases last an hour, so that no fault is hidden by an expired lease.
    const { telegram, start, database } = await startSharedServers(harness, { LEASE_SECONDS: '3600' });
    const [api] = await Promise.all([start('api'), start('worker'), start('worker')]);
    const manage = createManagementClient(api);
    const { endpoints, channels } = await manage.seed(5, ENDPOINTS);
    await telegram.control.setDelay(15);
    let breaking = true;
    const load = startLoad({ endpoints, random, urls: () => [api.url], posts: () => breaking, longestPauseMs: 1_000 });
    for (let n = 0; n < BREAKS; n++) {
      await load.during(query(database.DATABASE_URL, random.below(2) === 0 ? BREAK_ANY : BREAK_LEASING));
      await load.during(sleep(random.below(50)));
    }
    breaking = false;
    await load.done;
    expect(await expectNothingLost(manage, telegram, load.sent, channels)).toMatchObject({ inDoubt: 0 });
    await expectReplays(api.url, load.sent);
  },
  LONG ? 600_000 : undefined,
);
