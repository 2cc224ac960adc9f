/**
 * bench -- neighbours --flood: one owner floods the gateway with posts, pauses of a project, refused requests and media
 * that cannot be used, while other owners post at a steady rate. Measures the others' posts, from the time a post is
 * due until its answer and until the stand-in has accepted it, and compares them with calm rounds of the same traffic.
 * In calm rounds the same generators send the flood to a trivial server, so that they take the same share of the
 * machine in both; the order alternates. Also shows the CPU time per second of each process; other programs on the
 * machine change it less than the times. Options: --rounds, --seconds, --rate (the others' posts/s), --held (posts in
 * the backlog; with --unlimited), --unlimited (no limits, and a pause of a large backlog; otherwise the limits profile
 * A, so that the flood hits limits as in production), --flood=posts,pauses,refusals,probes,limits,replays (the last
 * two only if named), --cpu-prof=DIR (a profile of the API process, which warms up and has one flooded round).
 */
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';
import { OPERATOR_KEY, readOption, withBenchEnvironment } from './environment.js';
import { formatPostRequest } from './keep-alive.js';
import { readCpuTime, readCpuTimeOfTree, startNode } from './processes.js';
import { countAccepted, parseDueTime, quantile, readMessagesAfter, until } from './publishing.js';
import { playRounds, ratioOf } from './rounds.js';
import { seed, unlimitedProfile } from './seed.js';

const OTHERS = 20;
/** Endpoints of the others if limits apply: each posts every two seconds, which all limits allow. */
const LIMITED_OTHERS = 100;
const CONNECTIONS = 32;
/** Requests per second of each flood, across all its connections. */
const RATES = { posts: 100, pauses: 5, refusals: 300, probes: 50, limits: 300, replays: 300 };
const USUAL_FLOODS = ['posts', 'pauses', 'refusals', 'probes'];

/** Returns a profile without limits, except that a plan of the flooding owner allows no post. */
const profile = () => {
  const unlimited = unlimitedProfile();
  return { ...unlimited, plans: { ...unlimited.plans, pro: { ...unlimited.plans.pro, hourly: 0 } } };
};

const readProfileA = async () => {
  const file = fileURLToPath(new URL('../src/config/limits-profiles.json', import.meta.url));
  return JSON.parse(await readFile(file, 'utf8')).A;
};

export const run = async (args) => {
  const rounds = readOption(args, 'rounds', 6);
  const seconds = readOption(args, 'seconds', 20);
  const rate = readOption(args, 'rate', 50);
  const isLimited = !args.includes('--unlimited');
  const held = isLimited ? 0 : readOption(args, 'held', 10_000);
  const textOption = (name) => args.find((arg) => arg.startsWith(`--${name}=`))?.split('=')[1];
  const floods = textOption('flood')?.split(',') ?? USUAL_FLOODS;
  const profileDir = textOption('cpu-prof');
  const media = createServer((_, response) => response.end(Buffer.alloc(16_384, '<html>'))).listen(0, '127.0.0.1');
  await once(media, 'listening');

  await withBenchEnvironment(isLimited ? await readProfileA() : profile(), async (environment) => {
    environment.onEnd(() => media.close());
    const network = await environment.startStandIn();
    const trivial = await startNode(
      fileURLToPath(new URL('trivial-server.js', import.meta.url)),
      [],
      {},
      (line) => /:(\d+)$/.exec(line)?.[1],
    );
    environment.onEnd(trivial.stop);
    const settings = {
      LOG_LEVEL: 'fatal',
      PACING: 'off',
      TELEGRAM_API_URL: network.url,
      ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8',
    };
    const both = await environment.startGateway({ ...settings, ROLES: 'api,worker' });
    const wanted = { channels: OTHERS, settings: isLimited ? { min_interval: 1 } : { min_interval: 0 } };
    const others = await seed(both.url, OPERATOR_KEY, { ...wanted, endpoints: isLimited ? LIMITED_OTHERS : OTHERS });
    // Uses the second half of the channel numbers, so that no chat is used twice.
    const twice = { ...wanted, endpoints: 2 * OTHERS, channels: 2 * OTHERS };
    const flooder = (await seed(both.url, OPERATOR_KEY, twice)).slice(OTHERS);
    const exhausted = await seed(both.url, OPERATOR_KEY, { ...wanted, endpoints: OTHERS, channels: 1, plan: 'pro' });
    await both.stop();
    const flags = profileDir ? ['--cpu-prof', `--cpu-prof-dir=${profileDir}`] : [];
    const api = await environment.startGateway({ ...settings, ROLES: 'api' }, 'inherit', flags);
    const worker = await environment.startGateway({ ...settings, ROLES: 'worker' });
    const { port, url } = api;
    const post = environment.startGenerator('timed-posts.js');
    const flood = environment.startGenerator('traffic.js');
    const load = environment.startGenerator('load.js');
    const readCpuTimes = () => ({
      api: readCpuTime(api.pid),
      helper: readCpuTimeOfTree(api.pid) - readCpuTime(api.pid),
      worker: readCpuTime(worker.pid),
      postgres: readCpuTimeOfTree(environment.postmaster),
      'stand-in': readCpuTime(network.pid),
      'posting generator': readCpuTime(post.pid),
      'flooding generator': readCpuTime(flood.pid),
      'trivial server': readCpuTime(trivial.pid),
    });

    const backlog = flooder[0];
    if (floods.includes('pauses') && held > 0) {
      await pauseProject(url, backlog, 1_440);
      let answered = 0;
      while (answered < held) {
        const body = '{"text":"A post that is held: $N"}';
        answered += (await load({ port, connections: 64, seconds: 1, targets: [backlog], body })).answered;
      }
      console.log(`${answered} posts are held by a pause of one project of the flooding owner`);
    }
    const streams = createFloods(flooder, exhausted, media.address().port).filter(({ name }) => floods.includes(name));
    const ownChats = new Set(others.map(({ chatId }) => chatId));

    const measure = async (isFlooded, duration = seconds) => {
      const before = await countAccepted(network);
      const cpuBefore = readCpuTimes();
      const [{ sent, latencies }, result] = await Promise.all([
        post({ port, connections: CONNECTIONS, seconds: duration, targets: others, rate }),
        flood({ port: isFlooded ? port : Number(trivial.value), seconds: duration, streams }),
      ]);
      const readOwn = async () =>
        (await readMessagesAfter(network, before)).filter(({ channel }) => ownChats.has(String(channel)));
      let messages = [];
      await until(async () => (messages = await readOwn()).length >= sent);
      const delays = messages.map(({ at, text }) => Date.parse(at) - parseDueTime(text));
      const cpu = Object.entries(readCpuTimes()).map(([name, us]) => [name, (us - cpuBefore[name]) / 1_000 / duration]);
      return {
        answer: quantile(latencies, 0.99),
        published: quantile(delays, 0.99),
        answerMedian: quantile(latencies, 0.5),
        publishedMedian: quantile(delays, 0.5),
        ...Object.fromEntries(cpu),
        flood: isFlooded ? describeFlood(result) : '',
        samples: { latencies, delays },
      };
    };

    const contestants = { calm: () => measure(false), flooded: () => measure(true) };
    await measure(false, Math.min(10, seconds)); // warm up
    await measure(true, Math.min(10, seconds));
    if (profileDir) {
      console.log(line('flooded', await contestants.flooded()));
      return;
    }
    console.log(`${rate} posts/s of others, floods of ${floods.join(', ')}, rounds of ${seconds} s`);
    const { calm, flooded } = await playRounds(contestants, rounds, line);
    const pooled = (results, key) =>
      quantile(
        results.flatMap(({ samples }) => samples[key]),
        0.99,
      );
    const count = calm.reduce((sum, { samples }) => sum + samples.latencies.length, 0);
    for (const [key, what] of [
      ['latencies', 'answer'],
      ['delays', 'network'],
    ]) {
      const [quiet, loud] = [pooled(calm, key), pooled(flooded, key)];
      const each = ratioOf(flooded, calm, key === 'latencies' ? 'answer' : 'published');
      console.log(
        `p99 to the ${what}: ${ms(quiet)} calm, ${ms(loud)} flooded: ${(loud / quiet).toFixed(2)} × ` +
          `over ${count} posts each; per round ${each}`,
      );
    }
  });
};

/** Returns the streams of a flooding owner's requests, as traffic.js takes them. */
const createFloods = ([backlog, ...endpoints], exhausted, mediaPort) => {
  const textRequest = ({ path, token }, body) =>
    formatPostRequest(
      path,
      { Authorization: `Bearer ${token}` },
      typeof body === 'string' ? body : JSON.stringify(body),
    );
  const operator = { Authorization: `Bearer ${OPERATOR_KEY}` };
  const pauseRequest = (minutes) =>
    formatPostRequest(`/manage/v1/projects/${backlog.projectId}/pause`, operator, JSON.stringify({ minutes }));
  const resumeRequest = formatPostRequest(`/manage/v1/projects/${backlog.projectId}/resume`, operator, '{}');
  const photo = (i) => ({ type: 'photo', url: `https://127.0.0.1:${mediaPort}/${i}.jpg` });
  const cheap = (i) => ({ type: 'photo', url: `http://127.0.0.1:${mediaPort}/${i}.jpg` });
  return [
    {
      name: 'posts',
      connections: 16,
      requests: endpoints.map((each) => textRequest(each, { text: 'A post of a flood' })),
    },
    { name: 'pauses', connections: 2, requests: [pauseRequest(1_440), resumeRequest] },
    {
      name: 'refusals',
      connections: 16,
      requests: endpoints.flatMap((each) => [
        textRequest({ ...each, token: `${each.token.slice(0, -4)}0000` }, { text: 'x'.repeat(20_000) }),
        textRequest(each, { text: 7 }),
        textRequest(each, '{"text":'),
      ]),
    },
    {
      name: 'probes',
      connections: 16,
      requests: endpoints.flatMap((each, i) => [
        textRequest(each, { text: 'x', media: [cheap(i), cheap(i + 100), cheap(i + 200)] }),
        textRequest(each, { text: 'x', media: [photo(i)] }),
      ]),
    },
    {
      name: 'limits',
      connections: 16,
      requests: exhausted.map((each) => textRequest(each, { text: 'Over the limit' })),
    },
    {
      name: 'replays',
      connections: 16,
      requests: endpoints.map((each) => textRequest(each, { text: 'x'.repeat(2_000), external_id: 'the-same' })),
    },
  ].map((stream) => ({ ...stream, rate: RATES[stream.name] }));
};

const pauseProject = async (url, { projectId }, minutes) => {
  const response = await fetch(`${url}/manage/v1/projects/${projectId}/pause`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OPERATOR_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify({ minutes }),
  });
  if (!response.ok) throw new Error(`pausing the project was answered with ${response.status}`);
};

const describeFlood = ({ seconds, ...streams }) =>
  Object.entries(streams)
    .map(([name, { answered, statuses }]) => `${name} ${(answered / seconds).toFixed(0)}/s ${JSON.stringify(statuses)}`)
    .join('  ');
const line = (name, { answer, published, answerMedian, publishedMedian, flood: result = '', samples: _, ...cpu }) =>
  `${name.padEnd(7)}  to the answer p50 ${ms(answerMedian)}, p99 ${ms(answer)}   ` +
  `to the network p50 ${ms(publishedMedian)}, p99 ${ms(published)}   CPU ms/s: ${describeCpu(cpu)}   ${result}`;
const describeCpu = (cpu) =>
  Object.entries(cpu)
    .map(([name, value]) => `${name} ${value.toFixed(0)}`)
    .join(', ');
const ms = (value) => `${value.toFixed(1)} ms`;
