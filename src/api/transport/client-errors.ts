import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { newId } from '../../kernel/ids.js';
import { incompleteBody } from './body-reader.js';
import { DEFAULT_HEADERS } from './headers.js';
import { HTTP_MESSAGES } from './messages.js';
import { buildProblemView, HttpProblem } from './problem.view.js';

/** Limits on how long, and how many bytes, a lingering close reads from a connection after the last response. */
const LINGER_MS = 5_000;
const LINGER_BYTES = 20_971_520;

/** Connections being closed, each with the number of bytes received when its last response was sent. */
const closingConnections = new WeakMap<Duplex, number>();

const PENDING_REPLY = Symbol('pending reply');

interface Connection extends Socket {
  /**
   * The pending reply, or a reply that was sent before its request had fully arrived; null between requests, so that
   * their memory can be freed. A property, because a map would cost a microsecond per request.
   */
  [PENDING_REPLY]?: FastifyReply | null;
}

export const trackPendingReplies = (fastify: FastifyInstance): void => {
  fastify.addHook('onRequest', (request, reply, done) => {
    (request.raw.socket as Connection)[PENDING_REPLY] = reply;
    done();
  });
  fastify.addHook('onSend', ({ raw }, reply, _payload, done) => {
    const connection: Connection = raw.socket;
    // With pipelining, the reply of a later request may already be stored here.
    if (raw.complete && connection[PENDING_REPLY] === reply) connection[PENDING_REPLY] = null;
    done();
  });
};

/**
 * Responds to bytes that are not a complete HTTP request, in the same format as every other error (D-6, D-11), and ends
 * the connection. If a handler is waiting for the rest of the request, the handler responds instead: authentication and
 * the other checks come first (D-7), and the request is recorded in the endpoint's log (D-33). Bytes that still arrive
 * are read and discarded for a while, because closing the connection immediately would make the operating system drop
 * the response.
 * @param error the parser's error; after the first error, the parser also reports an error for any later data
 */
export const answerClientError = (error: Error & { readonly code?: string }, socket: Socket): void => {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const endedAt = closingConnections.get(socket);
  if (endedAt !== undefined) {
    if (socket.bytesRead - endedAt > LINGER_BYTES) socket.destroy();
    return;
  }
  const reply = (socket as Connection)[PENDING_REPLY] ?? null;
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT' && reply?.request.upload) return; // it has its own time limits
  if (!socket.writable) return void socket.destroy(error);
  closingConnections.set(socket, socket.bytesRead);
  const problem = problemForCode(error.code);
  const request = reply?.request;
  const isWhole = request?.raw.complete ?? true;
  // If an earlier request is unanswered, or its body has just been aborted, its response is the last.
  if (reply && !reply.sent && (isWhole || (request!.upload ?? request!.bodyReader)?.abort(problem)))
    return closeAfterResponse(request!, reply);
  linger(socket);
  if (reply?.sent && !isWhole)
    socket.end(); // already answered: a second response would be read as the response to another request
  else socket.end(serializeResponse(problem, reply?.sent === false ? request!.id : newId('req')));
};

/** Makes a response the last on its connection. A client that is still sending can read it. */
export const closeAfterResponse = ({ raw }: FastifyRequest, reply: FastifyReply): void => {
  const { socket } = raw;
  void reply.header('connection', 'close');
  // Node calls this after the last response. Its own version would close the connection while bytes are still arriving.
  socket.destroySoon = () => {
    socket.end();
    raw.resume();
    linger(socket);
  };
};

/** Rejects CONNECT, because the server is not a proxy. For CONNECT, Node passes the raw connection. */
const rejectConnect = (_request: IncomingMessage, socket: Duplex): void => {
  const allow = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'].join(', ');
  const problem = HttpProblem.withMessage(405, 'method_not_allowed', HTTP_MESSAGES.connect, { allow });
  linger(socket);
  socket.on('error', () => socket.destroy());
  socket.resume();
  socket.end(serializeResponse(problem, newId('req')));
};

/** Rejects every expectation except 100-continue (RFC 9110, 10.1.1), which Node handles itself. */
const rejectExpectation = (_request: IncomingMessage, response: ServerResponse): void => {
  const problem = HttpProblem.withMessage(417, 'expectation_failed', HTTP_MESSAGES.expectation);
  const id = newId('req');
  const body = JSON.stringify(buildProblemView(problem, id));
  response.writeHead(problem.status, buildHeaders(problem, id, body)).end(body);
};

/**
 * Headers that may occur only once (RFC 9110, 5.3). If repeated, Node uses the first; a proxy may have used the last.
 */
const SINGLE_HEADERS = ['host', 'authorization', 'content-type'];
const SINGLE_LENGTHS = new Set(SINGLE_HEADERS.map(({ length }) => length));

/**
 * Rejects HTTP/1.1 requests without a Host (RFC 9112, 3.2), which Node itself would reject without a response body.
 * Also rejects repeated headers that may occur only once.
 */
export const checkHeaders = (fastify: FastifyInstance): void => {
  fastify.addHook('onRequest', ({ raw, id }, reply, done) => {
    const message = findHeaderProblem(raw);
    if (message === null) return done();
    const problem = HttpProblem.withMessage(400, 'bad_request', message);
    void reply.code(problem.status).send(buildProblemView(problem, id));
  });
};

const findHeaderProblem = ({ headers, rawHeaders, httpVersion }: IncomingMessage): string | null => {
  if (headers.host === undefined && httpVersion === '1.1') return HTTP_MESSAGES.hostMissing;
  let seen = 0; // one bit per header
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const sent = rawHeaders[i]!;
    if (!SINGLE_LENGTHS.has(sent.length)) continue; // skips nearly all headers
    const index = SINGLE_HEADERS.indexOf(sent.toLowerCase());
    if (index < 0) continue;
    if (seen & (1 << index)) return HTTP_MESSAGES.headerTwice({ name: sent });
    seen |= 1 << index;
  }
  return null;
};

/** Starts a lingering close, which destroys the connection after {@link LINGER_MS}. */
const linger = (socket: Duplex & { readonly bytesRead?: number }): void => {
  if (!closingConnections.has(socket)) closingConnections.set(socket, socket.bytesRead ?? 0);
  const timer = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(timer));
};

const buildHeaders = ({ headers }: HttpProblem, id: string, body: string): Record<string, string | number> => ({
  'Content-Type': 'application/json; charset=utf-8',
  'Content-Length': Buffer.byteLength(body),
  'X-Request-Id': id,
  ...DEFAULT_HEADERS,
  ...headers,
});

const serializeResponse = (problem: HttpProblem, id: string): string => {
  const body = JSON.stringify(buildProblemView(problem, id));
  const headers = Object.entries({ ...buildHeaders(problem, id, body), Connection: 'close' });
  return [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    '',
    body,
  ].join('\r\n');
};

const PROBLEMS: Readonly<Record<string, () => HttpProblem>> = {
  ERR_HTTP_REQUEST_TIMEOUT: () => HttpProblem.withMessage(408, 'request_timeout', HTTP_MESSAGES.requestTimeout),
  HPE_HEADER_OVERFLOW: () => HttpProblem.withMessage(431, 'headers_too_large', HTTP_MESSAGES.headersTooLarge),
  HPE_INVALID_EOF_STATE: incompleteBody,
};

const problemForCode = (code = ''): HttpProblem =>
  PROBLEMS[code]?.() ?? HttpProblem.withMessage(400, 'bad_request', HTTP_MESSAGES.notHttp);

/** Rejects a request that matches no route because its path cannot be decoded. */
export const rejectUndecodablePath = (_error: Error, { id }: FastifyRequest, reply: FastifyReply): void => {
  const problem = HttpProblem.withMessage(400, 'bad_address', HTTP_MESSAGES.badPath);
  const headers = { ...DEFAULT_HEADERS, 'x-request-id': id };
  void reply.code(problem.status).headers(headers).send(buildProblemView(problem, id));
};

/** Sends responses in the usual form (D-6, D-11) to requests that Node would otherwise answer itself. */
export const replaceServerResponses = ({ server }: FastifyInstance): void => {
  server.on('checkExpectation', rejectExpectation).on('connect', rejectConnect);
};
