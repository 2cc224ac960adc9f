import type { AddressInfo } from 'node:net';
import type { Logger } from 'pino';
import { defaultBaseUrl, type Settings } from '../config/settings.js';
import { closeHttpServer, createHttpServer } from './http-server.js';
import { type Infrastructure, startInfrastructure } from './infrastructure.js';
import { type Networks, startNetworks } from './stand-ins.js';
import { startWorker } from './worker.js';

/** A process of the gateway, at work. */
export interface Running {
  readonly settings: Settings & { readonly baseUrl: string };
  readonly infrastructure: Infrastructure;
  readonly networks: Networks;
  /** Answers what is in flight, finishes what is being sent, then lets go of everything. */
  stop(): Promise<void>;
}

/** Starts the roles that the settings ask for. @throws Error with a sentence for people where that is not possible. */
export const start = async (given: Settings, log: Logger): Promise<Running> => {
  const undo: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse())
      await step().catch((error: unknown) => log.error({ error: String(error) }, 'stopping'));
  };
  try {
    const infrastructure = await startInfrastructure(given, log);
    undo.push(() => infrastructure.stop());
    const networks = await startNetworks(given, log);
    undo.push(() => networks.stop());
    if (given.roles.has('worker')) undo.push(await startWorker(given, infrastructure, networks.urls, log));
    // Shared by everyone behind HTTP; the base address joins it once the port is known.
    const settings = { ...given, operatorKey: infrastructure.keys.operatorKey, baseUrl: given.baseUrl ?? '' };
    const app = await createHttpServer(settings, infrastructure, networks, log);
    undo.push(() => closeHttpServer(app));
    await app.listen(settings.port, settings.host);
    const { port } = app.getHttpServer().address() as AddressInfo;
    settings.baseUrl = given.baseUrl ?? defaultBaseUrl(given.host, port);
    return { settings, infrastructure, networks, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};
