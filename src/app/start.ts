import type { Logger } from 'pino';
import { defaultBaseUrl, type Settings } from '../config/settings.js';
import { closeHttpServer, createHttpServer } from './http-server.js';
import { type Infrastructure, startInfrastructure } from './infrastructure.js';
import { listen } from './listen.js';
import { type Networks, startNetworks } from './stand-ins.js';
import { startWorker } from './worker.js';

/** A process of the gateway, at work. */
export interface Running {
  readonly settings: Settings & { readonly baseUrl: string };
  /** Where it is reached from its own machine; BASE_URL may be a name that leads here only from outside. */
  readonly address: string;
  readonly infrastructure: Infrastructure;
  readonly networks: Networks;
  /** Answers what is in flight, finishes what is being sent, then lets go of everything. */
  stop(): Promise<void>;
}

/**
 * Starts the roles that the settings ask for. What has been started is stopped again where the rest cannot be.
 * @param signal gives the start up @throws Error with a sentence for people where it is not possible
 */
export const start = async (given: Settings, log: Logger, signal?: AbortSignal): Promise<Running> => {
  const undo: (() => Promise<void>)[] = [];
  const stop = async () => {
    for (const step of undo.splice(0).reverse())
      await step().catch((error: unknown) => log.error({ error: String(error) }, 'stopping'));
  };
  try {
    const infrastructure = await startInfrastructure(given, log, signal);
    undo.push(() => infrastructure.stop());
    signal?.throwIfAborted();
    const networks = await startNetworks(given, log);
    undo.push(() => networks.stop());
    if (given.roles.has('worker')) undo.push(await startWorker(given, infrastructure, networks.urls, log));
    // Shared by everyone behind HTTP; the base address joins it once the port is known.
    const settings = { ...given, operatorKey: infrastructure.keys.operatorKey, baseUrl: given.baseUrl ?? '' };
    const app = await createHttpServer(settings, infrastructure, networks, log);
    undo.push(() => closeHttpServer(app));
    const address = defaultBaseUrl(given.host, await listen(app, settings));
    signal?.throwIfAborted();
    settings.baseUrl = given.baseUrl ?? address;
    return { settings, address, infrastructure, networks, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};
