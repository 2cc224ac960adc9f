import type { FastifyInstance } from 'fastify';

declare module 'fastify' {
  interface FastifyRequest {
    /** The client's address (spec: Authentication, 7; TRUSTED_PROXIES). */
    clientAddress: string;
  }
}

/** Stands for an address that nobody knows: no allowlist means it. */
const UNKNOWN = '0.0.0.0';

/**
 * Asks for each request's address when it arrives. Once a client has hung up its socket has none any more, and an
 * accepted post needs it for the request log.
 */
export const rememberClientAddresses = (fastify: FastifyInstance): void => {
  fastify.decorateRequest('clientAddress', '');
  fastify.addHook('onRequest', (request, _reply, done) => {
    // A client may be gone even before; Fastify's type does not know that.
    const address = request.ip as string | undefined;
    request.clientAddress = address ?? UNKNOWN;
    done();
  });
};
