import { isIPv6, type Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import ipaddr from 'ipaddr.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The client's address (publish-api.md: Authentication, 7; TRUSTED_PROXIES): IPv4 written in IPv6 as IPv4, without a zone. */
    clientAddress: string;
  }
}

/** Stands for an address that nobody knows: no allowlist means it. */
const UNKNOWN = '0.0.0.0';

/**
 * Asks for each client's address when it connects, and remembers it with each request. Once a client has hung up its socket
 * knows no address that it was never asked for, and an accepted post needs it for the request log.
 */
export const rememberClientAddresses = (fastify: FastifyInstance): void => {
  fastify.server.on('connection', (socket: Socket) => void socket.remoteAddress);
  let last = { address: UNKNOWN, plain: UNKNOWN };
  fastify.decorateRequest('clientAddress', '');
  fastify.addHook('onRequest', (request, _reply, done) => {
    // A client may be gone even before; Fastify's type does not know that.
    const address = (request.ip as string | undefined) ?? UNKNOWN;
    if (address !== last.address) last = { address, plain: plain(address) }; // a client seldom comes once
    request.clientAddress = last.plain;
    done();
  });
};

/**
 * A server that listens on `::` sees IPv4 clients as `::ffff:192.0.2.7`: who looks for one looks for `192.0.2.7`. A zone
 * (`fe80::1%br-lan`) is a name of our own for the way to the client; ipaddr.js throws at some that Node takes.
 */
const plain = (address: string): string =>
  isIPv6(address) ? ipaddr.process(address.replace(/%.*/, '')).toString() : address;
