import type { AddressInfo } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Settings } from '../config/settings.js';

/**
 * Binds the web server to HOST and PORT. Returns the port, which `PORT=0` leaves to the system.
 * @throws Error with a sentence for people if the address cannot be used
 */
export const listen = async (
  app: NestFastifyApplication,
  { host, port }: Pick<Settings, 'host' | 'port'>,
): Promise<number> => {
  await app.init();
  try {
    await app.getHttpAdapter().getInstance().listen({ port, host }); // listen() of NestJS would log the error that is thrown here
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const sentence = SENTENCES[code]?.({ host, port });
    throw sentence === undefined ? error : new Error(`${sentence} (${code})`, { cause: error });
  }
  return (app.getHttpServer().address() as AddressInfo).port;
};

type Sentence = (wanted: { readonly host: string; readonly port: number }) => string;

const notThisMachine: Sentence = ({ host }) =>
  `HOST ${host} is no address of this machine: take one that is, e.g. 127.0.0.1, or 0.0.0.0 for all of them`;

const SENTENCES: Readonly<Record<string, Sentence>> = {
  EADDRINUSE: ({ host, port }) =>
    `PORT ${port} on ${host} is taken by another program: stop that, or set PORT to another one (0 picks a free one)`,
  EACCES: ({ port }) => `PORT ${port} may not be used by this user: set PORT to one from 1024 on`,
  EADDRNOTAVAIL: notThisMachine,
  ENOTFOUND: notThisMachine,
  EAI_AGAIN: notThisMachine,
};
