import { setTimeout as sleep } from 'node:timers/promises';
import { query } from '../postgres/spawn-embedded.js';
import { expectNothingLost, expectReplays } from './audit.js';
import { crew } from './gateway-processes.js';
import { startLoad } from './load.js';
import { Random } from './random.js';
import { manageOf, scene } from './e2e-harness.js';

const LONG = Boolean(process.env.TEST_LONG);
const BREAKS = LONG ? 1_500 : 120;
const ENDPOINTS = [[0], [1, 2], [2, 3], [0, 1, 2, 3, 4]];
const random = new Random();

/** Not that of a worker's presence: whoever loses it loses its channels. */
const THEIRS = `datname = current_database() and application_name like 'crosspost %' and application_name <> 'crosspost presence'`;

/** Ends one of the gateway's connections, at work if there is such a one: what it does is undone, or done unheard. */
const BREAK_ANY = `
  select pg_terminate_backend(pid) from (
    select pid from pg_stat_activity where ${THEIRS} order by state = 'idle', random() limit 1) one`;

/** Looks a while for those that take leases, or give them back, and ends them. */
const BREAK_LEASING = `
  do $$ begin
    for look in 1..3000 loop
      perform pg_stat_clear_snapshot();
      perform pg_terminate_backend(pid) from pg_stat_activity
        where ${THEIRS} and state = 'active' and query like '%ops_lease%' and pid <> pg_backend_pid();
      exit when found;
    end loop;
  end $$`;

scene(
  `connections that break, in ${BREAKS} attempts at it, lose nothing and bring nothing in doubt (seed ${random.seed})`,
  async (stage) => {
    // With leases of an hour nothing is mended by their running out.
    const { telegram, start, database } = await crew(stage, { LEASE_SECONDS: '3600' });
    const [api] = await Promise.all([start('api'), start('worker'), start('worker')]);
    const manage = manageOf(api);
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
