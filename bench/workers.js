/**
 * bench -- workers: measures publishing by several workers over one PostgreSQL, compared with one worker, in
 * alternating rounds. Each post goes to three of twenty channels, and each process has six connections. Workers run
 * before the posts are added. Besides the rate it shows the CPU time per publication of all workers and of PostgreSQL,
 * the transactions and statements per publication, the projections and sagas that each worker holds, and the statements
 * that were called most often.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { readOption, withBenchEnvironment } from './environment.js';
import { readCpuTime, readCpuTimeOfTree } from './processes.js';
import { countAccepted, median, prepareChannels, until, whole } from './publishing.js';
import { unlimitedProfile } from './seed.js';

const CHANNELS = 20;
const TARGETS = 3;
const SHOWN = 30;
/** How long the server takes to count its sessions' transactions, in ms. */
const COUNTING_MS = 1_500;
const SETTINGS = {
  max_connections: '100',
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track': 'top',
};

export const run = async (args) => {
  const rounds = readOption(args, 'rounds', 3);
  const posts = readOption(args, 'posts', 1_500);
  const many = readOption(args, 'workers', 10);

  await withBenchEnvironment(
    unlimitedProfile(),
    async (environment) => {
      const network = await environment.startStandIn();
      const { feed, endpoints, startGateway, connectionString } = await prepareChannels(environment, network, {
        channels: CHANNELS,
        settings: { DATABASE_POOL: '6' },
      });
      const client = new pg.Client({ connectionString });
      await client.connect();
      environment.onEnd(() => client.end());
      await client.query('create extension pg_stat_statements');
      const all = async (text) => (await client.query(text)).rows;
      const countLanes = async () =>
        (
          await all(`select count(l.name)::int as held from ops_worker w
                    left join ops_lease l on l.worker_id = w.worker_id and l.name not like 'channel/%'
                    group by w.worker_id order by held desc`)
        ).map(({ held }) => held);
      const countTransactions = async () =>
        Number(
          (await all(`select xact_commit::int as n from pg_stat_database where datname = current_database()`))[0].n,
        );

      const publish = async (workers, count) => {
        const published = count * TARGETS;
        const cpu = () => workers.reduce((sum, { pid }) => sum + readCpuTime(pid), 0);
        await sleep(COUNTING_MS);
        await client.query('select pg_stat_statements_reset()');
        const transactions = await countTransactions();
        const from = { worker: cpu(), postgres: readCpuTimeOfTree(environment.postmaster), at: performance.now() };
        const end = (await countAccepted(network)) + published;
        await feed.add(endpoints, count, { targets: TARGETS });
        await until(async () => (await countAccepted(network)) >= end);
        const seconds = (performance.now() - from.at) / 1_000;
        const statements = await all(
          `select left(regexp_replace(query, '\\s+', ' ', 'g'), 110) as text, calls::int, total_exec_time::int as ms
           from pg_stat_statements order by calls desc`,
        );
        const each = {
          worker: (cpu() - from.worker) / published,
          postgres: (readCpuTimeOfTree(environment.postmaster) - from.postgres) / published,
        };
        await sleep(COUNTING_MS);
        return {
          rate: published / seconds,
          ...each,
          transactions: ((await countTransactions()) - transactions) / published,
          statements: statements.reduce((sum, { calls }) => sum + calls, 0) / published,
          table: statements.slice(0, SHOWN).map((one) => ({ ...one, each: (one.calls / published).toFixed(2) })),
        };
      };

      const results = { one: [], many: [] };
      for (let round = 1; round <= rounds; round++) {
        for (const [name, count] of [
          ['one', 1],
          ['many', many],
        ]) {
          const workers = await Promise.all(Array.from({ length: count }, () => startGateway('worker')));
          await publish(workers, Math.min(100, posts));
          const { table, ...figures } = await publish(workers, posts);
          results[name].push(figures);
          console.log(`round ${round}/${rounds}  ${String(count).padStart(2)} workers  ${line(figures)}`);
          console.log(`  projections and sagas: ${(await countLanes()).join(' ')}`);
          if (round === rounds) console.table(table);
          await Promise.all(workers.map(({ stop }) => stop()));
        }
      }
      const [one, several] = [median(results.one), median(results.many)];
      console.log(`\nmedians of ${rounds} rounds`);
      console.log(` 1 worker   ${line(one)}`);
      console.log(`${String(many).padStart(2)} workers  ${line(several)}`);
      console.log(`${many} workers to one: rate ${(several.rate / one.rate).toFixed(2)} ×`);
    },
    SETTINGS,
  );
};

const line = ({ rate, worker, postgres, transactions, statements }) =>
  `${whole(rate)} publications/s   CPU each: workers ${whole(worker)} µs, PostgreSQL ${whole(postgres)} µs   ` +
  `transactions ${transactions.toFixed(2)}, statements ${statements.toFixed(2)}`;
