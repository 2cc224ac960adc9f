/**
 * bench -- release: 1,000,000 posts of one owner (`--posts`) are planned for one moment, and single posts of another
 * owner for the same moment and every five seconds after it. Measures how late the single posts are released and
 * published, and meanwhile the longest delays of the process's event loop and of `/healthz`, and its memory, compared
 * with the time before. One process has all roles. Options: --lead (seconds between the beginning and the moment, long
 * enough to plan the posts and to show them in the read models), --seconds (measured after the moment), --channels.
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { OPERATOR_KEY, readOption, withBenchEnvironment } from './environment.js';
import { openFeed } from './feed.js';
import { readMemory } from './processes.js';
import { parseDueTime, quantile, readMessagesAfter, until, watchProjections } from './publishing.js';
import { seed, unlimitedProfile } from './seed.js';

const MIB = 1_048_576;
const SINGLE_EVERY_MS = 5_000;
const SAMPLE_MS = 100;
/** Measured before the moment, in ms. */
const CALM_MS = 10_000;
/** Maximum lag of the sagas before the moment, in positions. */
const IDLE_LAG = 100n;

export const run = async (args) => {
  const posts = readOption(args, 'posts', 1_000_000);
  const seconds = readOption(args, 'seconds', 60);
  const channels = readOption(args, 'channels', 1_000);
  const lead = readOption(args, 'lead', 30 + posts / 2_500);

  await withBenchEnvironment(unlimitedProfile(), async (environment) => {
    const network = await environment.startStandIn();
    const loopDelays = environment.file('loop-delays');
    const gateway = await environment.startGateway(
      { LOG_LEVEL: 'error', PACING: 'off', TELEGRAM_API_URL: network.url, LOOP_DELAY_FILE: loopDelays },
      'inherit',
      ['--import', fileURLToPath(new URL('loop-delay.js', import.meta.url))],
    );
    const many = await seed(gateway.url, OPERATOR_KEY, { endpoints: channels, channels });
    const [single] = await seed(gateway.url, OPERATOR_KEY, { endpoints: 1 });
    const feed = openFeed(environment.connectionString);
    environment.onEnd(() => feed.close());

    const startedAt = Date.now();
    const dueAt = Math.ceil((startedAt + lead * 1_000) / 1_000) * 1_000;
    const report = (what) => console.log(`${((Date.now() - startedAt) / 1_000).toFixed(0).padStart(4)} s  ${what}`);
    const onProgress = (count) => count % 100_000 === 0 && report(`${count} of ${posts} planned`);
    const planned = await feed.add(many, posts, { dueAt: () => dueAt, onProgress });
    report(`${posts} planned`);
    await untilRead(environment.connectionString, planned);
    report('read models and sagas have caught up');
    const first = Math.max(dueAt, Date.now() + CALM_MS);
    if (first > dueAt)
      console.log('the moment has passed: the single posts are planned for later (use a longer --lead)');
    const times = Array.from(
      { length: Math.ceil((seconds * 1_000) / SINGLE_EVERY_MS) },
      (_, i) => first + i * SINGLE_EVERY_MS,
    );
    for (const at of times) await plan(gateway.url, single, at);
    const releases = followReleases(feed.store, await feed.store.readHead(), single.endpointId);
    await sleep(Math.max(0, first - CALM_MS - Date.now()));

    const samples = startSampling(gateway);
    const end = first + seconds * 1_000;
    await sleep(end - Date.now());
    await until(() => releases.delays.length >= times.length || Date.now() > end + 60_000);
    const releasedMeanwhile = releases.others;
    await samples.stop();
    const ownText = /^A single post/;
    const readOwn = async () => (await readMessagesAfter(network, 0)).filter(({ text }) => ownText.test(text ?? ''));
    let messages = [];
    await until(async () => (messages = await readOwn()).length >= times.length || Date.now() > end + 120_000);
    await releases.stop();

    const lines = (await readFile(loopDelays, 'utf8'))
      .trim()
      .split('\n')
      .map((line) => line.split(' ').map(Number));
    const loop = lines.map(([at, value]) => ({ at, loop: value }));
    const part = (all, key, from, to) => all.filter(({ at }) => at >= from && at < to).map((each) => each[key]);
    const describe = (all, key) => {
      const [calm, busy] = [part(all, key, first - CALM_MS, first), part(all, key, first, end)];
      return `calm p99 ${ms(quantile(calm, 0.99))}, then p50 ${ms(quantile(busy, 0.5))}, p99 ${ms(quantile(busy, 0.99))}, longest ${ms(quantile(busy, 1))}`;
    };
    const released = releases.delays;
    const published = messages.map(({ at, text }) => Date.parse(at) - parseDueTime(text));
    console.log(`\n${posts} posts for one moment, ${releasedMeanwhile} of them released in ${seconds} s`);
    console.log(`single posts   released ${late(released, times.length)}   published ${late(published, times.length)}`);
    console.log(`first single   released after ${ms(released[0] ?? NaN)}`);
    console.log(`event loop     ${describe(loop, 'loop')}`);
    console.log(`/healthz       ${describe(samples.all, 'healthz')}`);
    const memory = (from, to) => quantile(part(samples.all, 'memory', from, to), 1);
    const before = memory(first - CALM_MS, first);
    const tenths = Array.from({ length: 10 }, (_, i) =>
      memory(first + (i * seconds * 1_000) / 10, first + ((i + 1) * seconds * 1_000) / 10),
    );
    console.log(`memory         ${[before, ...tenths].map((bytes) => (bytes / MIB).toFixed(0)).join(' → ')} MiB`);
    console.log(`ratio          memory at the end to that before ${(tenths.at(-1) / before).toFixed(2)} ×`);
  });
};

/** Waits until every read model has reached a position, and the sagas nearly the end of the log. */
const untilRead = async (connectionString, position) => {
  const projections = await watchProjections(connectionString);
  await until(async () => (await projections.readPosition()) >= position);
  await until(async () => (await projections.readSagaPosition()) >= position - IDLE_LAG);
  await projections.close();
};

const plan = async (url, { path, token }, at) => {
  const body = { text: `A single post. Due at ${at}`, publish_at: new Date(at).toISOString() };
  const answer = await fetch(url + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  if (answer.status !== 200) throw new Error(`a post was answered with ${answer.status}`);
};

/** Follows the releases: `delays` of the endpoint's posts until a reader of the log sees them, in ms; `others` counts the rest. */
const followReleases = (store, after, endpointId) => {
  const stopping = new AbortController();
  const seen = { delays: [], others: 0 };
  const reading = (async () => {
    const types = ['PostReleased'];
    for await (const { events } of store.subscribe({ after, types, signal: stopping.signal }))
      for (const { data } of events) {
        const now = Date.now();
        if (!data.includes(endpointId)) seen.others++;
        else seen.delays.push(now - JSON.parse(data).publishAt);
      }
  })();
  seen.stop = async () => {
    stopping.abort();
    await reading;
  };
  return seen;
};

/** Samples the process's memory, and how long `/healthz` takes, in ms. */
const startSampling = ({ url, pid }) => {
  let isRunning = true;
  const all = [];
  const sampling = (async () => {
    for (; isRunning; await sleep(SAMPLE_MS)) {
      const at = Date.now();
      await (await fetch(`${url}/healthz`)).text();
      all.push({ at, healthz: Date.now() - at, memory: readMemory(pid) });
    }
  })();
  return {
    all,
    stop: async () => {
      isRunning = false;
      await sampling;
    },
  };
};

const late = (delays, expected) =>
  delays.length < expected
    ? `only ${delays.length} of ${expected}`
    : `p50 ${ms(quantile([...delays], 0.5))}, latest ${ms(quantile([...delays], 1))}`;
const ms = (value) => `${value.toFixed(0)} ms`;
