import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Settings } from '../config/settings.js';
import { startMaxStandIn } from '../stand-ins/max/max-stand-in.js';
import { startOkStandIn } from '../stand-ins/ok/ok-stand-in.js';
import { startTelegramStandIn } from '../stand-ins/telegram/telegram-stand-in.js';
import { startVkStandIn } from '../stand-ins/vk/vk-stand-in.js';
import type { RunningStandIn } from '../stand-ins/kit/server.js';
import type { PlatformUrls } from './worker.js';

/** The networks' own addresses (networks.md §1). */
const REAL: PlatformUrls = {
  telegram: 'https://api.telegram.org',
  vk: 'https://api.vk.ru',
  max: 'https://platform-api2.max.ru',
  ok: 'https://api.ok.ru',
};

/** How each network's stand-in is started. */
const STAND_INS = { telegram: startTelegramStandIn, vk: startVkStandIn, max: startMaxStandIn, ok: startOkStandIn };

/** Injection token of the {@link Networks}. */
export const NETWORKS = Symbol('Networks');

/** Where the networks are for this process, and the stand-ins that had to be started for it. */
export interface Networks {
  readonly urls: PlatformUrls;
  /** Base addresses of the stand-ins that this process runs, by network. */
  readonly standIns: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** In demo mode a stand-in for each network without an address of its own; else the networks themselves. */
export const startNetworks = async (settings: Settings, logger: Logger): Promise<Networks> => {
  const given = Object.fromEntries(Object.entries(settings.apiUrls).filter(([, url]) => url !== null));
  const running: Record<string, RunningStandIn> = {};
  if (settings.demo) {
    for (const [platform, startStandIn] of Object.entries(STAND_INS)) {
      if (given[platform] !== undefined) continue;
      const ledgerFile = join(settings.dataDir, 'stand-ins', `${platform}.jsonl`);
      running[platform] = await startStandIn({ port: 0, ledgerFile, logger });
    }
  }
  const standIns = Object.fromEntries(Object.entries(running).map(([platform, { url }]) => [platform, url]));
  return {
    urls: { ...REAL, ...standIns, ...given },
    standIns,
    stop: async () => void (await Promise.all(Object.values(running).map((standIn) => standIn.stop()))),
  };
};
