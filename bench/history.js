/**
 * bench -- history: how long auditors' questions take on a log of 10,000 and of 1,000,000 events, and of 10,000,000
 * with --full: the state of an aggregate or of all of an owner's data at a given time, pages of the audit trail, the
 * ticks of a time slider, the trace of a post, and the proof of an event. Compares the times on the large logs with
 * those on the small one, in the same run. The events are copies of published posts. Before the questions, a worker
 * brings the transparency log and the read models that they need up to date. Options: --events=<sizes, separated by
 * commas>, --questions (of each kind), --full.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { LOG_CHECKPOINT } from '../dist/history/transparency-log/log-tables.js';
import { OPERATOR_KEY, readOption, withBenchEnvironment } from './environment.js';
import { fillStore } from './long-log.js';
import { prepareChannels, quantile, watchProjections } from './publishing.js';
import { unlimitedProfile } from './seed.js';

const CHANNELS = readOption(process.argv, 'channels', 50);
/** Number of pauses and resumptions of one channel, whose history is the longest in the log. */
const PAUSES = readOption(process.argv, 'pauses', 500);
/** Number of published posts, each on its own channel, in the template that is copied. */
const COPIED_POSTS = CHANNELS - 1;
/**
 * Followers of the log that the questions need. The others skip the copies, because reading the largest log would take
 * hours.
 */
const FOLLOWERS = ['audit', 'discovery', 'posts', LOG_CHECKPOINT];
/** Time over which the copies are spread, in ms; the slider asks for parts of it. */
const SPREAD_MS = 30 * 24 * 3_600_000;
/** Seconds between two lines of progress. */
const REPORT_POLLS = 20;

export const run = async (args) => {
  const questions = readOption(args, 'questions', 100);
  const given = args.find((arg) => arg.startsWith('--events='))?.split('=')[1];
  const sizes = (given ?? `10000,1000000${args.includes('--full') ? ',10000000' : ''}`).split(',').map(Number);

  await withBenchEnvironment(unlimitedProfile(), async (environment) => {
    const network = await environment.startStandIn();
    const { connectionString, endpoints, feed, startGateway } = await prepareChannels(environment, network, {
      channels: CHANNELS,
    });
    const [quiet] = endpoints;
    const both = await startGateway('api,worker');
    for (let i = 0; i < PAUSES; i++) {
      const action = i % 2 === 0 ? 'pause' : 'resume';
      await callApi(both, 'POST', `/channels/${quiet.channelId}/${action}`, action === 'pause' ? { minutes: 60 } : {});
    }
    await both.stop();

    const results = [];
    for (const size of sizes) {
      await fillLog({ endpoints, connectionString, startGateway }, size);
      const api = await startGateway('api');
      const figures = await ask(api, { feed, quiet, endpoints, questions });
      await api.stop();
      results.push(figures);
      console.log(`\n${size} events, ${questions} questions of each kind, in ms:`);
      for (const [name, { p50, most }] of Object.entries(figures)) {
        const ratio = results.length === 1 ? '' : `   ${(p50 / results[0][name].p50).toFixed(2)} × of ${sizes[0]}`;
        console.log(`  ${name.padEnd(44)} p50 ${ms(p50)}   most ${ms(most)}${ratio}`);
      }
    }
  });
};

const ms = (value) => value.toFixed(1).padStart(8);

/** Fills the log up to `size` events, and lets a worker bring the read models and the transparency log up to date. */
const fillLog = async ({ endpoints, connectionString, startGateway }, size) => {
  const startedAt = performance.now();
  const report = (what) =>
    console.log(`${((performance.now() - startedAt) / 1_000).toFixed(0).padStart(5)} s  ${what}`);
  const filled = await fillStore(connectionString, endpoints.slice(1), size, {
    posts: COPIED_POSTS,
    read: FOLLOWERS,
    spreadMs: SPREAD_MS,
  });
  report(`${filled.events} events are in the store, ${filled.size} with their indexes`);
  const head = BigInt(filled.head);
  const gateway = await startGateway('api,worker');
  const projections = await watchProjections(connectionString);
  const from = await projections.readPosition();
  for (let polls = 0; ; polls++) {
    const at = await projections.readPosition();
    const leaves = Number((await callApi(gateway, 'GET', '/history/log/checkpoint')).split('\n')[1]);
    if (at >= head && leaves >= Number(filled.events)) break;
    if (polls % REPORT_POLLS === 0) {
      const share = Math.floor((Number(at - from) / Number(head - from)) * 100);
      report(`read models at ${share} %, ${leaves} leaves are in the transparency log`);
    }
    await sleep(1_000);
  }
  await projections.close();
  await gateway.stop();
  report('read models and transparency log are up to date');
};

/**
 * Asks every kind of question about randomly chosen data. Returns the median and the maximum time of each kind, in
 * ms.
 */
const ask = async (api, { feed, quiet, endpoints, questions }) => {
  const head = await feed.store.readHead();
  const sample = await Promise.all(
    Array.from({ length: questions }, async () => {
      const after = BigInt(Math.floor(Math.random() * Number(head - 10n)));
      const events = await feed.store.readAll({ after, types: ['PostAccepted'], limit: 1 });
      const [event] =
        events.length > 0 ? events : await feed.store.readAll({ after: -1n, types: ['PostAccepted'], limit: 1 });
      return { eventId: event.id, postId: JSON.parse(event.data).postId, at: new Date(JSON.parse(event.metadata).at) };
    }),
  );
  const { items: pauses } = await callApi(
    api,
    'GET',
    `/history/events?id=${quiet.channelId}&aggregate=channel-pause&limit=100`,
  );
  const times = pauses.map(({ at }) => at);
  const of = (list, i) => list[i % list.length];
  const owner = quiet.ownerId;
  const kinds = {
    'state of a channel-pause at a moment': (i) =>
      `/history/channel-pause/${quiet.channelId}?at=${of(times, i)}&limit=1`,
    'state of a post at a moment': (i) => `/history/post/${sample[i].postId}`,
    'endpoints and pauses of an owner at a moment': (i) =>
      `/history?owner_id=${owner}&at=${sample[i].at.toISOString()}`,
    'audit trail: newest page of an owner': () => `/history/events?owner_id=${owner}`,
    'audit trail: an actor until a moment': (i) =>
      `/history/events?owner_id=${owner}&actor=endpoint:${of(endpoints.slice(1), i).endpointId}&until=${sample[i].at.toISOString()}`,
    'audit trail: a rare type': () => `/history/events?owner_id=${owner}&type=EndpointCreated`,
    'ticks of all history in 500 buckets': () => `/history/ticks?owner_id=${owner}&buckets=500`,
    'ticks of a part of history in 500 buckets': (i) =>
      `/history/ticks?owner_id=${owner}&buckets=500&from=${sample[i].at.toISOString()}`,
    'ticks of all history of all owners': () => '/history/ticks?buckets=500',
    'trace of a post': (i) => `/history/trace/${sample[i].postId}`,
    'proof of an event': (i) => `/history/log/proof/${sample[i].eventId}`,
  };
  const figures = {};
  for (const [name, pathOf] of Object.entries(kinds)) {
    const taken = [];
    for (let i = 0; i < questions; i++) {
      const startedAt = performance.now();
      await callApi(api, 'GET', pathOf(i));
      taken.push(performance.now() - startedAt);
    }
    figures[name] = { p50: quantile(taken, 0.5), most: quantile(taken, 1) };
  }
  return figures;
};

const callApi = async ({ url }, method, path, body) => {
  const answer = await fetch(`${url}/manage/v1${path}`, {
    method,
    headers: {
      authorization: `Bearer ${OPERATOR_KEY}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
  return text.startsWith('{') ? JSON.parse(text) : text;
};
