import type { FastifyInstance, FastifyRequest } from 'fastify';
import { type Instant, systemClock } from '../../kernel/clock.js';
import { BodyReader } from './body-reader.js';
import { readArrivalTime } from './request-batch.js';
import type { RequestMemory } from './request-memory.js';

declare module 'fastify' {
  interface FastifyInstance {
    requestMemory: RequestMemory;
  }
  interface FastifyRequest {
    /** When the request head arrived: `performance.now()` timestamp, in ms. */
    arrivedAt: number;
    /** Wall-clock time at which the framework received the request head. */
    receivedAt: Instant;
    /** Bytes of the body that have arrived so far, kept or not. */
    receivedBytes: number;
    /** Null until the body is read. */
    bodyReader: BodyReader | null;
  }
}

/** Methods for which the framework parses a request body by default. */
const METHODS = ['POST', 'PATCH', 'PUT', 'DELETE', 'OPTIONS'];

/**
 * Disables the framework's body parsers. They would respond (413, 415) or replace invalid bytes with U+FFFD before the
 * token is checked. Instead, handlers read the bytes when the order of D-7 allows it.
 */
export const disableBodyParsing = (fastify: FastifyInstance, memory: RequestMemory): void => {
  fastify.decorate('requestMemory', memory);
  fastify.decorateRequest('arrivedAt', 0);
  fastify.decorateRequest('receivedAt', 0);
  fastify.decorateRequest('receivedBytes', 0);
  fastify.decorateRequest('bodyReader', null);
  fastify.addHook('onRequest', (request, reply, done) => {
    request.arrivedAt = readArrivalTime(request.raw);
    request.receivedAt = systemClock.now();
    void reply.header('x-request-id', request.id);
    done();
  });
  fastify.addHook('onSend', (request, _reply, _payload, done) => {
    request.bodyReader?.finish();
    done();
  });
  for (const method of METHODS) fastify.addHttpMethod(method, { hasBody: false, overrideExisting: true });
};

/** True if requests with this method have a body in this API. The request signature then covers the body. */
export const hasBody = ({ method }: Pick<FastifyRequest, 'method'>): boolean =>
  method === 'POST' || method === 'PATCH' || method === 'PUT';

/** Cap on the size to record, because a client can announce any number. */
const MAX_SIZE = 2 ** 31 - 1;

/**
 * Returns the size of a request's body, in bytes, even if it was not kept: the announced size (no more can arrive) or,
 * if none was announced, the number of bytes received so far.
 */
export const measureBody = ({ headers, receivedBytes }: FastifyRequest): number =>
  Math.min(Number(headers['content-length'] ?? receivedBytes), MAX_SIZE);

/** Reads the whole body of an authenticated request. @throws HttpProblem see {@link BodyReader} */
export const readBody = async (request: FastifyRequest, holder: string): Promise<Buffer> => {
  const reader = new BodyReader(request, request.server.requestMemory, null);
  reader.keep(holder);
  const received = await reader.receive();
  if (!received.ok) throw received.problem;
  return received.bytes;
};
