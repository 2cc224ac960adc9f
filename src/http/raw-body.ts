import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { IncomingMessage } from 'node:http';
import { LIMITS } from '../payload/payload.js';
import { HttpProblem } from './http-problem.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** Content-Type as it was sent. */
    contentTypeSent: string | undefined;
    /** When the request's head had arrived: `performance.now()`, ms. */
    arrivedAt: number;
  }
}

/**
 * Hands bodies over unread. The framework's parsers would answer for us (413, 415, U+FFFD for bad bytes) before anyone
 * has looked at the token; here whoever is responsible reads the bytes when it is their turn (D-7).
 */
export const leaveBodiesUnread = (fastify: FastifyInstance): void => {
  fastify.decorateRequest('contentTypeSent', undefined);
  fastify.decorateRequest('arrivedAt', 0);
  fastify.addHook('onRequest', (request, reply, done) => {
    request.arrivedAt = performance.now();
    request.contentTypeSent = request.headers['content-type'];
    // A media type that the framework cannot read must not be refused before its time.
    if (request.contentTypeSent !== undefined) request.raw.headers['content-type'] = 'application/octet-stream';
    void reply.header('x-request-id', request.id);
    done();
  });
  fastify.removeAllContentTypeParsers();
  fastify.addContentTypeParser(
    '*',
    (_request: FastifyRequest, payload: IncomingMessage, done: (e: null, body: unknown) => void) => {
      done(null, payload);
    },
  );
};

/**
 * Reads a body to its end.
 * @throws HttpProblem 400 `body_too_large` past the limit (the rest is read and thrown away, up to four times as much,
 * so that the client gets to see the answer), 408 where it does not come.
 */
export const readBody = (request: FastifyRequest, limit: number = LIMITS.payloadBytes): Promise<Buffer> => {
  const stream = request.raw;
  const tooLarge = () =>
    HttpProblem.of(400, 'body_too_large', `The body is larger than ${limit} bytes (5 MB): send less.`);
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const stop = () => {
      stream.off('data', take);
      stream.off('end', end);
      stream.off('error', broken);
      stream.off('close', broken);
    };
    const take = (chunk: Buffer) => {
      size += chunk.length;
      if (size <= limit) chunks.push(chunk);
      else if (size > limit * 4) {
        stop();
        stream.pause();
        reject(tooLarge());
      } else chunks.length = 0;
    };
    const end = () => {
      stop();
      if (size > limit) reject(tooLarge());
      else resolve(chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks));
    };
    const broken = () => {
      stop();
      reject(HttpProblem.of(400, 'body_incomplete', 'The connection ended before the body did.'));
    };
    if (stream.readableEnded) return resolve(Buffer.alloc(0));
    stream.on('data', take);
    stream.on('end', end);
    stream.on('error', broken);
    stream.on('close', broken);
  });
};
