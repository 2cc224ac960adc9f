import { join } from 'node:path';
import type { Logger } from 'pino';
import type { Settings } from '../config/settings.js';
import { startTelegramStandIn } from '../stand-ins/telegram/telegram-stand-in.js';
import type { RunningStandIn } from '../stand-ins/kit/server.js';
import type { PlatformUrls } from './worker.js';

/** The networks' own addresses (platforms.md §1). */
const REAL: PlatformUrls = {
  telegram: 'https://api.telegram.org',
  vk: 'https://api.vk.ru',
  max: 'https://platform-api2.max.ru',
  ok: 'https://api.ok.ru',
};

/** Where the networks are for this process, and the stand-ins that had to be started for it. */
export interface Networks {
  readonly urls: PlatformUrls;
  /** Base addresses of the stand-ins that this process runs. */
  readonly standIns: readonly string[];
  stop(): Promise<void>;
}

/** In demo mode a stand-in for each network without an address of its own; else the networks themselves. */
export const startNetworks = async (settings: Settings, logger: Logger): Promise<Networks> => {
  const given = settings.apiUrls;
  const running: RunningStandIn[] = [];
  const urls = {
    ...REAL,
    ...Object.fromEntries(Object.entries(given).filter(([, url]) => url !== null)),
  } as PlatformUrls;
  if (settings.demo && given.telegram === null) {
    const ledgerFile = join(settings.dataDir, 'stand-ins', 'telegram.jsonl');
    const telegram = await startTelegramStandIn({ port: 0, ledgerFile, logger });
    running.push(telegram);
    return finish({ ...urls, telegram: telegram.url }, running);
  }
  return finish(urls, running);
};

const finish = (urls: PlatformUrls, running: readonly { url: string; stop(): Promise<void> }[]): Networks => ({
  urls,
  standIns: running.map(({ url }) => url),
  stop: async () => void (await Promise.all(running.map((standIn) => standIn.stop()))),
});
