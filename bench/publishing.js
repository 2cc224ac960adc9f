/** What the benches of publishing share: a stand-in, 1,000 channels, posts that lie ready, and what came of them. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { openFeed } from './feed.js';
import { cpuOf, cpuOfTree } from './processes.js';
import { botTokenOf, seed } from './seed.js';
import { OPERATOR_KEY } from './stage.js';

export const CHANNELS = 1_000;
const POLL_MS = 20;

/** Sets the channels up, each with an endpoint of its own, in a database that is made by it (or the stage's own). */
export const prepare = async (stage, network, databaseName) => {
  const connectionString = await databaseOf(stage, databaseName);
  const settings = {
    DATABASE_URL: connectionString,
    LOG_LEVEL: 'error',
    PACING: 'off',
    TELEGRAM_API_URL: network.url,
  };
  const both = await stage.gateway({ ...settings, ROLES: 'api,worker' });
  const endpoints = await seed(both.url, OPERATOR_KEY, { endpoints: CHANNELS, channels: CHANNELS });
  await both.stop();
  const feed = openFeed(connectionString);
  stage.onEnd(() => feed.close());
  return {
    connectionString,
    endpoints,
    feed,
    gateway: (roles) => stage.gateway({ ...settings, ROLES: roles }),
  };
};

const databaseOf = async ({ connectionString }, name) => {
  if (name === undefined) return connectionString;
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(connectionString);
  url.pathname = `/${name}`;
  return url.href;
};

/** How many messages the stand-in has accepted. */
export const accepted = async ({ url }) => {
  const answer = await fetch(`${url}/_control/ledger?after=${Number.MAX_SAFE_INTEGER}`);
  return (await answer.json()).last;
};

/** Messages that a stand-in has accepted since; read in pages. */
export const messagesAfter = async ({ url }, after) => {
  const all = [];
  for (let last = after; ;) {
    const { items } = await (await fetch(`${url}/_control/ledger?after=${last}&limit=5000`)).json();
    if (items.length === 0) return all;
    all.push(...items);
    last = items.at(-1).seq;
  }
};

/** When a post of timed-posts.js was due, ms: its text says so. */
export const dueAtOf = (text) => Number(/Due at ([\d.]+)$/.exec(text)[1]);

/** The latest calls of the publisher, for others to repeat: `{ path, message }`. */
export const callsOf = async ({ url }) => {
  const { items } = await (await fetch(`${url}/_control/calls`)).json();
  return items.map(({ method, request: message }) => ({
    path: `/bot${botTokenOf(message.chat_id)}/${method}`,
    message,
  }));
};

/** Tells, until it is closed, how far every read model has come. */
export const watchProjections = async (connectionString) => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const text = `select min(c.position) as at from ops_checkpoint c
                join ops_projection p on p.name = c.name and p.live_version = c.version`;
  return {
    reached: async () => BigInt((await client.query(text)).rows[0].at),
    close: () => client.end(),
  };
};

/** Waits for something, looking again and again. */
export const until = async (isSo) => {
  while (!(await isSo())) await sleep(POLL_MS);
};

/** Starts measuring publications: `stop()` answers their rate and CPU time each (µs), of `worker`, PostgreSQL, stand-in. */
export const measure = async (worker, postmaster, network) => {
  const now = async () => ({
    done: await accepted(network),
    worker: cpuOf(worker.pid),
    postgres: cpuOfTree(postmaster),
    network: cpuOf(network.pid),
    at: performance.now(),
  });
  const from = await now();
  return {
    stop: async () => {
      const to = await now();
      const done = to.done - from.done;
      const each = (key) => (to[key] - from[key]) / done;
      const rate = done / ((to.at - from.at) / 1_000);
      return { rate, worker: each('worker'), postgres: each('postgres'), network: each('network') };
    },
  };
};

export const median = (rounds) => {
  const middle = (key) => rounds.map((round) => round[key]).sort((a, b) => a - b)[Math.floor(rounds.length / 2)];
  return Object.fromEntries(Object.keys(rounds[0]).map((key) => [key, middle(key)]));
};

/** A quantile of numbers, which are sorted by it. */
export const quantile = (numbers, q) => {
  numbers.sort((a, b) => a - b);
  return numbers[Math.min(numbers.length - 1, Math.floor(numbers.length * q))];
};

export const line = ({ rate, worker, postgres, network }) =>
  `${whole(rate)} publications/s   CPU each: ours ${whole(worker + postgres)} µs (worker ${whole(worker)}, ` +
  `PostgreSQL ${whole(postgres)}), stand-in ${whole(network)} µs`;
export const whole = (value) => value.toFixed(0).padStart(5);
