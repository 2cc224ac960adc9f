/**
 * The attacker of `neighbours`, in its own process. A job is `{ attack, port, attacker, isCalm }`; the attack runs
 * until the message `stop`, and the result is `{ statuses }`, the answers by status. In a calm round, the port belongs
 * to the trivial server, which imitates the size and duration of the gateway's answers, so that the attacker takes the
 * same share of the machine in both. An attack must therefore have run against the gateway first.
 */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';

let stop;
process.on('message', async (message) => {
  if (message === 'stop') return stop.abort();
  stop = new AbortController();
  const { attack, port, attacker, isCalm } = message;
  statuses = {};
  imitated = isCalm ? seen : null;
  await ATTACKS[attack]({ url: `http://127.0.0.1:${port}`, port, attacker, signal: stop.signal });
  process.send({ statuses });
});

/** Answers of the current round, by status. */
let statuses = {};
/** The gateway's answers to each kind of request: their number, their total size and their total time in ms. */
const seen = new Map();
/** In a calm round, the answers that the trivial server imitates; null in an attacked round. */
let imitated = null;

/** Returns the headers that make the trivial server imitate the gateway's answers. */
const headersOf = (kind) => {
  const { count, bytes, ms } = imitated?.get(kind) ?? {};
  return count > 0 ? { 'x-answer-bytes': Math.round(bytes / count), 'x-answer-after': (ms / count).toFixed(1) } : {};
};

/** The attacks: each runs until its signal is aborted. */
const ATTACKS = {
  /** Posts to channels with other owners' chat ids and its own tokens. */
  chats: ({ url, attacker, signal }) =>
    repeat(signal, 5_000, () => publish(url, attacker.victims, { text: 'An attack' }, signal)),
  /** Posts a photo from a slow host to many channels. */
  photos: ({ url, attacker, signal }) =>
    repeat(signal, 5_000, async () => {
      const media = [{ type: 'photo', url: await newSlowFile(signal) }];
      await publish(url, attacker.photos, { text: 'An attack', media }, signal);
    }),
  /**
   * Reads lists of posts: with metadata so large that the lists omit it, and full pages with metadata just small enough
   * to be shown.
   */
  lists: ({ url, attacker, signal }) => {
    const list = (kind) => () => {
      const query = `limit=200&endpoint_id=${attacker[kind].id}`;
      return read(kind, `${url}/manage/v1/posts?${query}`, { headers: bearer(attacker.key), signal });
    };
    return Promise.all(['large', 'shown'].map((kind) => inLanes(2, signal, list(kind))));
  },
  /** Changes a channel over 30 connections. */
  changes: ({ url, attacker, signal }) => {
    const change = (n) => ({
      ...jsonRequest(attacker.key, { name: `Attack ${n}` }, signal),
      method: 'PATCH',
    });
    let changes = 0;
    return inLanes(30, signal, () =>
      read('change', `${url}/manage/v1/channels/${attacker.channel}`, change(changes++)),
    );
  },
  /** Requests previews of 12 projects with slow patterns. */
  previews: ({ url, attacker, signal }) => {
    const text = Array.from({ length: 4_000 }, (_, n) => ((n * n) % 7 < 3 ? 'a' : 'b')).join('');
    const request = jsonRequest(attacker.previews.token, { text }, signal);
    return inLanes(2, signal, () => read('preview', `${url}/v1/sandbox/test`, request));
  },
  /** Opens assistant tool sessions that it does not read, and calls tools with large bodies. */
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
        () => getRequest(path, { Authorization: `Bearer ${token}` }),
        (chunk) => {
          const address = /data: (\S+)/.exec(chunk)?.[1];
          if (address)
            void inLanes(1, signal, () => read('message', url + address, call('i'.repeat(256), 'tools/list')));
        },
      ),
      inLanes(4, signal, () => read('tool', url + path, call(1, 'tools/call', filler))),
    ]);
  },
  /** Requests a large file over many connections and never reads it. */
  readers: async ({ url, port, signal }) => {
    const path = '/openapi.json';
    if (!imitated) await read('file', url + path, { signal });
    await keepUnread(200, port, signal, () => getRequest(path, headersOf('file')));
  },
};

const bearer = (token) => ({ authorization: `Bearer ${token}`, accept: 'application/json, text/event-stream' });
const jsonRequest = (token, body, signal) => ({
  method: 'POST',
  headers: { ...bearer(token), 'content-type': 'application/json' },
  body: JSON.stringify(body),
  signal,
});
const getRequest = (path, headers) =>
  [`GET ${path} HTTP/1.1`, 'Host: bench', ...Object.entries(headers).map((each) => each.join(': ')), '', ''].join(
    '\r\n',
  );

/** Sends a request and reads its answer to the end. */
const read = async (kind, url, request) => {
  const sentAt = performance.now();
  const answer = await fetch(url, { ...request, headers: { ...request.headers, ...headersOf(kind) } });
  let length = 0;
  for await (const chunk of answer.body ?? []) length += chunk.length;
  statuses[answer.status] = (statuses[answer.status] ?? 0) + 1;
  if (imitated) return;
  const { count, bytes, ms } = seen.get(kind) ?? { count: 0, bytes: 0, ms: 0 };
  seen.set(kind, { count: count + 1, bytes: bytes + length, ms: ms + performance.now() - sentAt });
};

const publish = (url, { path, token }, payload, signal) =>
  read('post', url + path, jsonRequest(token, payload, signal));

/** Runs `work` now and then at intervals until the signal is aborted. Ignores failures. */
const repeat = async (signal, ms, work) => {
  while (!signal.aborted) {
    await work().catch(() => undefined);
    await sleep(ms, undefined, { signal }).catch(() => undefined);
  }
};
const inLanes = (count, signal, work) => Promise.all(Array.from({ length: count }, () => repeat(signal, 1, work)));

/** Keeps connections that read only the first chunk of their answer, until the signal is aborted. */
const keepUnread = async (count, port, signal, formatRequest, onChunk = () => undefined) => {
  const sockets = new Set();
  const open = () => {
    const socket = connect(port, '127.0.0.1', () => socket.write(formatRequest()));
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

/**
 * Returns the URL of a new file on a host that sends files byte by byte. The file disappears once the signal is
 * aborted.
 */
const newSlowFile = async (signal) => {
  slowHost ??= startSlowHost();
  const { port, gone } = await slowHost;
  const path = `/${++files}.jpg`;
  signal.addEventListener('abort', () => gone.add(path));
  return `http://127.0.0.1:${port}${path}`;
};
let slowHost;
let files = 0;

const startSlowHost = async () => {
  const gone = new Set();
  const server = createServer((request, response) => {
    if (gone.has(request.url)) return response.writeHead(404).end();
    response.writeHead(200, { 'content-type': 'image/jpeg' });
    const drip = setInterval(() => (gone.has(request.url) ? response.destroy() : response.write('\xff')), 500);
    response.on('close', () => clearInterval(drip));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return { port: server.address().port, gone };
};
