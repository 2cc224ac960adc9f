/**
 * bench -- accept: compares accepting a post with a minimal server that parses the body, hashes a token and does one
 * INSERT.
 *
 * 1,000 endpoints, 256 keep-alive connections, alternating rounds. Shows rate, latency, and the CPU time per request of
 * Node and PostgreSQL together, then compares both sides at the same load. Two gateways are compared with the baseline:
 * one whose plans have no limits, so that its limiter is never called, and one with all limits (burst, hourly quota and
 * violations), set far above the load of the bench. They run one after the other, because a second running gateway
 * would follow the log of the first. Both detect replays and keep the request log. They run with the role `api`, like
 * gateways with separate workers. The workers' cost per post is measured and shown separately at the end.
 *
 * With --events=<number> it compares two gateways instead: one with that many events in its store, one with an empty
 * store.
 */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { OPERATOR_KEY, readOption, withBenchEnvironment } from './environment.js';
import { fillStore } from './long-log.js';
import { readCpuTime, readCpuTimeOfTree, startNode } from './processes.js';
import { createDatabase } from './publishing.js';
import { playRounds, quantile, ratioOf } from './rounds.js';
import { limitedProfile, POST_BODY, seed, unlimitedProfile } from './seed.js';

const ENDPOINTS = readOption(process.argv, 'endpoints', 1_000);
const CONNECTIONS = readOption(process.argv, 'connections', 256);
/** The load for both sides, as a share of the baseline's highest rate. */
const SAME_LOAD = 0.75;

/**
 * Warm-up before the first round, in s: long enough for the JIT compiler to optimise the code, as in a long-running
 * server.
 */
const WARM_UP_S = readOption(process.argv, 'warm-up', 10);

export const run = async (args) => {
  const rounds = readOption(args, 'rounds', 20);
  const seconds = readOption(args, 'seconds', 2);
  const events = readOption(args, 'events', 0);
  await withBenchEnvironment(unlimitedProfile(), async (environment) => {
    const { startGateway, startGenerator, onEnd, postmaster, connectionString, file } = environment;
    const generateLoad = startGenerator('load.js');
    const measureWith = (targets) => createMeasure(generateLoad, postmaster, targets);
    if (events > 0) return compareLongLog(environment, measureWith, { events, rounds, seconds });
    const targets = await seedGateway(startGateway, {});
    const measure = measureWith(targets);

    const baseline = await startBaseline(connectionString, targets);
    onEnd(baseline.stop);
    const limits = file('all-limits.json');
    await writeFile(limits, JSON.stringify(limitedProfile()));
    const api = { LOG_LEVEL: 'error', ROLES: 'api' };
    for (const [name, more] of Object.entries({ 'no limits': {}, 'all limits': { LIMITS_PROFILE: limits } })) {
      const ours = await startGateway({ ...api, ...more });
      await compare({ baseline, [name]: ours }, measure, { rounds, seconds });
      await ours.stop();
    }
    await measureReadModels(startGateway, connectionString, postmaster);
  });
};

/** Creates the endpoints through a gateway with these settings. */
const seedGateway = async (startGateway, settings) => {
  console.log(`setting up ${ENDPOINTS} endpoints …`);
  const all = await startGateway({ LOG_LEVEL: 'error', ROLES: 'all', ...settings });
  const targets = await seed(all.url, OPERATOR_KEY, { endpoints: ENDPOINTS, channels: Math.min(50, ENDPOINTS) });
  await all.stop();
  return targets;
};

/** Returns a function that loads a server for some seconds and returns its figures. */
const createMeasure =
  (generateLoad, postmaster, targets) =>
  async ({ pid, port }, duration, rate) => {
    const before = { node: readCpuTime(pid), postgres: readCpuTimeOfTree(postmaster) };
    const job = { port, connections: CONNECTIONS, seconds: duration, targets, body: POST_BODY, rate };
    const shot = await generateLoad(job);
    const node = (readCpuTime(pid) - before.node) / shot.answered;
    const postgres = (readCpuTimeOfTree(postmaster) - before.postgres) / shot.answered;
    if (Object.keys(shot.statuses).join() !== '200')
      throw new Error(`not all were 200: ${JSON.stringify(shot.statuses)}`);
    return { ...shot, rate: shot.answered / shot.seconds, node, postgres, cpu: node + postgres };
  };

/** Compares gateways on two databases of one server, one with a long log and one with an empty log. */
const compareLongLog = async (environment, measureWith, { events, rounds, seconds }) => {
  const { startGateway, connectionString } = environment;
  const contestants = {};
  for (const name of ['empty', 'long']) {
    const DATABASE_URL = await createDatabase({ connectionString }, name);
    const targets = await seedGateway(startGateway, { DATABASE_URL });
    if (name === 'long') {
      const { events: count, size } = await fillStore(DATABASE_URL, targets, events);
      console.log(`${count} events, ${size} with their indexes`);
    }
    const gateway = await startGateway({ LOG_LEVEL: 'error', ROLES: 'api', DATABASE_URL });
    const measure = measureWith(targets);
    await measure(gateway, WARM_UP_S);
    contestants[name] = () => measure(gateway, seconds);
  }
  const { empty, long } = await playRounds(contestants, rounds, formatLine);
  console.log(
    `${events} events to an empty store, median of ${rounds} rounds' ratios (and their middle half): ` +
      `rate ${ratioOf(long, empty, 'rate')}   CPU per post ${ratioOf(long, empty, 'cpu')}   ` +
      `p50 ${ratioOf(long, empty, 'p50')}   p99 ${ratioOf(long, empty, 'p99')}`,
  );
};

/**
 * Compares the baseline and a gateway in alternating rounds: first each at its highest rate, then both at the same
 * load.
 */
const compare = async (contestants, measure, { rounds, seconds }) => {
  const [, name] = Object.keys(contestants);
  for (const contestant of Object.values(contestants)) await measure(contestant, WARM_UP_S);
  console.log('');
  const play = async (atRate) => {
    const measuring = Object.entries(contestants).map(([each, on]) => [each, () => measure(on, seconds, atRate)]);
    return Object.values(await playRounds(Object.fromEntries(measuring), rounds, formatLine));
  };
  const [base, ours] = await play();
  const printRatios = (how, ratios) =>
    console.log(`${name} to baseline, median of ${rounds} rounds' ratios (and their middle half), ${how}: ${ratios}`);
  printRatios(
    'each at its highest rate',
    `rate ${ratioOf(ours, base, 'rate')}   CPU per post ${ratioOf(ours, base, 'cpu')}   p50 ${ratioOf(ours, base, 'p50')}   p99 ${ratioOf(ours, base, 'p99')}\n`,
  );
  // At its highest rate, the faster server carries more load. Here both receive the same number of posts per second.
  const rate = Math.round(quantile(base, 'rate', 0.5) * SAME_LOAD);
  const [baseThen, oursThen] = await play(rate);
  printRatios(
    `each at ${rate} posts/s`,
    `CPU per post ${ratioOf(oursThen, baseThen, 'cpu')}   p99 ${ratioOf(oursThen, baseThen, 'p99')}`,
  );
};

const startBaseline = async (connectionString, targets) => {
  const script = fileURLToPath(new URL('baseline-server.js', import.meta.url));
  const settings = { DATABASE_URL: connectionString, TOKENS: JSON.stringify(targets.map(({ token }) => token)) };
  const portIn = (line) => (line.startsWith('ready ') ? Number(line.slice('ready '.length)) : undefined);
  const { pid, value: port, stop } = await startNode(script, [], settings, portIn);
  return { pid, port, stop };
};

/** Measures what the read models cost per post while a worker processes the log. */
const measureReadModels = async (startGateway, connectionString, postmaster) => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const head = BigInt((await client.query('select event_store.head_position() as position')).rows[0].position);
  const readPosition = async () =>
    (await client.query('select min(position) as at, max(position) as most from ops_checkpoint')).rows[0].at;
  const from = BigInt(await readPosition());
  const before = { postgres: readCpuTimeOfTree(postmaster), at: performance.now() };
  const worker = await startGateway({ LOG_LEVEL: 'error', ROLES: 'worker' });
  const startCpu = readCpuTime(worker.pid);
  while (BigInt(await readPosition()) < head) await new Promise((resolve) => setTimeout(resolve, 200));
  const posts = Number(head - from);
  const cpu = (readCpuTime(worker.pid) - startCpu + readCpuTimeOfTree(postmaster) - before.postgres) / posts;
  const rate = posts / ((performance.now() - before.at) / 1_000);
  console.log(`all read models together: ${cpu.toFixed(0)} µs CPU per post, ${rate.toFixed(0)} posts/s`);
  await worker.stop();
  await client.end();
};

const formatLine = (name, { rate, p50, p99, node, postgres, cpu }) =>
  `${name.padEnd(10)}  ${rate.toFixed(0).padStart(6)} posts/s   p50 ${p50.toFixed(1).padStart(6)} ms   p99 ${p99.toFixed(1).padStart(6)} ms   ` +
  `CPU ${cpu.toFixed(0).padStart(4)} µs per post (Node ${node.toFixed(0)}, PostgreSQL ${postgres.toFixed(0)})`;
