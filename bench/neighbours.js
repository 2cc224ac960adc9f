/**
 * bench -- neighbours: one owner floods the gateway with posts, pauses of a project that holds a large backlog, refused
 * requests and media that cannot be used, while other owners post at a steady rate. Measures the others' posts, from the
 * moment a post is due until its answer and until the stand-in has accepted it, and compares them with calm rounds of the
 * same traffic, in alternation. Also shows the CPU time per second of each process; other programs on the machine change it
 * less than the times. Options: --rounds, --seconds, --rate (the others' posts/s), --held (posts in the backlog),
 * --flood=posts,pauses,refusals,probes.
 */
import { createServer } from 'node:http';
import { once } from 'node:events';
import { formatPostRequest } from './keep-alive.js';
import { readCpuTime, readCpuTimeOfTree } from './processes.js';
import { countAccepted, median, parseDueTime, quantile, readMessagesAfter, until } from './publishing.js';
import { seed, unlimitedProfile } from './seed.js';
import { OPERATOR_KEY, readOption, withBenchEnvironment } from './environment.js';

const OTHERS = 20;
const CONNECTIONS = 32;
/** Requests per second of each flood, over all its connections. */
const RATES = { posts: 100, pauses: 5, refusals: 300, probes: 50 };

export const run = async (args) => {
  const rounds = readOption(args, 'rounds', 3);
  const seconds = readOption(args, 'seconds', 20);
  const rate = readOption(args, 'rate', 50);
  const held = readOption(args, 'held', 10_000);
  const floods = (args.find((arg) => arg.startsWith('--flood='))?.split('=')[1] ?? Object.keys(RATES).join()).split(
    ',',
  );
  const media = createServer((_, response) => response.end(Buffer.alloc(16_384, '<html>'))).listen(0, '127.0.0.1');
  await once(media, 'listening');

  await withBenchEnvironment(unlimitedProfile(), async (environment) => {
    environment.onEnd(() => media.close());
    const network = await environment.startStandIn();
    const settings = {
      ...{ LOG_LEVEL: 'fatal', PACING: 'off', TELEGRAM_API_URL: network.url },
      ...{ ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8' },
    };
    const both = await environment.startGateway({ ...settings, ROLES: 'api,worker' });
    const others = await seed(both.url, OPERATOR_KEY, { endpoints: OTHERS, channels: OTHERS });
    // The second half of the channels' numbers, so that no chat is used twice.
    const flooder = (await seed(both.url, OPERATOR_KEY, { endpoints: 2 * OTHERS, channels: 2 * OTHERS })).slice(OTHERS);
    await both.stop();
    const api = await environment.startGateway({ ...settings, ROLES: 'api' });
    const worker = await environment.startGateway({ ...settings, ROLES: 'worker' });
    const { port, url } = api;
    const readCpuTimes = () => ({
      api: readCpuTime(api.pid),
      helper: readCpuTimeOfTree(api.pid) - readCpuTime(api.pid),
      worker: readCpuTime(worker.pid),
      postgres: readCpuTimeOfTree(environment.postmaster),
    });
    const post = environment.startGenerator('timed-posts.js');
    const flood = environment.startGenerator('traffic.js');
    const load = environment.startGenerator('load.js');

    const backlog = flooder[0];
    await pauseProject(url, backlog, 1_440);
    let answered = 0;
    while (answered < held) {
      const job = { port, connections: 64, seconds: 1, targets: [backlog], body: '{"text":"A post that is held: $N"}' };
      answered += (await load(job)).answered;
    }
    console.log(`${answered} posts are held by a pause of one project of the flooding owner`);
    const streams = createFloods(flooder, media.address().port).filter(({ name }) => floods.includes(name));
    const ownChats = new Set(others.map(({ chatId }) => chatId));

    const measure = async (isFlooded) => {
      const before = await countAccepted(network);
      const cpuBefore = readCpuTimes();
      const [{ sent, latencies }, result] = await Promise.all([
        post({ port, connections: CONNECTIONS, seconds, targets: others, rate }),
        isFlooded ? flood({ port, seconds, streams }) : null,
      ]);
      const readOwn = async () =>
        (await readMessagesAfter(network, before)).filter(({ channel }) => ownChats.has(String(channel)));
      let messages = [];
      await until(async () => (messages = await readOwn()).length >= sent);
      const delays = messages.map(({ at, text }) => Date.parse(at) - parseDueTime(text));
      const cpu = Object.entries(readCpuTimes()).map(([name, us]) => [name, (us - cpuBefore[name]) / 1_000 / seconds]);
      const figures = {
        ...{ answer: quantile(latencies, 0.99), published: quantile(delays, 0.99) },
        ...Object.fromEntries(cpu),
      };
      return { figures, flood: result };
    };

    await measure(false); // warm up
    const results = { calm: [], flooded: [] };
    for (let round = 1; round <= rounds; round++) {
      results.calm.push((await measure(false)).figures);
      console.log(`round ${round}/${rounds}  calm     ${line(results.calm.at(-1))}`);
      const { figures, flood: result } = await measure(true);
      results.flooded.push(figures);
      console.log(`           flooded  ${line(figures)}   ${describeFlood(result)}`);
    }
    const [calm, flooded] = [median(results.calm), median(results.flooded)];
    console.log(
      `\nmedians of ${rounds} rounds of ${seconds} s: ${rate} posts/s of others, floods of ${floods.join(', ')}`,
    );
    console.log(
      `ratio      p99 to the answer ${(flooded.answer / calm.answer).toFixed(2)} ×   ` +
        `p99 to the network ${(flooded.published / calm.published).toFixed(2)} ×   ` +
        `CPU of the floods, ms/s: ${describeCpu(subtract(flooded, calm))}`,
    );
  });
};

/** Returns the streams of a flooding owner's requests, as traffic.js takes them. */
const createFloods = ([backlog, ...endpoints], mediaPort) => {
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

const subtract = ({ answer: _, published: __, ...flooded }, calm) =>
  Object.fromEntries(Object.entries(flooded).map(([name, value]) => [name, value - calm[name]]));

const describeFlood = ({ seconds, ...streams }) =>
  Object.entries(streams)
    .map(([name, { answered, statuses }]) => `${name} ${(answered / seconds).toFixed(0)}/s ${JSON.stringify(statuses)}`)
    .join('  ');
const line = ({ answer, published, ...cpu }) =>
  `p99 to the answer ${ms(answer)}   to the network ${ms(published)}   CPU ms/s: ${describeCpu(cpu)}`;
const describeCpu = (cpu) =>
  Object.entries(cpu)
    .map(([name, value]) => `${name} ${value.toFixed(0)}`)
    .join(', ');
const ms = (value) => `${value.toFixed(1).padStart(7)} ms`;
