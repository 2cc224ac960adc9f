/**
 * bench -- publish: publications a second over 1,000 channels against a stand-in, beside a bare loop of POSTs over kept
 * alive connections: the same calls, at the same stand-in, as many at a time, each from a process of its own, in
 * alternating rounds. The posts lie ready in the schedule before a round is measured. CPU time of each publication is
 * shown for the worker and for PostgreSQL; the stand-in's own is the same for both sides.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openFeed } from './feed.js';
import { cpuOf, cpuOfTree, memoryOf } from './processes.js';
import { botTokenOf, seed, unlimitedProfile } from './seed.js';
import { onStage, OPERATOR_KEY, option } from './stage.js';

const CHANNELS = 1_000;
/** As many channels as one worker publishes on at a time. */
const CONNECTIONS = 512;
/** The last ones of a round are left out: they come from ever fewer channels. */
const MEASURED = 0.9;
const POLL_MS = 20;

export const run = async (args) => {
  const rounds = option(args, 'rounds', 4);
  const posts = option(args, 'posts', 20_000);
  const seconds = option(args, 'seconds', 5);

  await onStage(unlimitedProfile(), async ({ gateway, standIn, generator, postmaster, connectionString, onEnd }) => {
    const network = await standIn();
    const settings = { LOG_LEVEL: 'error', PACING: 'off', TELEGRAM_API_URL: network.url };
    const api = await gateway({ ...settings, ROLES: 'api,worker' });
    const endpoints = await seed(api.url, OPERATOR_KEY, { endpoints: CHANNELS, channels: CHANNELS });
    await api.stop();
    const worker = await gateway({ ...settings, ROLES: 'worker' });
    const feed = openFeed(connectionString);
    onEnd(() => feed.close());
    const database = new pg.Client({ connectionString });
    await database.connect();
    onEnd(() => database.end());
    const post = generator('post-loop.js');

    const cpu = () => ({
      worker: cpuOf(worker.pid),
      postgres: cpuOfTree(postmaster),
      network: cpuOf(network.pid),
      at: performance.now(),
    });
    const publish = async () => {
      const before = await accepted(network);
      const head = await feed.add(endpoints, posts);
      await until(async () => (await projected(database)) >= head);
      const [start, from] = [await accepted(network), cpu()];
      const end = before + posts - Math.ceil((before + posts - start) * (1 - MEASURED));
      let now = start;
      await until(async () => (now = await accepted(network)) >= end);
      const to = cpu();
      await until(async () => (await accepted(network)) >= before + posts);
      const each = (key) => (to[key] - from[key]) / (now - start);
      const figures = { rate: (now - start) / ((to.at - from.at) / 1_000), measured: now - start };
      return { ...figures, worker: each('worker'), postgres: each('postgres'), network: each('network') };
    };
    const loop = async (duration) => {
      const calls = await callsOf(network);
      const before = cpuOf(network.pid);
      const { answered } = await post({ url: network.url, calls, connections: CONNECTIONS, seconds: duration });
      return { rate: answered / duration, network: (cpuOf(network.pid) - before) / answered };
    };

    await publish();
    await loop(2);
    const results = { ours: [], bare: [] };
    for (let round = 1; round <= rounds; round++) {
      results.bare.push(await loop(seconds));
      results.ours.push(await publish());
      console.log(`round ${round}/${rounds}  bare loop  ${bareLine(results.bare.at(-1))}`);
      console.log(`           crosspost  ${ourLine(results.ours.at(-1))}`);
    }
    const [bare, ours] = [median(results.bare), median(results.ours)];
    console.log(`\nmedians of ${rounds} rounds, ${CHANNELS} channels, ${CONNECTIONS} at a time`);
    console.log(`bare loop  ${bareLine(bare)}`);
    console.log(`crosspost  ${ourLine(ours)}   worker ${(memoryOf(worker.pid) / 1_048_576).toFixed(0)} MiB`);
    console.log(`ratio      publications to bare POSTs ${(ours.rate / bare.rate).toFixed(2)} ×`);
  });
};

/** How many messages the stand-in has accepted. */
const accepted = async ({ url }) =>
  (await (await fetch(`${url}/_control/ledger?after=${Number.MAX_SAFE_INTEGER}`)).json()).last;

/** The latest calls of the publisher, for the loop to repeat. */
const callsOf = async ({ url }) => {
  const { items } = await (await fetch(`${url}/_control/calls`)).json();
  return items.map(({ method, request: message }) => ({
    path: `/bot${botTokenOf(message.chat_id)}/${method}`,
    message,
  }));
};

/** How far every read model has come. */
const projected = async (database) => {
  const { rows } = await database.query(
    'select min(c.position) as at from ops_checkpoint c join ops_projection p on p.name = c.name and p.live_version = c.version',
  );
  return BigInt(rows[0].at);
};

const until = async (reached) => {
  while (!(await reached())) await sleep(POLL_MS);
};

const median = (rounds) => {
  const middle = (key) => rounds.map((round) => round[key]).sort((a, b) => a - b)[Math.floor(rounds.length / 2)];
  return Object.fromEntries(Object.keys(rounds[0]).map((key) => [key, middle(key)]));
};

const bareLine = ({ rate, network }) => `${whole(rate)} POSTs/s          stand-in ${whole(network)} µs CPU each`;
const ourLine = ({ rate, worker, postgres, network }) =>
  `${whole(rate)} publications/s   stand-in ${whole(network)} µs CPU each   ours ${whole(worker + postgres)} µs ` +
  `(worker ${whole(worker)}, PostgreSQL ${whole(postgres)})`;
const whole = (value) => value.toFixed(0).padStart(5);
