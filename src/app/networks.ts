import { chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from 'pino';
import { STAND_INS } from '../../stand-ins/catalogue.js';
import type { StandInDescriptor } from '../../stand-ins/kit/network.js';
import type { RunningStandIn } from '../../stand-ins/kit/server.js';
import type { Settings } from '../config/settings.js';
import { PLATFORMS } from '../platforms/catalogue.js';
import type { PlatformCatalogue } from '../platforms/platform-catalogue.js';

/** The networks that a process knows, and the stand-ins that it may start for them. */
export interface NetworkCatalogues {
  readonly platforms: PlatformCatalogue;
  readonly standIns: readonly StandInDescriptor[];
}

/** The networks built into the program. */
export const BUILT_IN_NETWORKS: NetworkCatalogues = { platforms: PLATFORMS, standIns: STAND_INS };

/** Injection token for the {@link Networks}. */
export const NETWORKS = Symbol('Networks');

/** The networks of a process: their URLs, and the stand-ins that the process runs. */
export interface Networks {
  readonly platforms: PlatformCatalogue;
  /** Base URLs, by network. */
  readonly urls: Readonly<Record<string, string>>;
  readonly standIns: readonly NetworkStandIn[];
  stop(): Promise<void>;
}

/** A stand-in that this process runs. */
type NetworkStandIn = StandInDescriptor & RunningStandIn;

/** In demo mode, starts a stand-in for each network without a base URL; otherwise uses the network's default URL. */
export const startNetworks = async (
  settings: Settings,
  logger: Logger,
  { platforms, standIns }: NetworkCatalogues = BUILT_IN_NETWORKS,
): Promise<Networks> => {
  const running: NetworkStandIn[] = [];
  if (settings.demo) {
    // The ledgers contain posts, so only this user may read them, even if an earlier version created the folder.
    const folder = join(settings.dataDir, 'stand-ins');
    await mkdir(folder, { recursive: true, mode: 0o700 });
    await chmod(folder, 0o700).catch(() => undefined); // owned by another user
    for (const descriptor of standIns) {
      const { platform, start } = descriptor;
      if (typeof settings.apiUrls[platform] === 'string') continue;
      const ledgerFile = join(folder, `${platform}.jsonl`);
      const { minuteMs } = settings;
      running.push({ ...descriptor, ...(await start({ port: 0, ledgerFile, logger, minuteMs })) });
    }
  }
  const urlOf = (id: string): string =>
    settings.apiUrls[id] ?? running.find(({ platform }) => platform === id)?.url ?? platforms.get(id).baseUrl.default;
  return {
    platforms,
    urls: Object.fromEntries(platforms.ids.map((id) => [id, urlOf(id)])),
    standIns: running,
    stop: async () => void (await Promise.all(running.map((standIn) => standIn.stop()))),
  };
};
