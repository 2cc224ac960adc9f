import type { FastifyInstance } from 'fastify';

/** Headers of every response, unless its handler sets them (D-88). Only files that are the same for all may be stored. */
export const DEFAULT_HEADERS = { 'x-content-type-options': 'nosniff', 'cache-control': 'no-store' } as const;

/** Adds the default headers to a server's responses, including the responses of hooks. */
export const addDefaultHeaders = (fastify: FastifyInstance): void => {
  fastify.addHook('onSend', (_request, reply, _payload, done) => {
    void reply.header('x-content-type-options', DEFAULT_HEADERS['x-content-type-options']);
    if (!reply.hasHeader('cache-control')) void reply.header('cache-control', DEFAULT_HEADERS['cache-control']);
    done();
  });
};
