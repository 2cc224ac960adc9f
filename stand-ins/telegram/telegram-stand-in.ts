import type { DemoChannel } from '../kit/descriptor.js';
import { Ledger } from '../kit/ledger.js';
import { MediaStore } from '../kit/media-store.js';
import { type RunningStandIn, serveStandIn, type StandInOptions } from '../kit/server.js';
import { Wall } from '../walls/wall.js';
import { Chats, type KnownChat } from './chats.js';
import { RateLimits } from './rate-limits.js';
import { TelegramNetwork } from './telegram-network.js';
import { THEME } from './theme.js';

/** The demo's channel on Telegram. */
export const DEMO_CHANNEL = {
  name: 'Harbour News',
  credentials: { bot_token: '7000000001:DemoDemoDemoDemoDemoDemoDemoDemoDem', chat_id: '@harbour_news' },
} as const satisfies DemoChannel;

/** Options for the Telegram stand-in. */
export interface TelegramStandInOptions extends StandInOptions {
  /** Chats with names; every other chat also exists, under its number or `@name`. */
  readonly chats?: readonly KnownChat[];
}

/**
 * Starts a server that behaves like `api.telegram.org` for posting bots (networks.md §1–§3, §8): `getMe`, `getChat`,
 * `getChatMember`, `sendMessage`, `sendPhoto`, `sendVideo`, `sendAudio`, `sendDocument`, `sendMediaGroup`. It accepts
 * any token in the right format and any chat unless a control changes their state. Messages accepted before a stop or
 * kill are restored.
 */
export const startTelegramStandIn = async (options: TelegramStandInOptions): Promise<RunningStandIn> => {
  const demo = { id: DEMO_CHANNEL.credentials.chat_id, title: DEMO_CHANNEL.name };
  const chats = new Chats([demo, ...(options.chats ?? [])]);
  const media = new MediaStore(`${options.ledgerFile}.media`);
  const wall = new Wall('telegram', 'Telegram', media.folder, THEME);
  const ledger = await Ledger.open({
    file: options.ledgerFile,
    platform: 'telegram',
    onEntry: (entry) => {
      chats.restore(entry);
      wall.add(entry);
    },
  });
  const network = new TelegramNetwork({ chats, limits: new RateLimits(), ledger, media });
  return serveStandIn({ network, ledger, wall }, options);
};
