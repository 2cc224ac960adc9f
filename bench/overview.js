/**
 * bench -- overview: how long `GET /overview` takes with 1,000 and with 1,000,000 publications in the last hour, for
 * their owner and for the operator, over HTTP, one request at a time. Of a hundred publications, 88 are published, ten
 * wait, one failed and one is in doubt; the events are copies, folded by the projections that the answer needs.
 * Compares the times with the most publications with those with the fewest, in the same run. Options:
 * --publications=<sizes, separated by commas>, --requests (of each kind).
 */
import pg from 'pg';
import { OPERATOR_KEY, readOption, withBenchEnvironment } from './environment.js';
import { fillStore } from './long-log.js';
import { readCpuTime, readCpuTimeOfTree } from './processes.js';
import { prepareChannels, quantile, until, watchProjections } from './publishing.js';
import { runProjections } from './run-projections.js';
import { unlimitedProfile } from './seed.js';

const CHANNELS = readOption(process.argv, 'channels', 100);
/** How many of a hundred publications get each outcome. Without options, a publication waits. */
const MIXTURE = [
  [88, { isPublished: true }],
  [10, {}],
  [1, { outcome: 'failed' }],
  [1, { outcome: 'in_doubt' }],
];
/** Number of events for a hundred publications: accepted, started, ended. */
const EVENTS = 88 * 3 + 10 + 3 + 3;
const SPREAD_MS = 55 * 60_000;
/** Followers of the log that the answer needs. The others skip the copies. */
const FOLLOWERS = ['activity', 'discovery', 'posts', 'publish-schedule'];
const WARM_UP = 20;

export const run = async (args) => {
  const requests = readOption(args, 'requests', 200);
  const given = args.find((arg) => arg.startsWith('--publications='))?.split('=')[1];
  const sizes = (given ?? '1000,1000000').split(',').map(Number);

  await withBenchEnvironment(unlimitedProfile(), async (environment) => {
    const network = await environment.startStandIn();
    const setup = await prepareChannels(environment, network, { channels: CHANNELS });
    const { ownerId } = setup.endpoints[0];
    const both = await setup.startGateway('api,worker');
    const { key } = await callApi(both, OPERATOR_KEY, 'POST', `/owners/${ownerId}/rotate-key`);
    await both.stop();
    const results = [];
    for (const size of sizes) {
      await fill(setup, size);
      const api = await setup.startGateway('api');
      const figures = {};
      for (const [name, ofCaller] of Object.entries({ owner: key, operator: OPERATOR_KEY }))
        figures[name] = await ask(api, environment.postmaster, ofCaller, requests);
      await api.stop();
      results.push(figures);
      console.log(`\n${size} publications, ${requests} requests of each kind, in ms:`);
      for (const [name, { p50, p95, most, cpu, shown }] of Object.entries(figures)) {
        const first = results[0][name];
        const [time, work] = [p50 / first.p50, cpu / first.cpu].map((ratio) => `${ratio.toFixed(2)} ×`);
        console.log(
          `  ${name.padEnd(9)} p50 ${ms(p50)}   p95 ${ms(p95)}   most ${ms(most)}   processor time ${ms(cpu)}   ` +
            `p50 ${time}, processor time ${work} of ${sizes[0]}   ${shown}`,
        );
      }
    }
  });
};

const ms = (value) => value.toFixed(1).padStart(6);

/** Fills the log up to `size` publications, and lets the projections process them. */
const fill = async ({ connectionString, endpoints }, size) => {
  const startedAt = performance.now();
  const report = (what) =>
    console.log(`${((performance.now() - startedAt) / 1_000).toFixed(0).padStart(5)} s  ${what}`);
  const addPosts = async (feed) => {
    let head = -1n;
    for (const [count, outcome] of MIXTURE) head = await feed.add(endpoints, count, outcome);
    return head;
  };
  const options = { posts: 100, read: FOLLOWERS, addPosts, spreadMs: SPREAD_MS };
  const filled = await fillStore(connectionString, endpoints, (size / 100) * EVENTS, options);
  report(`${filled.events} events are in the store, ${filled.size} with their indexes`);
  const { stop } = await runProjections(connectionString);
  const projections = await watchProjections(connectionString);
  await until(async () => (await projections.readPosition()) >= BigInt(filled.head));
  await projections.close();
  await stop();
  await describeTables(connectionString, report);
};

const describeTables = async (connectionString, report) => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query('analyze');
  const { rows } = await client.query(
    `select relname as name, reltuples::bigint as rows, pg_size_pretty(pg_total_relation_size(oid)) as size
     from pg_class where relnamespace = 'activity_v1'::regnamespace and relkind = 'r' order by relname`,
  );
  await client.end();
  report(`read models are up to date; ${rows.map(({ name, rows: n, size }) => `${name} ${n} (${size})`).join(', ')}`);
};

/** Asks for overviews, one at a time. Returns the time and CPU time of each, in ms, and the answers' figures. */
const ask = async (api, postmaster, key, requests) => {
  const times = [];
  let [from, shown] = [0, ''];
  const readCpu = () => readCpuTime(api.pid) + readCpuTimeOfTree(postmaster);
  for (let i = -WARM_UP; i < requests; i++) {
    if (i === 0) from = readCpu();
    const startedAt = performance.now();
    const { networks } = await callApi(api, key, 'GET', '/overview');
    if (i >= 0) times.push(performance.now() - startedAt);
    const [{ waiting, in_doubt, published_hour }] = networks;
    shown = `(${published_hour} published, ${waiting} wait, ${in_doubt} in doubt)`;
  }
  const [p50, p95, most] = [0.5, 0.95, 1].map((share) => quantile(times, share));
  return { p50, p95, most, cpu: (readCpu() - from) / requests / 1_000, shown };
};

const callApi = async ({ url }, key, method, path) => {
  const answer = await fetch(`${url}/manage/v1${path}`, { method, headers: { authorization: `Bearer ${key}` } });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
};
