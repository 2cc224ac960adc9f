import type { AddressInfo } from 'node:net';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import type { Settings } from '../config/settings.js';

/**
 * Binds the web server to HOST and PORT. Answers the port, which with `PORT=0` is known only now.
 * @throws Error with a sentence for people where that cannot be
 */
export const listen = async (
  app: NestFastifyApplication,
  { host, port }: Pick<Settings, 'host' | 'port'>,
): Promise<number> => {
  await app.init();
  try {
    await app.getHttpAdapter().getInstance().listen({ port, host }); // NestJS' own would log what is told here
  } catch (error) {
    const { code = '' } = error as NodeJS.ErrnoException;
    const sentence = SENTENCES[code]?.({ host, port });
    throw sentence === undefined ? error : new Error(`${sentence} (${code})`, { cause: error });
  }
  return (app.getHttpServer().address() as AddressInfo).port;
};

type Sentence = (wanted: { readonly host: string; readonly port: number }) => string;

const notOurs: Sentence = ({ host }) =>
  `HOST ${host} is no address of this machine: take one that is, e.g. 127.0.0.1, or 0.0.0.0 for all of them`;

const SENTENCES: Readonly<Record<string, Sentence>> = {
  EADDRINUSE: ({ host, port }) =>
    `PORT ${port} on ${host} is taken by another program: stop that, or set PORT to another one (0 picks a free one)`,
  EACCES: ({ port }) => `PORT ${port} may not be used by this user: set PORT to one from 1024 on`,
  EADDRNOTAVAIL: notOurs,
  ENOTFOUND: notOurs,
  EAI_AGAIN: notOurs,
};
