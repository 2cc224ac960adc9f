import type { FastifyInstance, FastifyRequest } from 'fastify';
import { EventLoopBatch } from '../../runtime/event-loop-batch.js';
import { LIMITS } from '../../payload/payload.js';
import { HttpProblem } from './http-problem.js';
import { readArrivalTime } from './request-batch.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The time at which the request's head arrived, by `performance.now()`, in ms. */
    arrivedAt: number;
    /** Bytes of the body that have arrived so far, kept or not. */
    receivedBytes: number;
    /**
     * Ends the reading of a body that will not arrive as a whole. Returns false if the reading has already ended; null until it
     * starts.
     */
    abortBody: ((problem: HttpProblem) => boolean) | null;
  }
}

/** Methods that have a body, by the framework's defaults. */
const METHODS = ['POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'];

/**
 * Disables the framework's body parsers. They would answer by themselves (413, 415, U+FFFD for invalid bytes) before the token
 * is checked; instead, the handlers read the bytes when the order of D-7 allows it. The framework is configured as if no
 * method had a body.
 */
export const disableBodyParsing = (fastify: FastifyInstance): void => {
  fastify.decorateRequest('arrivedAt', 0);
  fastify.decorateRequest('receivedBytes', 0);
  fastify.decorateRequest('abortBody', null);
  fastify.addHook('onRequest', (request, reply, done) => {
    request.arrivedAt = readArrivalTime(request.raw);
    void reply.header('x-request-id', request.id);
    done();
  });
  for (const method of METHODS) fastify.addHttpMethod(method, { hasBody: false, overrideExisting: true });
};

/** A body as it was sent, or the reason for which it could not be read as a whole. */
export type ReceivedBody =
  { readonly ok: true; readonly bytes: Buffer } | { readonly ok: false; readonly problem: HttpProblem };

/** Is notified while a body arrives. */
export interface BodyWatcher {
  /** A chunk arrived. */
  onBodyChunk(): void;
  /** The body has arrived as a whole, or will not. */
  onBodyEnd(): void;
}

const NO_WATCHER: BodyWatcher = { onBodyChunk: () => undefined, onBodyEnd: () => undefined };

/** Requests whose bodies were read; they continue together at the end of the event loop's turn. */
const completedBodies = new EventLoopBatch<() => void>((resume) => resume());

/**
 * Reads a body to its end. Never rejects. A body beyond the limit is `body_too_large` (400): the rest is read and discarded, up
 * to four times the limit, so that the client can read the answer. A body that ended early is `body_incomplete`.
 * @param watcher notified synchronously
 * @param pass receives all chunks of a body that is too large to be kept, from its first byte on
 */
export const receiveBody = (
  request: FastifyRequest,
  watcher: BodyWatcher = NO_WATCHER,
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
      watcher.onBodyEnd();
      completedBodies.add(() => resolve(received));
    };
    if (stream.readableEnded) return settle({ ok: true, bytes: Buffer.alloc(0) });
    if (stream.destroyed) return settle({ ok: false, problem: incompleteBody() }); // the client has disconnected
    stream.on('data', (chunk: Buffer) => {
      if (isOver) return;
      watcher.onBodyChunk();
      size += chunk.length;
      request.receivedBytes = size;
      if (size <= limit) return void chunks.push(chunk);
      for (const kept of chunks.splice(0)) pass(kept);
      pass(chunk);
      if (size <= limit * 4) return;
      stream.pause();
      settle({ ok: false, problem: oversizedBody() });
    });
    stream.on('end', () => {
      if (isOver) return;
      if (size > limit) settle({ ok: false, problem: oversizedBody() });
      else settle({ ok: true, bytes: chunks.length === 1 ? chunks[0]! : Buffer.concat(chunks) });
    });
    const abortBody = (problem: HttpProblem): boolean => {
      if (isOver) return false;
      settle({ ok: false, problem });
      return true;
    };
    request.abortBody = abortBody;
    // Every stream emits `close`, a failed one as well, and nearly all of them after the body was read. The problem is created
    // only if it is needed.
    stream.on('close', () => isOver || abortBody(incompleteBody()));
  });
};

/** Largest recorded size: a client may announce any number. */
const MAX_SIZE = 2 ** 31 - 1;

/**
 * Returns the size of a request's body, in bytes, also if the request was rejected before the body arrived, or the body was not
 * kept: the announced size (no more can arrive), otherwise the bytes that have arrived so far.
 */
export const measureBody = ({ headers, receivedBytes }: FastifyRequest): number =>
  Math.min(Number(headers['content-length'] ?? receivedBytes), MAX_SIZE);

/** Reads a body to its end. @throws HttpProblem see {@link receiveBody} */
export const readBody = async (request: FastifyRequest): Promise<Buffer> => {
  const received = await receiveBody(request);
  if (!received.ok) throw received.problem;
  return received.bytes;
};

/** Returns the problem of a body whose end is missing. */
export const incompleteBody = (): HttpProblem =>
  HttpProblem.withMessage(400, 'body_incomplete', 'The connection ended before the body was complete.');

const oversizedBody = (): HttpProblem =>
  HttpProblem.withMessage(
    400,
    'body_too_large',
    `The body is larger than ${LIMITS.payloadBytes} bytes (5 MB): send less.`,
  );
