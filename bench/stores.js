/**
 * bench -- stores: compares the gateway with its events in KurrentDB, or EventStoreDB, with a bare client of the same
 * server and with the gateway on PostgreSQL. `KURRENTDB_URL` names the server, which must be empty.
 *
 * First it measures the catch-up of every read model, compared with a bare subscription to the same events; then
 * accepting posts, at 1, 64 and 256 connections, with and without an idempotency key, compared with a client that
 * appends one event of the same content per request. All in alternating rounds. The gateways have no limits
 * (`--limits`: all of them); they run with the role `api`.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { BACKWARDS, END, excludeSystemEvents, KurrentDBClient } from '@kurrent/kurrentdb-client';
import pg from 'pg';
import { OPERATOR_KEY, readOption, withBenchEnvironment } from './environment.js';
import { playRounds, ratioOf } from './rounds.js';
import { runProjections } from './run-projections.js';
import { limitedProfile, POST_BODY, seed, unlimitedProfile } from './seed.js';

const ENDPOINTS = 1_000;
const CONNECTIONS = [1, 64, 256];
const LOAD_CONNECTIONS = 64;
const LOAD_S = 5;
const WARM_UP_S = 5;
const POLL_MS = 10;

export const run = async (args) => {
  const url = process.env.KURRENTDB_URL;
  if (!url)
    throw new Error('set KURRENTDB_URL to an empty KurrentDB or EventStoreDB: kurrentdb://127.0.0.1:2113?tls=false');
  const options = {
    rounds: readOption(args, 'rounds', 8),
    seconds: readOption(args, 'seconds', 2),
    posts: readOption(args, 'posts', 40_000),
    catchUps: readOption(args, 'catch-ups', 5),
    isLimited: args.includes('--limits'),
  };
  const client = KurrentDBClient.connectionString(url);
  if (await readLastEvent(client)) throw new Error(`${url} is not empty: start a new server`);
  await withBenchEnvironment(options.isLimited ? limitedProfile() : unlimitedProfile(), async (environment) => {
    const stores = {
      kurrentdb: await prepareStore(environment, client, 'kurrentdb', { EVENT_STORE_URL: url }, options),
      postgresql: await prepareStore(environment, client, 'postgresql', {}, options),
    };
    await compareCatchUp(environment, client, stores, options);
    await compareAccept(environment, client, stores, url, options);
  });
  await client.dispose();
};

/**
 * Creates a database with endpoints whose read models have caught up, and accepts posts that no read model has seen.
 */
const prepareStore = async (environment, client, name, settings, { posts }) => {
  console.log(`${name}: setting up ${ENDPOINTS} endpoints and ${posts} posts …`);
  const database = `on_${name}`;
  const connectionString = await createDatabase(environment, database);
  const start = (roles) =>
    environment.startGateway({ ...settings, DATABASE_URL: connectionString, LOG_LEVEL: 'error', ROLES: roles });
  const all = await start('all');
  const targets = await seed(all.url, OPERATOR_KEY, { endpoints: ENDPOINTS, channels: 50 });
  await all.stop();
  const seededTo = await readLastEvent(client);
  const api = await start('api');
  const generateLoad = environment.startGenerator('load.js');
  let accepted = 0;
  while (accepted < posts) {
    const job = { port: api.port, connections: LOAD_CONNECTIONS, seconds: LOAD_S, targets, body: POST_BODY };
    accepted += requireAccepted(await generateLoad(job)).answered;
  }
  await api.stop(); // a database with connections cannot be copied
  return { database, settings, targets, start, generateLoad, accepted, seededTo };
};

/**
 * Compares the catch-up of every read model with a subscription that only counts. Each round begins with the same read
 * models.
 */
const compareCatchUp = async (environment, client, { kurrentdb, postgresql }, { catchUps }) => {
  let copies = 0;
  const catchUp =
    ({ database, settings, accepted }) =>
    async () => {
      const connectionString = await createDatabase(environment, `copy_${++copies}`, database);
      const projections = await runProjections(connectionString, settings);
      const startedAt = performance.now();
      await waitUntilLevel(projections);
      const seconds = (performance.now() - startedAt) / 1_000;
      await projections.stop();
      return { rate: accepted / seconds };
    };
  const contestants = {
    subscription: () => subscribe(client, kurrentdb),
    kurrentdb: catchUp(kurrentdb),
    postgresql: catchUp(postgresql),
  };
  const formatLine = (name, { rate }) => `${name.padEnd(14)}  ${rate.toFixed(0).padStart(6)} events/s`;
  const results = await playRounds(contestants, catchUps, formatLine);
  const { subscription, ...ours } = results;
  console.log(
    `\ncatch-up of every read model, median of ${catchUps} rounds' ratios (and their middle half): ` +
      `kurrentdb to a bare subscription ${ratioOf(ours.kurrentdb, subscription, 'rate')}   ` +
      `kurrentdb to postgresql ${ratioOf(ours.kurrentdb, ours.postgresql, 'rate')}\n`,
  );
};

/** Waits until every read model has reached the head of the log. */
const waitUntilLevel = async ({ names, pool, store }) => {
  const head = await store.readHead();
  const isLevel = async () => {
    const { rows } = await pool.query('select position from ops_checkpoint where name = any($1)', [names]);
    return rows.length >= names.length && rows.every(({ position }) => BigInt(position) >= head);
  };
  while (!(await isLevel())) await sleep(POLL_MS);
};

/** Reads all events after a position through a subscription that the server filters. */
const subscribe = async (client, { seededTo, accepted }) => {
  const startedAt = performance.now();
  const subscription = client.subscribeToAll({ fromPosition: seededTo.position, filter: excludeSystemEvents() });
  let count = 0;
  for await (const _event of subscription) if (++count >= accepted) break;
  return { rate: count / ((performance.now() - startedAt) / 1_000) };
};

/**
 * Compares accepting a post, at several numbers of connections, with a client that appends its event and does nothing
 * else.
 */
const compareAccept = async (environment, client, { kurrentdb, postgresql }, url, { rounds, seconds }) => {
  const { data, metadata } = await readLastEvent(client);
  const append = environment.startGenerator('bare-appends.js');
  const event = { type: 'BenchAppended', data, metadata };
  const gateways = { kurrentdb: await kurrentdb.start('api'), postgresql: await postgresql.start('api') };
  const post = async ({ targets, generateLoad }, { port }, job) =>
    requireAccepted(await generateLoad({ ...job, port, targets, body: POST_BODY }));
  const withRate = (result) => ({ ...result, rate: result.answered / result.seconds });
  for (const connections of CONNECTIONS) {
    const contestantsFor = (duration) => {
      const job = { connections, seconds: duration };
      const bare = async () => withRate(await append({ ...job, url, event }));
      const gateway = (store, running, isKeyed) => async () =>
        withRate(await post(store, running, { ...job, isKeyed }));
      return {
        'bare client': bare,
        kurrentdb: gateway(kurrentdb, gateways.kurrentdb, false),
        'kurrentdb key': gateway(kurrentdb, gateways.kurrentdb, true),
        postgresql: gateway(postgresql, gateways.postgresql, false),
        'postgresql key': gateway(postgresql, gateways.postgresql, true),
      };
    };
    for (const warmUp of Object.values(contestantsFor(WARM_UP_S))) await warmUp();
    console.log(`\n${connections} connections`);
    const results = await playRounds(contestantsFor(seconds), rounds, formatAccept);
    const ratio = (ours, base) => ratioOf(results[ours], results[base], 'rate');
    console.log(
      [
        `accept at ${connections} connections, median of ${rounds} rounds' ratios (and their middle half), rate:`,
        `kurrentdb to the bare client ${ratio('kurrentdb', 'bare client')}, with a key ${ratio('kurrentdb key', 'bare client')}`,
        `kurrentdb to postgresql ${ratio('kurrentdb', 'postgresql')}, with a key ${ratio('kurrentdb key', 'postgresql key')}`,
        `with a key to without: kurrentdb ${ratio('kurrentdb key', 'kurrentdb')}, postgresql ${ratio('postgresql key', 'postgresql')}`,
      ].join('\n  '),
    );
  }
};

const formatAccept = (name, { rate, p50, p99 }) =>
  `${name.padEnd(14)}  ${rate.toFixed(0).padStart(6)}/s   p50 ${p50.toFixed(1).padStart(6)} ms   p99 ${p99.toFixed(1).padStart(6)} ms`;

/** @throws Error if a post was not accepted */
const requireAccepted = (shot) => {
  if (Object.keys(shot.statuses).join() !== '200')
    throw new Error(`not all were 200: ${JSON.stringify(shot.statuses)}`);
  return shot;
};

/** Returns the newest event that is not the server's own; undefined if there is none. */
const readLastEvent = async (client) => {
  const events = client.readAll({ direction: BACKWARDS, fromPosition: END, maxCount: 1_000 });
  for await (const { event } of events)
    if (event && !/^\$/.test(event.type) && !/^\$/.test(event.streamId)) return event;
  return undefined;
};

/** Creates a database, empty or copied from a template. Returns its URL. */
const createDatabase = async ({ connectionString }, name, template = 'template1') => {
  const client = new pg.Client({ connectionString });
  await client.connect();
  await client.query(`create database ${name} template ${template}`);
  await client.end();
  const url = new URL(connectionString);
  url.pathname = `/${name}`;
  return url.href;
};
