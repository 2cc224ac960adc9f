import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** The address that a server is to have, and the setting that names its port. */
export interface WantedAddress {
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  readonly portSetting: 'PORT' | 'METRICS_PORT';
}

/**
 * Binds a server to an address. Returns the port, which 0 leaves to the system.
 * @throws Error with a sentence for people if the address cannot be used
 */
export const listen = async (server: FastifyInstance, wanted: WantedAddress): Promise<number> => {
  try {
    await server.listen({ port: wanted.port, host: wanted.host });
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const sentence = SENTENCES[code]?.(wanted);
    throw sentence === undefined ? error : new Error(`${sentence} (${code})`, { cause: error });
  }
  return (server.server.address() as AddressInfo).port;
};

type Sentence = (wanted: WantedAddress) => string;

const notThisMachine: Sentence = ({ host }) =>
  `HOST ${host} is no address of this machine: take one that is, e.g. 127.0.0.1, or 0.0.0.0 for all of them`;

const SENTENCES: Readonly<Record<string, Sentence>> = {
  EADDRINUSE: ({ host, port, portSetting: name }) =>
    `${name} ${port} on ${host} is taken by another program: stop that, or set ${name} to another one (0 picks a free one)`,
  EACCES: ({ port, portSetting: name }) =>
    `${name} ${port} may not be used by this user: set ${name} to one from 1024 on`,
  EADDRNOTAVAIL: notThisMachine,
  ENOTFOUND: notThisMachine,
  EAI_AGAIN: notThisMachine,
};
