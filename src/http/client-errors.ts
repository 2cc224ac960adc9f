import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { newId } from '../kernel/ids.js';
import { HttpProblem, problemBody } from './http-problem.js';

/**
 * Answers what the HTTP parser could make no request of, or no whole one, in the form of every other error (D-6, D-11),
 * and ends the connection.
 */
export const answerClientError = (error: Error & { readonly code?: string }, socket: Socket): void => {
  if (error.code === 'ECONNRESET' || socket.destroyed) return;
  if (socket.writable) {
    const problem = problemOf(error.code);
    const id = newId('req');
    const body = JSON.stringify(problemBody(problem, id));
    socket.write(
      [
        `HTTP/1.1 ${problem.status} ${STATUS_CODES[problem.status]}`,
        'Content-Type: application/json; charset=utf-8',
        `Content-Length: ${Buffer.byteLength(body)}`,
        `X-Request-Id: ${id}`,
        'Connection: close',
        '',
        body,
      ].join('\r\n'),
    );
  }
  socket.destroy(error);
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
