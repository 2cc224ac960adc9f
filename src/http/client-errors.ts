import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { newId } from '../kernel/ids.js';
import { HttpProblem, problemBody } from './http-problem.js';

/** How long, ms, and how much, bytes, a connection is still read from after its last answer. */
const LINGER_MS = 5_000;
const LINGER_BYTES = 20_971_520;

/** Connections that have had their last answer, and where each stood then, in bytes. */
const ending = new WeakMap<Socket, number>();

/**
 * Answers what the HTTP parser could make no request of, or no whole one, in the form of every other error (D-6, D-11),
 * and ends the connection. What still comes is read and thrown away for a while: to hang up on it would make the
 * system drop the answer. @param error of the parser, which tells of everything that it is fed after the first, too
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
  socket.end(answerTo(error));
  const patience = setTimeout(() => socket.destroy(), LINGER_MS).unref();
  socket.once('close', () => clearTimeout(patience));
};

const answerTo = ({ code }: { readonly code?: string }): string => {
  const problem = problemOf(code);
  const id = newId('req');
  const body = JSON.stringify(problemBody(problem, id));
  return [
    `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
    'Content-Type: application/json; charset=utf-8',
    `Content-Length: ${Buffer.byteLength(body)}`,
    `X-Request-Id: ${id}`,
    'Connection: close',
    '',
    body,
  ].join('\r\n');
};

const PROBLEMS: Readonly<Record<string, readonly [status: number, code: string, message: string]>> = {
  ERR_HTTP_REQUEST_TIMEOUT: [408, 'request_timeout', 'The request did not come to its end in time: send it again.'],
  HPE_HEADER_OVERFLOW: [431, 'headers_too_large', 'The headers are larger than 16 KiB: send less.'],
  HPE_INVALID_EOF_STATE: [400, 'body_incomplete', 'The connection ended before the request did.'],
};

const problemOf = (code = ''): HttpProblem =>
  HttpProblem.of(...(PROBLEMS[code] ?? ([400, 'bad_request', 'This is not an HTTP request.'] as const)));

/** Answers what has no route because its address cannot be read. */
export const answerUnreadableAddress = (_error: Error, { id }: FastifyRequest, reply: FastifyReply): void => {
  const problem = HttpProblem.of(400, 'bad_address', 'The path cannot be decoded: check its percent signs.');
  void reply.code(problem.status).header('x-request-id', id).send(problemBody(problem, id));
};
