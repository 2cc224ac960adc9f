/**
 * bench -- accept: accepting a post, beside a bare server that parses, hashes a token and does one INSERT. 1,000
 * endpoints, 256 keep-alive connections, alternating rounds; rate, latency, and the CPU time per request of Node and
 * PostgreSQL together. The gateway runs with the role `api`, as it would beside separate workers; what the workers
 * spend on each post afterwards is measured and shown by itself.
 */
import { fork } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import pino from 'pino';
import { startEmbeddedPostgres } from '../dist/postgres/embedded.js';
import { cpuOf, cpuOfTree, startNode } from './processes.js';
import { seed, unlimitedProfile } from './seed.js';

const here = (file) => fileURLToPath(new URL(file, import.meta.url));
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

export const run = async (args) => {
  const option = (name, fallback) =>
    Number(args.find((arg) => arg.startsWith(`--${name}=`))?.split('=')[1] ?? fallback);
  const rounds = option('rounds', 4);
  const seconds = option('seconds', 5);
  const dataDir = await mkdtemp(join(tmpdir(), 'crosspost-bench-'));
  const database = await startEmbeddedPostgres({ dataDir, logger: pino({ level: 'silent' }) });
  const postmaster = await postmasterOf(dataDir);
  const stops = [() => database.stop()];
  try {
    const profile = join(dataDir, 'unlimited.json');
    await writeFile(profile, JSON.stringify(unlimitedProfile()));
    const env = {
      DATABASE_URL: database.connectionString,
      SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
      OPERATOR_KEY: 'service_operator_bench',
      LIMITS_PROFILE: profile,
      PORT: '0',
      LOG_LEVEL: 'error',
      DEMO: 'off',
      TELEGRAM_API_URL: 'http://127.0.0.1:9',
    };
    const gateway = (roles) => startNode(here('../dist/main.js'), [], { ...env, ROLES: roles }, addressIn);

    console.log(`setting up ${ENDPOINTS} endpoints …`);
    const all = await gateway('all');
    const targets = await seed(all.value, env.OPERATOR_KEY, { endpoints: ENDPOINTS, channels: 50 });
    await all.stop();

    const api = await gateway('api');
    stops.push(() => api.stop());
    const tokens = JSON.stringify(targets.map(({ token }) => token));
    const baseline = await startNode(
      here('baseline-server.js'),
      [],
      { DATABASE_URL: database.connectionString, TOKENS: tokens },
      (line) => (line.startsWith('ready ') ? Number(line.slice(6)) : undefined),
    );
    stops.push(() => baseline.stop());
    const load = fork(here('load.js'));
    stops.push(async () => load.kill());

    const contestants = {
      baseline: { pid: baseline.pid, port: baseline.value, rounds: [] },
      crosspost: { pid: api.pid, port: Number(new URL(api.value).port), rounds: [] },
    };
    const measure = async ({ pid, port }, duration) => {
      const before = { node: cpuOf(pid), postgres: cpuOfTree(postmaster) };
      const shot = await ask(load, { port, connections: CONNECTIONS, seconds: duration, targets, body: BODY });
      const node = (cpuOf(pid) - before.node) / shot.answered;
      const postgres = (cpuOfTree(postmaster) - before.postgres) / shot.answered;
      if (Object.keys(shot.statuses).join() !== '200')
        throw new Error(`not all were 200: ${JSON.stringify(shot.statuses)}`);
      return { ...shot, rate: shot.answered / shot.seconds, node, postgres, cpu: node + postgres };
    };
    for (const contestant of Object.values(contestants)) await measure(contestant, 2); // warm up
    for (let round = 1; round <= rounds; round++) {
      for (const [name, contestant] of Object.entries(contestants)) {
        const result = await measure(contestant, seconds);
        contestant.rounds.push(result);
        console.log(`round ${round}/${rounds}  ${name.padEnd(9)}  ${line(result)}`);
      }
    }
    const [base, ours] = Object.values(contestants).map(({ rounds: all }) => median(all));
    console.log(`\nbaseline   ${line(base)}\ncrosspost  ${line(ours)}`);
    console.log(
      `ratio      rate ${(ours.rate / base.rate).toFixed(2)} ×   CPU per post ${(ours.cpu / base.cpu).toFixed(2)} ×   ` +
        `p50 ${(ours.p50 / base.p50).toFixed(2)} ×   p99 ${(ours.p99 / base.p99).toFixed(2)} ×   (medians of ${rounds} rounds)`,
    );
    await afterwards(gateway, database.connectionString, postmaster);
  } finally {
    for (const stop of stops.reverse()) await stop();
    await rm(dataDir, { recursive: true, force: true });
  }
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
  const worker = await gateway('worker');
  const startCpu = cpuOf(worker.pid);
  while (BigInt(await reached()) < head) await new Promise((resolve) => setTimeout(resolve, 200));
  const posts = Number(head - from);
  const cpu = (cpuOf(worker.pid) - startCpu + cpuOfTree(postmaster) - before.postgres) / posts;
  const rate = posts / ((performance.now() - before.at) / 1_000);
  console.log(`afterwards all read models together: ${cpu.toFixed(0)} µs CPU per post, ${rate.toFixed(0)} posts/s`);
  await worker.stop();
  await client.end();
};

const addressIn = (line) => /(http:\/\/\S+)/.exec(line)?.[1];

const postmasterOf = async (dataDir) => {
  const { readdir, readFile } = await import('node:fs/promises');
  for (const entry of await readdir(dataDir, { recursive: true })) {
    if (entry.endsWith('postmaster.pid')) return Number((await readFile(join(dataDir, entry), 'utf8')).split('\n')[0]);
  }
  throw new Error('no postmaster.pid');
};

const ask = (child, job) =>
  new Promise((resolve) => {
    child.once('message', resolve);
    child.send(job);
  });

const median = (rounds) => {
  const middle = (key) => rounds.map((round) => round[key]).sort((a, b) => a - b)[Math.floor(rounds.length / 2)];
  return Object.fromEntries(['rate', 'p50', 'p99', 'node', 'postgres', 'cpu'].map((key) => [key, middle(key)]));
};

const line = ({ rate, p50, p99, node, postgres, cpu }) =>
  `${rate.toFixed(0).padStart(6)} posts/s   p50 ${p50.toFixed(1).padStart(6)} ms   p99 ${p99.toFixed(1).padStart(6)} ms   ` +
  `CPU ${cpu.toFixed(0).padStart(4)} µs per post (Node ${node.toFixed(0)}, PostgreSQL ${postgres.toFixed(0)})`;
