/**
 * bench -- snapshot: measures how much a long-running transaction, such as that of `pg_dump`, slows publishing. While
 * it is open, PostgreSQL keeps every version of every row, so a row that is updated often becomes slow to find. Rounds
 * without and with such a transaction alternate; the posts of a round are added while its transaction is open, and
 * `--soak` posts are published before the measured ones. Also shows the tables with the most versions that could not be
 * removed, and the statements that took the most time in both rounds.
 */
import pg from 'pg';
import { readOption, withBenchEnvironment } from './environment.js';
import {
  CHANNELS,
  countAccepted,
  line,
  median,
  prepareChannels,
  startMeasuring,
  until,
  watchProjections,
} from './publishing.js';
import { unlimitedProfile } from './seed.js';

/** Share of the posts that is measured. The last publications are excluded, because fewer and fewer channels remain. */
const MEASURED_SHARE = 0.9;

export const run = async (args) => {
  const rounds = readOption(args, 'rounds', 3);
  const posts = readOption(args, 'posts', 20_000);
  const soak = readOption(args, 'soak', 60_000);

  await withBenchEnvironment(
    unlimitedProfile(),
    async (environment) => {
      const network = await environment.startStandIn();
      const { feed, endpoints, startGateway, connectionString } = await prepareChannels(environment, network);
      const worker = await startGateway('worker');
      const projections = await watchProjections(connectionString);
      environment.onEnd(() => projections.close());

      const publish = async (count) => {
        const end = (await countAccepted(network)) + count;
        const head = await feed.add(endpoints, count);
        await until(async () => (await projections.readPosition()) >= head);
        const measuring = await startMeasuring(worker, environment.postmaster, network);
        const from = await countAccepted(network);
        const enough = from + Math.floor((end - from) * MEASURED_SHARE);
        await until(async () => (await countAccepted(network)) >= enough);
        const figures = await measuring.stop();
        await until(async () => (await countAccepted(network)) >= end);
        return figures;
      };

      const statements = await openStatistics(connectionString);
      environment.onEnd(() => statements.close());
      await publish(soak);
      const results = { without: [], under: [] };
      for (let round = 1; round <= rounds; round++) {
        await statements.reset();
        results.without.push(await publish(posts));
        const before = await statements.read();
        console.log(`round ${round}/${rounds}  without  ${line(results.without.at(-1))}`);
        const snapshot = await openSnapshot(connectionString);
        await publish(soak);
        await statements.reset();
        results.under.push(await publish(posts));
        const after = await statements.read();
        console.log(`           under    ${line(results.under.at(-1))}`);
        if (round === rounds) {
          console.table(await snapshot.readVersions());
          console.table(compareStatements(before, after));
        }
        await snapshot.close();
      }
      const [without, under] = [median(results.without), median(results.under)];
      console.log(`\nmedians of ${rounds} rounds, ${CHANNELS} channels`);
      console.log(`without a snapshot  ${line(without)}`);
      console.log(`under a snapshot    ${line(under)}`);
      console.log(`under to without    ${(under.rate / without.rate).toFixed(2)} ×`);
    },
    STATEMENT_STATISTICS,
  );
};

const STATEMENT_STATISTICS = {
  shared_preload_libraries: 'pg_stat_statements',
  'pg_stat_statements.track': 'all',
};
const SHOWN = 12;

/** Enables the server's statement statistics. */
const openStatistics = async (connectionString) => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query('create extension pg_stat_statements');
  return {
    reset: () => client.query('select pg_stat_statements_reset()'),
    read: async () => {
      const { rows } = await client.query(
        `select left(regexp_replace(query, '\\s+', ' ', 'g'), 90) as text, calls::int, total_exec_time as ms,
           (shared_blks_hit + shared_blks_read)::int as pages
         from pg_stat_statements where calls > 20`,
      );
      return rows;
    },
    close: () => client.end(),
  };
};

/** Returns the statements that took the most time, with their time and pages per call without and with the snapshot. */
const compareStatements = (before, after) => {
  const known = new Map(before.map((one) => [one.text, one]));
  const each = (one, key) => (one ? Math.round((one[key] / one.calls) * 1_000) / 1_000 : null);
  return after
    .sort((a, b) => b.ms - a.ms)
    .slice(0, SHOWN)
    .map((one) => {
      const earlier = known.get(one.text);
      const [was, is] = [each(earlier, 'ms'), each(one, 'ms')];
      return {
        text: one.text,
        calls: one.calls,
        was,
        is,
        pagesWere: each(earlier, 'pages'),
        pagesAre: each(one, 'pages'),
      };
    });
};

/** Opens a transaction whose snapshot keeps all row versions. */
const openSnapshot = async (connectionString) => {
  const client = new pg.Client({ connectionString });
  const reader = new pg.Client({ connectionString });
  await client.connect();
  await reader.connect();
  await client.query('begin isolation level repeatable read');
  await client.query('select 1');
  return {
    readVersions: async () => {
      const { rows } = await reader.query(
        `select schemaname || '.' || relname as name, n_live_tup::int as live, n_dead_tup::int as dead,
           n_tup_upd::int as updates, n_tup_hot_upd::int as within_page
         from pg_stat_user_tables where n_dead_tup > 0 order by n_dead_tup / (n_live_tup + 1.0) desc limit 12`,
      );
      return rows;
    },
    close: async () => {
      await client.query('commit');
      await Promise.all([client.end(), reader.end()]);
    },
  };
};
