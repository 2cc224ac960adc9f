/**
 * bench -- neighbours: other owners post at a steady rate, in calm rounds and while one owner attacks the gateway in
 * one way. Measures the others' posts, from when a post is due until its answer and until the stand-in has accepted it,
 * and prints the ratio of attacked to calm rounds for each attack. The attacker runs in a separate process
 * (attacker.js). In calm rounds, it sends the same requests to a trivial server whose answers have the same size and
 * take the same time as the gateway's, so that it takes the same share of the machine in both; the sizes and times are
 * measured in an attacked round before the first. Also shows the CPU time per second of each process. Options:
 * --rounds, --seconds, --rate (the others' posts/s), --channels (of the attacker),
 * --attack=chats,photos,lists,changes,previews,sessions,readers, --cpu-prof=DIR (a profile of the API process, which has
 * one attacked round of each attack). The attacks `planned`, `webhooks` and `withdraw` are in bursts.js, and run only if
 * they are named. With --flood it measures floods of requests instead (floods.js).
 */
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { BURSTS, measureBurst } from './bursts.js';
import { OPERATOR_KEY, readOption, withBenchEnvironment } from './environment.js';
import { readCpuTime, readCpuTimeOfTree, startNode } from './processes.js';
import { countAccepted, parseDueTime, quantile, readMessagesAfter, until } from './publishing.js';
import { playRounds, ratioOf } from './rounds.js';
import { seed, unlimitedProfile } from './seed.js';

const OTHERS = 100;
const CONNECTIONS = 16;
const ATTACKS = ['chats', 'photos', 'lists', 'changes', 'previews', 'sessions', 'readers'];
/** Maximum metadata of a post, less the rest of its body. */
const METADATA_BYTES = 4_500_000;
const LARGE_POSTS = 12;
/**
 * Metadata that is just small enough for lists to show, and a number of posts with it that does not fit on one page.
 */
const SHOWN_METADATA_BYTES = 65_000;
const SHOWN_POSTS = 65;

const readProfileA = async () =>
  JSON.parse(await readFile(new URL('../src/config/limits-profiles.json', import.meta.url), 'utf8')).A;

export const run = async (args) => {
  if (args.some((arg) => arg.startsWith('--flood'))) return (await import('./floods.js')).run(args);
  const rounds = readOption(args, 'rounds', 5);
  const seconds = readOption(args, 'seconds', 10);
  const rate = readOption(args, 'rate', 20);
  const channels = readOption(args, 'channels', 200);
  const textOption = (name) => args.find((arg) => arg.startsWith(`--${name}=`))?.split('=')[1];
  const named = textOption('attack')?.split(',') ?? ATTACKS;
  const [attacks, bursts] = [
    named.filter((name) => !BURSTS.includes(name)),
    named.filter((name) => BURSTS.includes(name)),
  ];
  const profileDir = textOption('cpu-prof');

  for (const name of bursts) await runBurst(name, args);
  if (attacks.length === 0) return;
  await withBenchEnvironment(await readProfileA(), async (environment) => {
    const network = await environment.startStandIn();
    const trivial = await startNode(
      fileURLToPath(new URL('trivial-server.js', import.meta.url)),
      ...[[], {}, (line) => /:(\d+)$/.exec(line)?.[1]],
    );
    environment.onEnd(trivial.stop);
    const settings = {
      LOG_LEVEL: 'fatal',
      TELEGRAM_API_URL: network.url,
      ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8',
    };
    const both = await environment.startGateway({ ...settings, ROLES: 'api,worker' });
    const others = await seed(both.url, OPERATOR_KEY, {
      channels: OTHERS,
      endpoints: OTHERS,
      settings: { min_interval: 1 },
    });
    const attacker = await createAttacker(both.url, others, channels);
    if (attacks.includes('lists')) await postLargePosts(both.url, attacker);
    await both.stop();
    const flags = profileDir ? ['--cpu-prof', `--cpu-prof-dir=${profileDir}`] : [];
    const api = await environment.startGateway({ ...settings, ROLES: 'api,tools' }, 'inherit', flags);
    const worker = await environment.startGateway({ ...settings, ROLES: 'worker' });
    const post = environment.startGenerator('timed-posts.js');
    const attack = environment.startGenerator('attacker.js');
    const ownText = /^A post of usual length/;
    const readCpuTimes = () => ({
      api: readCpuTime(api.pid),
      worker: readCpuTime(worker.pid),
      postgres: readCpuTimeOfTree(environment.postmaster),
      attacker: readCpuTime(attack.pid),
      'trivial server': readCpuTime(trivial.pid),
    });

    const measure = async (name, isCalm) => {
      await sleep(1_100); // the endpoints' interval: each round begins with the first of them
      const attacking = attack({ attack: name, port: isCalm ? Number(trivial.value) : api.port, attacker, isCalm });
      const before = await countAccepted(network);
      const [cpuBefore, startedAt] = [readCpuTimes(), performance.now()];
      const { sent, latencies } = await post({
        port: api.port,
        connections: CONNECTIONS,
        seconds,
        targets: others,
        rate,
      });
      const readOwn = async () =>
        (await readMessagesAfter(network, before)).filter(({ text }) => ownText.test(text ?? ''));
      let messages = [];
      await until(async () => (messages = await readOwn()).length >= sent);
      const elapsed = (performance.now() - startedAt) / 1_000;
      const cpu = Object.entries(readCpuTimes()).map(([key, us]) => [key, (us - cpuBefore[key]) / 1_000 / elapsed]);
      attack.stop();
      const { statuses } = await attacking;
      for (const status of [401, 404])
        if (statuses[status]) throw new Error(`the attack ${name} does not reach what it attacks: ${status}`);
      const delays = messages.map(({ at, text }) => Date.parse(at) - parseDueTime(text));
      return {
        answer: quantile(latencies, 0.99),
        published: quantile(delays, 0.99),
        answerMedian: quantile(latencies, 0.5),
        publishedMedian: quantile(delays, 0.5),
        ...Object.fromEntries(cpu),
        statuses,
      };
    };

    console.log(`${rate} posts/s of others, rounds of ${seconds} s`);
    const summary = [];
    for (const name of attacks) {
      const learnt = await measure(name, false);
      console.log(`attack: ${name}\nbefore     ${line('attacked', learnt)}`);
      if (profileDir) continue;
      const { calm, attacked } = await playRounds(
        { calm: () => measure(name, true), attacked: () => measure(name, false) },
        rounds,
        line,
      );
      summary.push(
        `${name.padEnd(8)}  p99 attacked / calm: to the answer ${ratioOf(attacked, calm, 'answer')}, ` +
          `to the network ${ratioOf(attacked, calm, 'published')}`,
      );
    }
    for (const each of summary) console.log(each);
  });
};

/** Runs an attack of bursts.js in an environment of its own, because it leaves a backlog. */
const runBurst = (name, args) =>
  withBenchEnvironment(unlimitedProfile(), async (environment) => {
    const network = await environment.startStandIn();
    const settings = { LOG_LEVEL: 'fatal', TELEGRAM_API_URL: network.url, ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8' };
    const { url, port } = await environment.startGateway({ ...settings, ROLES: 'api' });
    await environment.startGateway({ ...settings, ROLES: 'worker' });
    const call = async (path, body, key = OPERATOR_KEY) => {
      const answer = await fetch(url + path, jsonRequest(key, body));
      const json = await answer.json();
      if (!answer.ok) throw new Error(`${path}: ${answer.status} ${JSON.stringify(json)}`);
      return json;
    };
    for (const line of await measureBurst(name, { environment, network, url, port, args, call })) console.log(line);
  });

/** Creates everything that the attacks need, for one owner. */
const createAttacker = async (url, others, count) => {
  const operator = caller(url, OPERATOR_KEY);
  const { id: owner_id, key } = await operator('/owners', { name: 'Attacker', plan: 'business' });
  const createChannels = (chatIds) =>
    Promise.all(
      chatIds.map(async (chat_id, i) => {
        const credentials = { bot_token: `${9_000 + i}:${'c'.repeat(35)}`, chat_id };
        return (await operator('/channels', { owner_id, platform: 'telegram', name: 'Attack', credentials })).id;
      }),
    );
  const createEndpoint = async (projects) => {
    const ids = [];
    for (const project of projects)
      ids.push((await operator('/projects', { owner_id, name: 'Attack', ...project })).id);
    const body = { owner_id, project_ids: ids, mode: 'live', min_interval: 1 };
    const { id, slug, token } = await operator('/endpoints', body);
    return { id, slug, token, path: `/v1/webhooks/${slug}` };
  };
  const ownChats = Array.from({ length: count }, (_, i) => `-100${5_000_000 + i}`);
  const [own, victims] = [await createChannels(ownChats), await createChannels(others.map(({ chatId }) => chatId))];
  const filters = ['(?:[ab]{0,30}){16}[cd]', '(?:[ab]{0,30}){15}[ce]'].map((pattern) => ({ mode: 'exclude', pattern }));
  const quiet = () => createEndpoint([{ channel_ids: own.slice(0, 1) }]);
  const slowProject = { channel_ids: own.slice(0, 1), processing: { filters } };
  return {
    key,
    channel: own[0],
    quiet: await quiet(),
    large: await quiet(),
    shown: await quiet(),
    victims: await createEndpoint([{ channel_ids: victims }]),
    photos: await createEndpoint([{ channel_ids: own }]),
    previews: await createEndpoint(Array.from({ length: 12 }, () => slowProject)),
  };
};

/**
 * Sends the posts that the attack `lists` reads: posts with metadata that lists omit, and posts with metadata that they
 * show.
 */
const postLargePosts = async (url, { large, shown }) => {
  const fill = async ({ path, token }, count, bytes) => {
    for (let n = 0; n < count; n++) {
      const post = { text: `Large ${n}`, metadata: { filler: 'x'.repeat(bytes) } };
      const answer = await fetch(url + path, jsonRequest(token, post));
      if (!answer.ok) throw new Error(`a large post was answered with ${answer.status}`);
      await sleep(1_050); // the endpoint's interval
    }
  };
  await Promise.all([fill(large, LARGE_POSTS, METADATA_BYTES), fill(shown, SHOWN_POSTS, SHOWN_METADATA_BYTES)]);
};

const jsonRequest = (token, body) => ({
  method: 'POST',
  headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  body: JSON.stringify(body),
});

/** Returns a function that creates things through the management API. */
const caller = (url, key) => async (path, body) => {
  const answer = await fetch(`${url}/manage/v1${path}`, jsonRequest(key, body));
  const json = await answer.json();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${JSON.stringify(json)}`);
  return json;
};

const line = (name, { answer, published, answerMedian, publishedMedian, statuses, ...cpu }) =>
  `${name.padEnd(8)}  to the answer p50 ${ms(answerMedian)}, p99 ${ms(answer)}   ` +
  `to the network p50 ${ms(publishedMedian)}, p99 ${ms(published)}   CPU ms/s: ${describeCpu(cpu)}` +
  (statuses ? `   attacker's answers: ${JSON.stringify(statuses)}` : '');
const describeCpu = (cpu) =>
  Object.entries(cpu)
    .map(([name, value]) => `${name} ${value.toFixed(0)}`)
    .join(', ');
const ms = (value) => `${value.toFixed(1)} ms`;
