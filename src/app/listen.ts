import type { AddressInfo } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { START_MESSAGES } from './messages.js';

interface WantedAddress {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly portSetting: 'PORT' | 'METRICS_PORT';
}

/**
 * Makes a server listen on an address, and returns the port.
 * @throws Error with a human-readable message if the address cannot be used
 */
export const listen = async (server: FastifyInstance, wanted: WantedAddress): Promise<number> => {
  try {
    await server.listen({ port: wanted.port, host: wanted.host });
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const problem = SENTENCES[code]?.(wanted);
    throw problem === undefined ? error : new Error(START_MESSAGES.withCode({ problem, code }), { cause: error });
  }
  return (server.server.address() as AddressInfo).port;
};

type Sentence = (wanted: WantedAddress) => string;

const notThisMachine: Sentence = ({ host }) => START_MESSAGES.notThisMachine({ host });

const SENTENCES: Readonly<Record<string, Sentence>> = {
  EADDRINUSE: ({ host, port, portSetting: setting }) => START_MESSAGES.portTaken({ setting, port, host }),
  EACCES: ({ port, portSetting: setting }) => START_MESSAGES.portNotAllowed({ setting, port }),
  EADDRNOTAVAIL: notThisMachine,
  ENOTFOUND: notThisMachine,
  EAI_AGAIN: notThisMachine,
};
