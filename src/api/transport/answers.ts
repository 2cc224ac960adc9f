import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import type { FastifyInstance } from 'fastify';
import { yieldToEventLoop } from '../../runtime/cooperative-work.js';
import { KeyedPace } from '../../runtime/pace.js';
import { KeyedSemaphore } from '../../runtime/semaphore.js';

/** Number of characters to serialise before yielding to the event loop. */
const SLICE_LENGTH = 262_144;

/** Serialises lists item by item, and large lists in slices. Produces the same output as `JSON.stringify`. */
export const serializeListsInSlices = (fastify: FastifyInstance): void => {
  fastify.addHook('preSerialization', async (_request, reply, payload) => {
    if (!isList(payload)) return payload;
    const text = await serializeList(payload);
    void reply.serializer(() => text);
    return payload;
  });
};

const compress = promisify(gzip);
/** Length in characters from which an answer is compressed. */
const COMPRESSED_FROM = 4_096;
/** Compression level: higher levels take much longer and save little. */
const LEVEL = 4;

/**
 * Compresses long answers of the management API for clients that accept gzip, because lists are slow to load on slow
 * connections (ADR-392). Answers of `/v1`, and to other methods, are short.
 */
export const compressAnswers = (fastify: FastifyInstance): void => {
  fastify.addHook('onSend', async ({ method, url, headers }, reply, payload) => {
    if (method !== 'GET' || !url.startsWith('/manage/v1/')) return payload;
    if (typeof payload !== 'string' || payload.length < COMPRESSED_FROM) return payload;
    const varies = reply.getHeader('vary');
    void reply.header('vary', varies === undefined ? 'Accept-Encoding' : `${String(varies)}, Accept-Encoding`);
    if (!/\bgzip\b(?!\s*;\s*q=0(?:\.0*)?\s*(?:,|$))/.test(headers['accept-encoding'] ?? '')) return payload;
    const compressed = await compress(payload, { level: LEVEL });
    void reply.removeHeader('content-length').header('content-encoding', 'gzip');
    return compressed;
  });
};

interface List {
  readonly items: readonly unknown[];
}

const isList = (payload: unknown): payload is List =>
  typeof payload === 'object' && payload !== null && 'items' in payload && Array.isArray(payload.items);

/** Returns a list as JSON. */
export const serializeList = async (list: List): Promise<string> => {
  const members: string[] = [];
  for (const [name, value] of Object.entries(list)) {
    const text = value === list.items ? await serializeItems(list.items) : serialize(value);
    if (text !== undefined) members.push(`${JSON.stringify(name)}:${text}`);
  }
  return `{${members.join(',')}}`;
};

const serializeItems = async (items: readonly unknown[]): Promise<string> => {
  const texts: string[] = [];
  let length = 0;
  for (const item of items) {
    const text = serialize(item) ?? 'null';
    texts.push(text);
    if ((length += text.length) < SLICE_LENGTH) continue;
    await yieldToEventLoop();
    length = 0;
  }
  return `[${texts.join(',')}]`;
};

/** Returns a value as JSON; undefined if JSON cannot represent it. */
const serialize = (value: unknown): string | undefined => JSON.stringify(value);

/**
 * Closes the responses that wait behind another one (pipelining) when their connection closes. Node closes only the
 * first, so whatever the others hold until they end would be held for ever.
 */
export const closeQueuedAnswers = (server: Server): void => {
  server.on('request', (request: IncomingMessage, response: ServerResponse) =>
    request.once('aborted', () => {
      if (response.socket === null) response.destroy().emit('close');
    }),
  );
};

/** How often Node checks for progress, in ms. The second check ends a stalled response, i.e. after 20 to 40 s. */
const STALLED_MS = 20_000;

/**
 * Maximum number of connections that a process keeps open, at about 20 KB each. Further connections are closed
 * immediately, so no client can use up the process's memory and file descriptors.
 */
export const MAX_CONNECTIONS = 8_000;

/**
 * Closes the connections of clients that have stopped reading, because the rest of the response would stay in memory.
 * Clients that read slowly or wait for their response keep their connections.
 */
export const endStalledAnswers = (server: Server, stalledMs = STALLED_MS): void => {
  server.setTimeout(stalledMs);
  server.on('request', (_, response: ServerResponse) =>
    response.on('timeout', (socket: Socket) => {
      if (socket.writableLength > 0) socket.destroy();
    }),
  );
};

/** At most two heavy reads per holder at a time. */
const turns = new KeyedSemaphore(2);
/** Size of a turn. After a burst of 16 MiB, each holder gets one turn per ms, i.e. about 8 MB per second. */
const TURN_BYTES = 8_192;
const pace = new KeyedPace(1, 2_048);

/**
 * Waits until a potentially large read may start (D-68): each owner, and the operator, may have two such reads at a
 * time across all APIs. An owner who has read a lot waits longer (ADR-220). Returns a function that ends the turn.
 */
export const takeHeavyReadTurn = async (holder: string): Promise<() => void> => {
  const release = await turns.acquire(holder);
  await pace.settle(holder);
  return release;
};

/** Counts a large response, which delays the holder's next heavy reads. */
export const countLargeAnswer = (holder: string, bytes: number): void => {
  pace.take(holder, bytes / TURN_BYTES);
};
