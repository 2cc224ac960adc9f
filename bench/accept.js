/**
 * bench -- accept: accepting a post, beside a bare server that parses, hashes a token and does one INSERT. 1,000
 * endpoints, 256 keep-alive connections, alternating rounds; rate, latency, and the CPU time per request of Node and
 * PostgreSQL together; then the latency of both at one and the same load. Two gateways take their turn against it, one
 * after the other, for a second one that runs would follow the first one's log: one whose plans have no limits, so that
 * the limiter has nothing to count and is not asked, and one with everything on: burst, hourly quota and violations, far
 * above what the bench sends. Both look for replays and keep the log. They run with the role `api`, as they would beside
 * separate workers; what the workers spend on each post afterwards is measured and shown by itself.
 */
import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { cpuOf, cpuOfTree, startNode } from './processes.js';
import { seed, unlimitedProfile } from './seed.js';
import { onStage, OPERATOR_KEY, option } from './stage.js';

const ENDPOINTS = 1_000;
const CONNECTIONS = 256;
const BODY = JSON.stringify({
  text: 'Post $N of the bench: a text of usual length, with some words in bold and a link, as channels get it every day.',
  entities: [
    { type: 'bold', offset: 0, length: 4 },
    { type: 'text_link', offset: 9, length: 3, url: 'https://example.com/' },
  ],
  trace_id: 'bench',
});

/** Of the baseline's own rate: a load that both can bear. */
const SAME_LOAD = 0.75;

/** Before the first round: the compilers are not done with the path before, and servers run for longer than that. */
const WARM_UP_S = 10;

export const run = async (args) => {
  const rounds = option(args, 'rounds', 20);
  const seconds = option(args, 'seconds', 2);
  await onStage(unlimitedProfile(), async ({ gateway, generator, onEnd, postmaster, connectionString, file }) => {
    console.log(`setting up ${ENDPOINTS} endpoints …`);
    const all = await gateway({ LOG_LEVEL: 'error', ROLES: 'all' });
    const targets = await seed(all.url, OPERATOR_KEY, { endpoints: ENDPOINTS, channels: 50 });
    await all.stop();

    const baseline = await startBaseline(connectionString, targets);
    onEnd(baseline.stop);
    const limits = file('all-limits.json');
    await writeFile(limits, JSON.stringify(limitedProfile()));
    const shoot = generator('load.js');
    const measure = async ({ pid, port }, duration, rate) => {
      const before = { node: cpuOf(pid), postgres: cpuOfTree(postmaster) };
      const shot = await shoot({ port, connections: CONNECTIONS, seconds: duration, targets, body: BODY, rate });
      const node = (cpuOf(pid) - before.node) / shot.answered;
      const postgres = (cpuOfTree(postmaster) - before.postgres) / shot.answered;
      if (Object.keys(shot.statuses).join() !== '200')
        throw new Error(`not all were 200: ${JSON.stringify(shot.statuses)}`);
      return { ...shot, rate: shot.answered / shot.seconds, node, postgres, cpu: node + postgres };
    };
    const api = { LOG_LEVEL: 'error', ROLES: 'api' };
    for (const [name, more] of Object.entries({ 'no limits': {}, 'all limits': { LIMITS_PROFILE: limits } })) {
      const ours = await gateway({ ...api, ...more });
      await match({ baseline, [name]: ours }, measure, { rounds, seconds });
      await ours.stop();
    }
    await afterwards(gateway, connectionString, postmaster);
  });
};

/** The baseline and a gateway in alternating rounds: as fast as each can, then both at one and the same load. */
const match = async (contestants, measure, { rounds, seconds }) => {
  const [, name] = Object.keys(contestants);
  for (const contestant of Object.values(contestants)) await measure(contestant, WARM_UP_S);
  console.log('');
  const [base, ours] = await play(contestants, rounds, (contestant) => measure(contestant, seconds));
  const compared = (how, ratios) =>
    console.log(`${name} to baseline, median of ${rounds} rounds' ratios (and their middle half), ${how}: ${ratios}`);
  compared(
    'each as fast as it can',
    `rate ${times(ours, base, 'rate')}   CPU per post ${times(ours, base, 'cpu')}   p50 ${times(ours, base, 'p50')}   p99 ${times(ours, base, 'p99')}\n`,
  );
  // As fast as each can, the quicker one bears more: here both get as many posts a second.
  const rate = Math.round(quantile(base, 'rate', 0.5) * SAME_LOAD);
  const [baseThen, oursThen] = await play(contestants, rounds, (contestant) => measure(contestant, seconds, rate));
  compared(
    `each at ${rate} posts/s`,
    `CPU per post ${times(oursThen, baseThen, 'cpu')}   p99 ${times(oursThen, baseThen, 'p99')}`,
  );
};

/**
 * How two contestants compare: round by round, for the two of a round are neighbours in time. A shared machine's pace
 * changes by half within a minute, and medians of each alone would be of different paces.
 */
const times = (ours, base, key) => {
  const ratios = ours.map((round, i) => ({ ratio: round[key] / base[i][key] }));
  const [low, middle, high] = [0.25, 0.5, 0.75].map((at) => quantile(ratios, 'ratio', at).toFixed(2));
  return `${middle} × (${low}–${high})`;
};

/** The contestants' rounds, in their order; who begins a round ends the next. */
const play = async (contestants, rounds, measure) => {
  const results = Object.fromEntries(Object.keys(contestants).map((name) => [name, []]));
  for (let round = 1; round <= rounds; round++) {
    const order = Object.keys(contestants);
    if (round % 2 === 0) order.reverse();
    for (const name of order) {
      const result = await measure(contestants[name]);
      results[name].push(result);
      console.log(`round ${round}/${rounds}  ${line(name, result)}`);
    }
  }
  for (const [name, all] of Object.entries(results)) console.log(`median     ${line(name, median(all))}`);
  return Object.values(results);
};

const startBaseline = async (connectionString, targets) => {
  const script = fileURLToPath(new URL('baseline-server.js', import.meta.url));
  const settings = { DATABASE_URL: connectionString, TOKENS: JSON.stringify(targets.map(({ token }) => token)) };
  const portIn = (line) => (line.startsWith('ready ') ? Number(line.slice('ready '.length)) : undefined);
  const { pid, value: port, stop } = await startNode(script, [], settings, portIn);
  return { pid, port, stop };
};

/** Limits that all have to be counted, and that nobody meets. */
const limitedProfile = () => {
  const { plans, ...profile } = unlimitedProfile();
  const limited = { burst: { requests: 10_000, per_seconds: 1 }, hourly: 10_000_000 };
  return {
    ...profile,
    plans: Object.fromEntries(Object.entries(plans).map(([name, plan]) => [name, { ...plan, ...limited }])),
    replays_per_minute: 60,
    violations_to_disable: 5,
  };
};

/** What the read models cost for each post, once the workers get to them. */
const afterwards = async (gateway, connectionString, postmaster) => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const head = BigInt((await client.query('select position from event_store.head')).rows[0].position);
  const reached = async () =>
    (await client.query('select min(position) as at, max(position) as most from ops_checkpoint')).rows[0].at;
  const from = BigInt(await reached());
  const before = { postgres: cpuOfTree(postmaster), at: performance.now() };
  const worker = await gateway({ LOG_LEVEL: 'error', ROLES: 'worker' });
  const startCpu = cpuOf(worker.pid);
  while (BigInt(await reached()) < head) await new Promise((resolve) => setTimeout(resolve, 200));
  const posts = Number(head - from);
  const cpu = (cpuOf(worker.pid) - startCpu + cpuOfTree(postmaster) - before.postgres) / posts;
  const rate = posts / ((performance.now() - before.at) / 1_000);
  console.log(`afterwards all read models together: ${cpu.toFixed(0)} µs CPU per post, ${rate.toFixed(0)} posts/s`);
  await worker.stop();
  await client.end();
};

const median = (rounds) =>
  Object.fromEntries(['rate', 'p50', 'p99', 'node', 'postgres', 'cpu'].map((key) => [key, quantile(rounds, key, 0.5)]));

/** @param at from 0 to 1; between two values it is what lies between them */
const quantile = (rounds, key, at) => {
  const values = rounds.map((round) => round[key]).sort((a, b) => a - b);
  const place = (values.length - 1) * at;
  const [below, above] = [values[Math.floor(place)], values[Math.ceil(place)]];
  return below + (above - below) * (place - Math.floor(place));
};

const line = (name, { rate, p50, p99, node, postgres, cpu }) =>
  `${name.padEnd(10)}  ${rate.toFixed(0).padStart(6)} posts/s   p50 ${p50.toFixed(1).padStart(6)} ms   p99 ${p99.toFixed(1).padStart(6)} ms   ` +
  `CPU ${cpu.toFixed(0).padStart(4)} µs per post (Node ${node.toFixed(0)}, PostgreSQL ${postgres.toFixed(0)})`;
