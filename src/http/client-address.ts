import type { FastifyInstance } from 'fastify';

/** Stands for an address that nobody knows: no allowlist means it. */
const UNKNOWN = '0.0.0.0';

/**
 * Asks for each request's address when it arrives. Once a client has hung up its socket has none any more, and an
 * accepted post needs it for the request log.
 */
export const rememberClientAddresses = (fastify: FastifyInstance): void => {
  fastify.addHook('onRequest', (request, _reply, done) => {
    // A client may be gone even before; Fastify's type does not know that.
    const address = request.ip as string | undefined;
    Object.defineProperty(request, 'ip', { value: address ?? UNKNOWN });
    done();
  });
};
