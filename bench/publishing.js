/** Shared parts of the publishing benches: 1,000 channels, prepared posts and their results at a stand-in. */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { OPERATOR_KEY, readOption } from './environment.js';
import { openFeed } from './feed.js';
import { readCpuTime, readCpuTimeOfTree } from './processes.js';
import { botTokenOf, seed } from './seed.js';

export const CHANNELS = readOption(process.argv, 'channels', 1_000);
const POLL_MS = 20;

/**
 * Creates the channels, each with its own endpoint, in a new database (or in the environment's, if there is no name).
 * @param more `platforms`: see seed; `settings`: additional settings of the gateways
 */
export const prepareChannels = async (
  environment,
  network,
  { databaseName, channels = CHANNELS, platforms, settings: more } = {},
) => {
  const connectionString = await databaseOf(environment, databaseName);
  const settings = {
    DATABASE_URL: connectionString,
    LOG_LEVEL: 'error',
    PACING: 'off',
    TELEGRAM_API_URL: network.url,
    ...more,
  };
  const both = await environment.startGateway({ ...settings, ROLES: 'api,worker' });
  const endpoints = await seed(both.url, OPERATOR_KEY, { endpoints: channels, channels, platforms });
  await both.stop();
  const feed = openFeed(connectionString);
  environment.onEnd(() => feed.close());
  return {
    connectionString,
    endpoints,
    feed,
    startGateway: (roles) => environment.startGateway({ ...settings, ROLES: roles }),
  };
};

const databaseOf = (environment, name) =>
  name === undefined ? environment.connectionString : createDatabase(environment, name);

/** Creates a database on the environment's server. Returns its connection string. */
export const createDatabase = async ({ connectionString }, name) => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(`create database ${name}`);
  await client.end();
  const url = new URL(connectionString);
  url.pathname = `/${name}`;
  return url.href;
};

/** Returns the number of messages that the stand-in has accepted. */
export const countAccepted = async ({ url }) => {
  const answer = await fetch(`${url}/_control/ledger?after=${Number.MAX_SAFE_INTEGER}`);
  return (await answer.json()).last;
};

/** Returns the messages that a stand-in has accepted after a sequence number. Reads them in pages. */
export const readMessagesAfter = async ({ url }, after) => {
  const all = [];
  for (let last = after; ;) {
    const { items } = await (await fetch(`${url}/_control/ledger?after=${last}&limit=5000`)).json();
    if (items.length === 0) return all;
    all.push(...items);
    last = items.at(-1).seq;
  }
};

/** Returns the due time of a post of timed-posts.js, in ms, from its text. */
export const parseDueTime = (text) => Number(/Due at ([\d.]+)$/.exec(text)[1]);

/** Returns the latest messages of the publisher as `{ path, message }`, so that they can be sent again. */
export const readCalls = async ({ url }) => {
  const { items } = await (await fetch(`${url}/_control/calls?method=sendMessage`)).json();
  return items.map(({ method, request: message }) => ({
    path: `/bot${botTokenOf(message.chat_id)}/${method}`,
    message,
  }));
};

/** Reads the position that every read model has reached, and that of the sagas, until it is closed. */
export const watchProjections = async (connectionString) => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  const text = `select min(c.position) as at from ops_checkpoint c
                join ops_projection p on p.name = c.name and p.live_version = c.version`;
  return {
    readPosition: async () => BigInt((await client.query(text)).rows[0].at),
    readSagaPosition: async () => {
      const sagas = "select min(position) as at from ops_checkpoint where name like 'saga/%'";
      return BigInt((await client.query(sagas)).rows[0].at);
    },
    close: () => client.end(),
  };
};

/** Polls until a condition holds. */
export const until = async (condition) => {
  while (!(await condition())) await sleep(POLL_MS);
};

/**
 * Starts measuring publications. `stop()` returns their rate, and the CPU time per publication of the worker,
 * PostgreSQL and the stand-in, in µs.
 */
export const startMeasuring = async (worker, postmaster, network) => {
  const now = async () => ({
    published: await countAccepted(network),
    worker: readCpuTime(worker.pid),
    postgres: readCpuTimeOfTree(postmaster),
    network: readCpuTime(network.pid),
    at: performance.now(),
  });
  const from = await now();
  return {
    stop: async () => {
      const to = await now();
      const published = to.published - from.published;
      const each = (key) => (to[key] - from[key]) / published;
      const rate = published / ((to.at - from.at) / 1_000);
      return { rate, worker: each('worker'), postgres: each('postgres'), network: each('network') };
    },
  };
};

export const median = (rounds) => {
  const middle = (key) => rounds.map((round) => round[key]).sort((a, b) => a - b)[Math.floor(rounds.length / 2)];
  return Object.fromEntries(Object.keys(rounds[0]).map((key) => [key, middle(key)]));
};

/** Returns a quantile of numbers. Sorts them in place. */
export const quantile = (numbers, q) => {
  numbers.sort((a, b) => a - b);
  return numbers[Math.min(numbers.length - 1, Math.floor(numbers.length * q))];
};

export const line = ({ rate, worker, postgres, network }) =>
  `${whole(rate)} publications/s   CPU each: ours ${whole(worker + postgres)} µs (worker ${whole(worker)}, ` +
  `PostgreSQL ${whole(postgres)}), stand-in ${whole(network)} µs`;
export const whole = (value) => value.toFixed(0).padStart(5);
