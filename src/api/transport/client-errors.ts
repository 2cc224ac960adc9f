import { type IncomingMessage, type ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { newId } from '../../kernel/ids.js';
import { HttpProblem, problemBody } from './http-problem.js';
import { incomplete } from './raw-body.js';

/** How long, ms, and how much, bytes, a connection is still read from after its last answer. */
const LINGER_MS = 5_000;
const LINGER_BYTES = 20_971_520;

/** Connections that have had their last answer, or are about to, and where each stood then, in bytes. */
const ending = new WeakMap<Duplex, number>();

const AWAITED = Symbol('awaited');

interface Connection extends Socket {
  /**
   * The answer that it waits for, or got before its request was there as a whole; null between two requests, whose memory
   * is not to be held on to. A property: a map would cost each request a microsecond.
   */
  [AWAITED]?: FastifyReply | null;
}

/** Notes which request a connection is in the middle of. */
export const rememberArrivals = (fastify: FastifyInstance): void => {
  fastify.addHook('onRequest', (request, reply, done) => {
    (request.raw.socket as Connection)[AWAITED] = reply;
    done();
  });
  fastify.addHook('onSend', ({ raw }, reply, _payload, done) => {
    const connection: Connection = raw.socket;
    // Where requests come without waiting for answers, a later one may stand there.
    if (raw.complete && connection[AWAITED] === reply) connection[AWAITED] = null;
    done();
  });
};

/**
 * Answers what the HTTP parser could make no request of, or no whole one, in the form of every other error (D-6, D-11),
 * and ends the connection. Where somebody waits for the rest of a request, it is theirs to answer: whose it is, and whether
 * it may be at all, comes first (D-7), and an endpoint's log is to tell of it (D-33). What still comes is read and thrown
 * away for a while: to hang up on it would make the system drop the answer.
 * @param error of the parser, which tells of everything that it is fed after the first, too
 */
export const answerClientError = (error: Error & { readonly code?: string }, socket: Socket): void => {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  const endedAt = ending.get(socket);
  if (endedAt !== undefined) {
    if (socket.bytesRead - endedAt > LINGER_BYTES) socket.destroy();
    return;
  }
  if (!socket.writable) return void socket.destroy(error);
  ending.set(socket, socket.bytesRead);
  const problem = problemOf(error.code);
  const reply = (socket as Connection)[AWAITED] ?? null;
  const request = reply?.request;
  const isWhole = request?.raw.complete ?? true;
  // What came before is still to be answered, or has just been told of this: that answer is the last.
  if (reply && !reply.sent && (isWhole || request!.breakOff?.(problem))) return closeAfter(request!, reply);
  linger(socket);
  if (reply?.sent && !isWhole)
    socket.end(); // its answer is out: a second one would be taken for another request's
  else socket.end(answerOf(problem, reply?.sent === false ? request!.id : newId('req')));
};

/** Has an answer be the last of its connection. A client that goes on sending gets to see it. */
export const closeAfter = ({ raw }: FastifyRequest, reply: FastifyReply): void => {
  const { socket } = raw;
  void reply.header('connection', 'close');
  // What the server calls when its last answer is out: by itself it would hang up on what still comes.
  socket.destroySoon = () => {
    socket.end();
    raw.resume();
    linger(socket);
  };
};

/** A server is no proxy. Node hands such a connection over as it is. */
export const answerConnect = (_request: IncomingMessage, socket: Duplex): void => {
  const message = 'This is no proxy: there are no tunnels through it.';
  linger(socket);
  socket.on('error', () => socket.destroy());
  socket.resume();
  socket.end(answerOf(HttpProblem.of(405, 'method_not_allowed', message, { allow: 'GET, POST, PATCH' }), newId('req')));
};

/** The one expectation that there is (RFC 9110, 10.1.1) is met before this is asked. */
export const answerExpectation = (_request: IncomingMessage, response: ServerResponse): void => {
  const problem = HttpProblem.of(417, 'expectation_failed', 'Nothing but 100-continue can be expected: leave it out.');
  const id = newId('req');
  const body = JSON.stringify(problemBody(problem, id));
  response.writeHead(problem.status, headersOf(problem, id, body)).end(body);
};

/** HTTP/1.1 wants a Host (RFC 9112, 3.2); Node would say so without a word. */
export const requireHost = (fastify: FastifyInstance): void => {
  fastify.addHook('onRequest', ({ raw, id }, reply, done) => {
    if (raw.headers.host !== undefined || raw.httpVersion !== '1.1') return done();
    const problem = HttpProblem.of(400, 'bad_request', 'The header Host is missing.');
    void reply.code(problem.status).send(problemBody(problem, id));
  });
};

/** What still comes is read for a while, and not for longer. */
const linger = (socket: Duplex & { readonly bytesRead?: number }): void => {
  if (!ending.has(socket)) ending.set(socket, socket.bytesRead ?? 0);
  const patience = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(patience));
};

const headersOf = ({ headers }: HttpProblem, id: string, body: string): Record<string, string | number> => ({
  'Content-Type': 'application/json; charset=utf-8',
  'Content-Length': Buffer.byteLength(body),
  'X-Request-Id': id,
  ...headers,
});

const answerOf = (problem: HttpProblem, id: string): string => {
  const body = JSON.stringify(problemBody(problem, id));
  const headers = Object.entries({ ...headersOf(problem, id, body), Connection: 'close' });
  return [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    '',
    body,
  ].join('\r\n');
};

const PROBLEMS: Readonly<Record<string, () => HttpProblem>> = {
  ERR_HTTP_REQUEST_TIMEOUT: () =>
    HttpProblem.of(408, 'request_timeout', 'The request did not come to its end in time: send it again.'),
  HPE_HEADER_OVERFLOW: () => HttpProblem.of(431, 'headers_too_large', 'The headers are larger than 16 KiB: send less.'),
  HPE_INVALID_EOF_STATE: incomplete,
};

const problemOf = (code = ''): HttpProblem =>
  PROBLEMS[code]?.() ?? HttpProblem.of(400, 'bad_request', 'This is not an HTTP request.');

/** Answers what has no route because its address cannot be read. */
export const answerUnreadableAddress = (_error: Error, { id }: FastifyRequest, reply: FastifyReply): void => {
  const problem = HttpProblem.of(400, 'bad_address', 'The path cannot be decoded: check its percent signs.');
  void reply.code(problem.status).header('x-request-id', id).send(problemBody(problem, id));
};
