import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Cohort } from '../../runtime/event-loop-batch.js';
import { LIMITS } from '../../payload/payload.js';
import { HttpProblem } from './http-problem.js';
import { arrivedAt } from './request-batch.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** When the request's head had arrived: `performance.now()`, ms. */
    arrivedAt: number;
    /** How many bytes of the body have come so far, kept or not. */
    bytesCome: number;
    /**
     * Ends a body that is being read and will not come as a whole. False where nobody reads it any more; null where nobody
     * has begun to.
     */
    breakOff: ((problem: HttpProblem) => boolean) | null;
  }
}

/** What may bring a body, as the framework sees it. */
const METHODS = ['POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'];

/**
 * Hands bodies over unread. The framework's parsers would answer for us (413, 415, U+FFFD for bad bytes) before anyone
 * has looked at the token; here whoever is responsible reads the bytes when it is their turn (D-7). So the framework is
 * told that no method has a body.
 */
export const leaveBodiesUnread = (fastify: FastifyInstance): void => {
  fastify.decorateRequest('arrivedAt', 0);
  fastify.decorateRequest('bytesCome', 0);
  fastify.decorateRequest('breakOff', null);
  fastify.addHook('onRequest', (request, reply, done) => {
    request.arrivedAt = arrivedAt(request.raw);
    void reply.header('x-request-id', request.id);
    done();
  });
  for (const method of METHODS) fastify.addHttpMethod(method, { hasBody: false, overrideExisting: true });
};

/** A body as it came, or why it could not be read as a whole. */
export type ReceivedBody =
  { readonly ok: true; readonly bytes: Buffer } | { readonly ok: false; readonly problem: HttpProblem };

/** Follows a body on its way. */
export interface BodyWatcher {
  /** Some of it has come. */
  bodyMoves(): void;
  /** It is there as a whole, or will not come. */
  bodyIsRead(): void;
}

const NOBODY: BodyWatcher = { bodyMoves: () => undefined, bodyIsRead: () => undefined };

/** Bodies that are read, whose requests go on together. */
const read = new Cohort<() => void>((goOn) => goOn());

/**
 * Reads a body to its end. Never rejects: a body is `body_too_large` (400) past the limit (the rest is read and not kept,
 * up to four times as much, so that the client gets to see the answer), `body_incomplete` where it broke off.
 * @param watcher told of everything at the very moment
 * @param pass given a body that is too long to be kept, from its first byte on
 */
export const receiveBody = (
  request: FastifyRequest,
  watcher: BodyWatcher = NOBODY,
  pass: (chunk: Buffer) => void = () => undefined,
): Promise<ReceivedBody> => {
  const stream = request.raw;
  const limit = LIMITS.payloadBytes;
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let size = 0;
    let isOver = false;
    const settle = (received: ReceivedBody) => {
      isOver = true;
      watcher.bodyIsRead();
      read.add(() => resolve(received));
    };
    if (stream.readableEnded) return settle({ ok: true, bytes: Buffer.alloc(0) });
    if (stream.destroyed) return settle({ ok: false, problem: incomplete() }); // its client is gone, and says no more
    stream.on('data', (chunk: Buffer) => {
      if (isOver) return;
      watcher.bodyMoves();
      size += chunk.length;
      request.bytesCome = size;
      if (size <= limit) return void chunks.push(chunk);
      for (const kept of chunks.splice(0)) pass(kept);
      pass(chunk);
      if (size <= limit * 4) return;
      stream.pause();
      settle({ ok: false, problem: tooLarge() });
    });
    stream.on('end', () => {
      if (isOver) return;
      if (size > limit) settle({ ok: false, problem: tooLarge() });
      else settle({ ok: true, bytes: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks) });
    });
    const breakOff = (problem: HttpProblem): boolean => {
      if (isOver) return false;
      settle({ ok: false, problem });
      return true;
    };
    request.breakOff = breakOff;
    // Every body is closed, one that goes wrong as well; nearly all of them once they were read: what is not said is not
    // made either.
    stream.on('close', () => isOver || breakOff(incomplete()));
  });
};

/** More is written nowhere: what a client announces may be any number. */
const MAX_SIZE = 2 ** 31 - 1;

/**
 * How large a request's body is, in bytes, also where it was refused before it had come, or not kept: as much as was
 * announced (no more can come), else as much as has come so far.
 */
export const bodySizeOf = ({ headers, bytesCome }: FastifyRequest): number =>
  Math.min(Number(headers['content-length'] ?? bytesCome), MAX_SIZE);

/** Reads a body to its end. @throws HttpProblem as {@link receiveBody} tells it */
export const readBody = async (request: FastifyRequest): Promise<Buffer> => {
  const received = await receiveBody(request);
  if (!received.ok) throw received.problem;
  return received.bytes;
};

/** A body of which the end is missing. */
export const incomplete = (): HttpProblem =>
  HttpProblem.of(400, 'body_incomplete', 'The connection ended before the body did.');

const tooLarge = (): HttpProblem =>
  HttpProblem.of(400, 'body_too_large', `The body is larger than ${LIMITS.payloadBytes} bytes (5 MB): send less.`);
