import type { DemoChannel } from '../kit/descriptor.js';
import { Ledger } from '../kit/ledger.js';
import { MediaStore } from '../kit/media-store.js';
import { type RunningStandIn, serveStandIn, type StandInOptions } from '../kit/server.js';
import { Wall } from '../walls/wall.js';
import { Chats } from './chats.js';
import { MaxNetwork } from './max-network.js';
import { RateLimits } from './rate-limits.js';
import { THEME } from './theme.js';
import { Uploads } from './uploads.js';

/** The demo's channel on MAX. */
export const DEMO_CHANNEL = {
  name: 'Harbour News',
  credentials: { access_token: 'DemoDemoDemoDemoDemoDemoDemoDemo', chat_id: '-70912345678901' },
} as const satisfies DemoChannel;

/**
 * Starts a server that behaves like MAX's Bot API for posting bots (networks.md §1–§3, §8): `GET /me`,
 * `GET /chats/{chatId}` and its `/members/me`, `POST` and `GET /messages`, `POST /uploads` with separate upload
 * addresses. It accepts any token and any numeric chat unless a control changes their state. Messages accepted before a
 * stop or kill are restored, uploads included.
 */
export const startMaxStandIn = async (options: StandInOptions): Promise<RunningStandIn> => {
  const chats = new Chats();
  const demo = chats.getOrCreate(DEMO_CHANNEL.credentials.chat_id);
  if (demo) demo.title = DEMO_CHANNEL.name;
  const media = new MediaStore(`${options.ledgerFile}.media`);
  const wall = new Wall('max', 'MAX', media.folder, THEME);
  const ledger = await Ledger.open({
    file: options.ledgerFile,
    platform: 'max',
    onEntry: (entry) => {
      chats.addMessage(entry);
      wall.add(entry);
    },
  });
  const posting = { chats, uploads: new Uploads(media), limits: new RateLimits(), ledger, notReady: 0 };
  return serveStandIn({ network: new MaxNetwork(posting), ledger, wall }, options);
};
