/**
 * bench -- rebuild: how fast each projection is rebuilt during live traffic, compared with a raw read of the event
 * store in the same run, and how far the live version falls behind in the meantime. Events are counted for the whole
 * log, even if a projection skips most of them. Options: --events, --rate (posts a second that are accepted and
 * published in the meantime), --only=<projections, separated by commas>.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { OPERATOR_KEY, readOption, withBenchEnvironment } from './environment.js';
import { prepareChannels, quantile, until, watchProjections } from './publishing.js';
import { runProjections } from './run-projections.js';
import { POST_BODY, unlimitedProfile } from './seed.js';

const CHANNELS = readOption(process.argv, 'channels', 50);
const EVENTS_OF_A_POST = 3;
const PAGE = 500;
const LOOK_MS = 50;
/** How long all checkpoints must stand still before the sagas count as idle, in ms. */
const IDLE_MS = readOption(process.argv, 'idle', 5) * 1_000;

export const run = async (args) => {
  const events = readOption(args, 'events', 100_000);
  const rate = readOption(args, 'rate', 20);
  const only = args.find((arg) => arg.startsWith('--only='))?.split('=')[1];
  await withBenchEnvironment(unlimitedProfile(), async (environment) => {
    const network = await environment.startStandIn();
    const { connectionString, endpoints, feed, startGateway } = await prepareChannels(environment, network, {
      channels: CHANNELS,
    });
    await fillLog({ feed, endpoints, connectionString }, events);
    const gateway = await startGateway('api,worker');
    const client = new pg.Client({ connectionString });
    await client.connect();
    await untilIdle(client);
    const traffic = startTraffic(gateway, endpoints, rate);
    const { items } = await callApi(gateway, 'GET', '/projections');
    const chosen = items.filter(({ name }) => only === undefined || only.split(',').includes(name));
    const raw = [];
    const results = [];
    for (const { name } of chosen) {
      raw.push(await readRaw(feed.store));
      results.push({ name, ...(await rebuild(gateway, client, feed.store, name)) });
    }
    raw.push(await readRaw(feed.store));
    const base = medianOf(raw);
    console.log(`\n${events} events, ${rate} posts/s meanwhile (${await traffic.stop()} failed)`);
    console.log(`raw read of the event store: ${whole(base)} events/s (${raw.map(whole).join(', ')})`);
    for (const { name, perSecond, lag } of results.sort((a, b) => b.perSecond - a.perSecond))
      console.log(
        `  ${name.padEnd(20)} ${whole(perSecond)} events/s   ${(perSecond / base).toFixed(2)} × raw   ` +
          `lag of the live version: p50 ${quantile(lag, 0.5)}, most ${quantile(lag, 1)} events`,
      );
    const ratios = results.map(({ perSecond }) => perSecond / base);
    console.log(`median ${medianOf(ratios).toFixed(2)}, slowest ${Math.min(...ratios).toFixed(2)}`);
    await client.end();
    await gateway.stop();
  });
};

/** Returns the median: the middle number, or the mean of the middle two. */
const medianOf = (numbers) => {
  const sorted = numbers.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
};

const whole = (value) => value.toFixed(0).padStart(7);

/** Fills the log up to `size` events, and brings the read models up to date. */
const fillLog = async ({ feed, endpoints, connectionString }, size) => {
  const head = await feed.add(endpoints, Math.ceil(size / EVENTS_OF_A_POST), { isPublished: true });
  const { stop } = await runProjections(connectionString);
  const projections = await watchProjections(connectionString);
  await until(async () => (await projections.readPosition()) >= head);
  await projections.close();
  await stop();
};

/**
 * Waits until the sagas have followed the log, which was filled without them. They would otherwise compete for the
 * processors. The sagas have finished when no checkpoint has moved for a while.
 */
const untilIdle = async (client) => {
  let [at, since] = [null, performance.now()];
  await until(async () => {
    await sleep(LOOK_MS);
    const { rows } = await client.query('select sum(position) as at from ops_checkpoint');
    if (rows[0].at !== at) [at, since] = [rows[0].at, performance.now()];
    return performance.now() > since + IDLE_MS;
  });
};

/** Reads the log from its beginning in pages. Returns events per second. */
const readRaw = async (store) => {
  const startedAt = performance.now();
  let count = 0;
  for (let after = -1n; ;) {
    const events = await store.readAll({ after, limit: PAGE });
    count += events.length;
    if (events.length < PAGE) return (count / (performance.now() - startedAt)) * 1_000;
    after = events.at(-1).position;
  }
};

/** Rebuilds a projection until its candidate has caught up, and discards it. */
const rebuild = async (gateway, client, store, name) => {
  const head = Number(await store.readHead()) + 1;
  const startedAt = performance.now();
  const { id } = await callApi(gateway, 'POST', `/projections/${name}/rebuild`, { promote: 'manual' });
  const lag = [];
  for (;;) {
    const { rows } = await client.query(
      `select c.level, (select coalesce(max(position), -1) from ops_checkpoint l where l.version = p.live_version and l.name = p.name) as live
       from ops_projection p join ops_checkpoint c on c.name = p.name and c.version = p.candidate_version where p.name = $1`,
      [name],
    );
    lag.push(Math.max(0, Number(await store.readHead()) - Number(rows[0].live)));
    if (rows[0].level) break;
    await sleep(LOOK_MS);
  }
  const perSecond = (head / (performance.now() - startedAt)) * 1_000;
  await until(async () => (await callApi(gateway, 'GET', `/jobs/${id}`)).state === 'done');
  await callApi(gateway, 'POST', `/projections/${name}/discard`);
  return { perSecond, lag };
};

/** Sends posts at a steady rate. */
const startTraffic = ({ url }, endpoints, rate) => {
  let isOver = false;
  let failed = 0;
  const open = new Set();
  const send = async ({ path, token }) => {
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
    const answer = await fetch(url + path, { method: 'POST', headers, body: POST_BODY });
    await answer.text();
    if (!answer.ok) failed++;
  };
  const running = (async () => {
    for (let n = 0, at = performance.now(); !isOver; n++, at += 1_000 / rate) {
      const sent = send(endpoints[n % endpoints.length])
        .catch(() => failed++)
        .finally(() => open.delete(sent));
      open.add(sent);
      await sleep(Math.max(0, at - performance.now()));
    }
    await Promise.all(open);
  })();
  return {
    stop: async () => {
      isOver = true;
      await running;
      return failed;
    },
  };
};

const callApi = async ({ url }, method, path, body = method === 'GET' ? undefined : {}) => {
  const answer = await fetch(`${url}/manage/v1${path}`, {
    method,
    headers: { authorization: `Bearer ${OPERATOR_KEY}`, ...(body && { 'content-type': 'application/json' }) },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return JSON.parse(text);
};
