/**
 * bench -- neighbours: other owners post at a steady rate, alone and while one owner attacks the gateway in one way. Measures
 * the others' posts, from the moment a post is due until its answer and until the stand-in has accepted it, and prints the
 * ratio of attacked to calm rounds for each attack. The attacker works in this process, so it takes a share of the machine that
 * calm rounds do not have. Options: --rounds, --seconds, --rate (the others' posts/s), --channels (of the attacker),
 * --attack=chats,photos,lists,previews,sessions,readers. With --flood it measures floods of requests instead (floods.js).
 */
import { createServer } from 'node:http';
import { once } from 'node:events';
import { connect } from 'node:net';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { countAccepted, parseDueTime, quantile, readMessagesAfter, until } from './publishing.js';
import { playRounds, ratioOf } from './rounds.js';
import { seed } from './seed.js';
import { OPERATOR_KEY, readOption, withBenchEnvironment } from './environment.js';

const OTHERS = 100;
const CONNECTIONS = 16;
/** Largest metadata of a post, less the rest of its body. */
const METADATA_BYTES = 4_500_000;
const LARGE_POSTS = 12;

const readProfileA = async () =>
  JSON.parse(await readFile(new URL('../src/config/limits-profiles.json', import.meta.url), 'utf8')).A;

export const run = async (args) => {
  if (args.some((arg) => arg.startsWith('--flood'))) return (await import('./floods.js')).run(args);
  const rounds = readOption(args, 'rounds', 5);
  const seconds = readOption(args, 'seconds', 10);
  const rate = readOption(args, 'rate', 20);
  const channels = readOption(args, 'channels', 200);
  const chosen = args
    .find((arg) => arg.startsWith('--attack='))
    ?.split('=')[1]
    .split(',');

  await withBenchEnvironment(await readProfileA(), async (environment) => {
    const network = await environment.startStandIn();
    const slowHost = await startSlowHost();
    environment.onEnd(slowHost.stop);
    const settings = {
      ...{ LOG_LEVEL: 'fatal', TELEGRAM_API_URL: network.url, ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8' },
    };
    const both = await environment.startGateway({ ...settings, ROLES: 'api,worker' });
    const others = await seed(both.url, OPERATOR_KEY, {
      ...{ channels: OTHERS, endpoints: OTHERS, settings: { min_interval: 1 } },
    });
    const attacker = await createAttacker(both.url, others, channels);
    await both.stop();
    const { port, url } = await environment.startGateway({ ...settings, ROLES: 'api' });
    await environment.startGateway({ ...settings, ROLES: 'worker' });
    const post = environment.startGenerator('timed-posts.js');
    const ownText = /^A post of usual length/;

    const measure = async (attack) => {
      await sleep(1_100); // the endpoints' interval: each round begins with the first of them
      const stop = new AbortController();
      const attacking = attack?.({ url, port, attacker, slowHost, signal: stop.signal });
      const before = await countAccepted(network);
      const job = { port, connections: CONNECTIONS, seconds, targets: others, rate };
      const { sent, latencies } = await post(job);
      const readOwn = async () =>
        (await readMessagesAfter(network, before)).filter(({ text }) => ownText.test(text ?? ''));
      let messages = [];
      await until(async () => (messages = await readOwn()).length >= sent);
      stop.abort();
      await attacking;
      const delays = messages.map(({ at, text }) => Date.parse(at) - parseDueTime(text));
      return {
        ...{ answer: quantile(latencies, 0.99), published: quantile(delays, 0.99) },
        ...{ answerMedian: quantile(latencies, 0.5), publishedMedian: quantile(delays, 0.5) },
      };
    };

    await measure(null); // warm up
    console.log(`${rate} posts/s of others, rounds of ${seconds} s`);
    const summary = [];
    for (const [name, attack] of Object.entries(ATTACKS)) {
      if (chosen && !chosen.includes(name)) continue;
      console.log(`attack: ${name}`);
      const { calm, attacked } = await playRounds(
        { calm: () => measure(null), attacked: () => measure(attack) },
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

/** Creates everything that the attacks need, of one owner. */
const createAttacker = async (url, others, count) => {
  const operator = caller(url, OPERATOR_KEY);
  const { id: owner_id } = await operator('/owners', { name: 'Attacker', plan: 'business' });
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
    const { slug, token } = await operator('/endpoints', body);
    return { slug, token, path: `/v1/webhooks/${slug}` };
  };
  const ownChats = Array.from({ length: count }, (_, i) => `-100${5_000_000 + i}`);
  const [own, victims] = [await createChannels(ownChats), await createChannels(others.map(({ chatId }) => chatId))];
  const filters = ['(?:[ab]{0,30}){16}[cd]', '(?:[ab]{0,30}){15}[ce]'].map((pattern) => ({ mode: 'exclude', pattern }));
  const slowProject = { channel_ids: own.slice(0, 1), processing: { filters } };
  const quiet = await createEndpoint([{ channel_ids: own.slice(0, 1) }]);
  const filler = 'x'.repeat(METADATA_BYTES);
  for (let n = 0; n < LARGE_POSTS; n++) {
    const post = { text: `Large ${n}`, metadata: { filler } };
    const status = await publish(url, quiet, post);
    if (status !== 200) throw new Error(`a large post was answered with ${status}`);
    await sleep(1_100); // the endpoint's interval
  }
  return {
    quiet,
    victims: await createEndpoint([{ channel_ids: victims }]),
    photos: await createEndpoint([{ channel_ids: own }]),
    previews: await createEndpoint(Array.from({ length: 12 }, () => slowProject)),
  };
};

/** The attacks: each runs until its signal is aborted. */
const ATTACKS = {
  /** Posts to channels with the others' chat ids and tokens of its own. */
  chats: ({ url, attacker, signal }) =>
    repeat(signal, 5_000, () => publish(url, attacker.victims, { text: 'An attack' }, signal)),
  /** Posts a photo from a slow host to many channels. */
  photos: ({ url, attacker, slowHost, signal }) =>
    repeat(signal, 5_000, () => {
      const media = [{ type: 'photo', url: slowHost.newFile(signal) }];
      return publish(url, attacker.photos, { text: 'An attack', media }, signal);
    }),
  /** Reads lists of posts with large metadata. */
  lists: ({ url, signal }) =>
    inLanes(4, signal, () => read(`${url}/manage/v1/posts?limit=200`, { headers: bearer(OPERATOR_KEY), signal })),
  /** Asks for previews of 12 projects with slow patterns. */
  previews: ({ url, attacker, signal }) => {
    const text = Array.from({ length: 4_000 }, (_, n) => ((n * n) % 7 < 3 ? 'a' : 'b')).join('');
    const request = jsonRequest(attacker.previews.token, { text }, signal);
    return inLanes(2, signal, () => read(`${url}${attacker.previews.path}/sandbox`, request));
  },
  /** Opens sessions of the assistant tools that it does not read, and calls tools with large bodies. */
  sessions: async ({ url, port, attacker, signal }) => {
    const { slug, token } = attacker.quiet;
    const path = `/sse/${slug}`;
    const call = (id, method, params = {}) => jsonRequest(token, { jsonrpc: '2.0', id, method, params }, signal);
    const filler = { name: 'service_sandbox', arguments: { text: 'x', metadata: { filler: 'x'.repeat(2_000_000) } } };
    await Promise.all([
      keepUnread(
        20,
        port,
        signal,
        `GET ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${token}\r\n\r\n`,
        (chunk) => {
          const address = /data: (\S+)/.exec(chunk)?.[1];
          if (address) void inLanes(1, signal, () => read(url + address, call('i'.repeat(256), 'tools/list')));
        },
      ),
      inLanes(4, signal, () => read(url + path, call(1, 'tools/call', filler))),
    ]);
  },
  /** Asks for a large file over many connections and never reads. */
  readers: ({ port, signal }) => keepUnread(200, port, signal, 'GET /openapi.json HTTP/1.1\r\nHost: bench\r\n\r\n'),
};

/** Starts a host whose files arrive byte by byte. */
const startSlowHost = async () => {
  const gone = new Set();
  const server = createServer((request, response) => {
    if (gone.has(request.url)) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'image/jpeg' });
    const drip = setInterval(() => (gone.has(request.url) ? response.destroy() : response.write('\xff')), 500);
    response.on('close', () => clearInterval(drip));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  let files = 0;
  return {
    /** Returns the URL of a new file, which is gone once the signal is aborted. */
    newFile: (signal) => {
      const path = `/${++files}.jpg`;
      signal.addEventListener('abort', () => gone.add(path));
      return `http://127.0.0.1:${server.address().port}${path}`;
    },
    stop: () => {
      server.closeAllConnections();
      server.close();
    },
  };
};

const bearer = (token) => ({ authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' });
const jsonRequest = (token, body, signal) => ({
  ...{ method: 'POST', headers: { ...bearer(token), 'content-type': 'application/json' } },
  ...{ body: JSON.stringify(body), signal },
});

/** Sends a request and reads its answer to the end. */
const read = async (url, request) => {
  const answer = await fetch(url, request);
  for await (const _ of answer.body ?? []);
  return answer.status;
};

const publish = (url, { path, token }, payload, signal) => read(url + path, jsonRequest(token, payload, signal));

/** Returns a function that creates things over the management API. */
const caller = (url, key) => async (path, body) => {
  const answer = await fetch(`${url}/manage/v1${path}`, jsonRequest(key, body));
  const json = await answer.json();
  if (!answer.ok) throw new Error(`${path}: ${answer.status} ${JSON.stringify(json)}`);
  return json;
};

/** Does something at once and then at intervals, until the signal is aborted. What fails is tried again. */
const repeat = async (signal, ms, work) => {
  while (!signal.aborted) {
    await work().catch(() => undefined);
    await sleep(ms, undefined, { signal }).catch(() => undefined);
  }
};
const inLanes = (count, signal, work) => Promise.all(Array.from({ length: count }, () => repeat(signal, 1, work)));

/** Keeps connections open that send a request and read only the first chunk of its answer, until the signal is aborted. */
const keepUnread = async (count, port, signal, request, onChunk = () => undefined) => {
  const sockets = new Set();
  const open = () => {
    const socket = connect(port, '127.0.0.1', () => socket.write(request));
    sockets.add(socket);
    socket.once('data', (chunk) => {
      socket.pause();
      onChunk(chunk.toString('latin1'));
    });
    socket.on('error', () => undefined).on('close', () => sockets.delete(socket));
  };
  await repeat(signal, 500, async () => {
    while (sockets.size < count) open();
  });
  for (const socket of sockets) socket.destroy();
};

const line = (name, { answer, published, answerMedian, publishedMedian }) =>
  `${name.padEnd(8)}  to the answer p50 ${ms(answerMedian)}, p99 ${ms(answer)}   ` +
  `to the network p50 ${ms(publishedMedian)}, p99 ${ms(published)}`;
const ms = (value) => `${value.toFixed(1)} ms`;
