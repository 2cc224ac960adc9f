import { isIP, isIPv6, type Socket } from 'node:net';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import ipaddr from 'ipaddr.js';

declare module 'fastify' {
  interface FastifyRequest {
    /** The client's address (publish-api.md: Authentication, 7; TRUSTED_PROXIES), without IPv6 mapping or zone. */
    clientAddress: string;
  }
}

/** Placeholder for an unknown address. Only an allowlist with an entry such as `0.0.0.0/0` contains it. */
const UNKNOWN = '0.0.0.0';

/**
 * Records the client's address with each request. It reads the address as soon as the client connects, because Node
 * forgets an unread address once the connection is closed, and the request log of an accepted post needs it.
 */
export const recordClientAddresses = (fastify: FastifyInstance): void => {
  fastify.server.on('connection', (socket: Socket) => void socket.remoteAddress);
  let last = { address: UNKNOWN, normalized: UNKNOWN };
  fastify.decorateRequest('clientAddress', '');
  fastify.addHook('onRequest', (request, _reply, done) => {
    const address = readAddress(request);
    if (address !== last.address) last = { address, normalized: normalizeAddress(address) }; // often unchanged
    request.clientAddress = last.normalized;
    done();
  });
};

/**
 * Returns the client's address. If a proxy forwarded an invalid address, the nearest valid hop counts as the client.
 */
const readAddress = (request: FastifyRequest): string => {
  // Undefined if the client has disconnected, although Fastify's type does not say so.
  const address = request.ip as string | undefined;
  if (address !== undefined && isIP(address) !== 0) return address;
  return request.ips?.findLast((hop) => isIP(hop) !== 0) ?? UNKNOWN;
};

/**
 * Returns an address in the form used in allowlists and logs. A server that listens on `::` sees an IPv4 client as
 * `::ffff:192.0.2.7`, which becomes `192.0.2.7`. A zone (`fe80::1%br-lan`) is removed: it names a local interface, and
 * ipaddr.js throws for some zones that Node accepts.
 */
const normalizeAddress = (address: string): string =>
  isIPv6(address) ? ipaddr.process(address.replace(/%.*/, '')).toString() : address;
