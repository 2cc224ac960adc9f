import { DEMO_CHANNELS } from '../demo-channels.js';
import { Ledger } from '../kit/ledger.js';
import { MediaStore } from '../kit/media-store.js';
import { serveStandIn, type RunningStandIn, type StandInOptions } from '../kit/server.js';
import { Wall } from '../walls/wall.js';
import { Chats } from './chats.js';
import { MaxNetwork } from './max-network.js';
import { RateLimits } from './rate-limits.js';
import { Uploads } from './uploads.js';

/**
 * Starts a server that behaves like MAX's Bot API for posting bots (networks.md §1–§3, §8): `GET /me`,
 * `POST` and `GET /messages`, `POST /uploads` with upload addresses of its own. Any token and any numeric chat exist
 * until a control says otherwise. What was accepted before a stop or a kill is there again, uploads included.
 */
export const startMaxStandIn = async (options: StandInOptions): Promise<RunningStandIn> => {
  const chats = new Chats();
  for (const { platform, name, credentials } of DEMO_CHANNELS) {
    const chat = platform === 'max' ? chats.find(credentials['chat_id'] ?? '') : null;
    if (chat) chat.title = name;
  }
  const media = new MediaStore(`${options.ledgerFile}.media`);
  const wall = new Wall('max', 'MAX', media.folder);
  const ledger = await Ledger.open({
    file: options.ledgerFile,
    platform: 'max',
    onEntry: (entry) => {
      chats.add(entry);
      wall.add(entry);
    },
  });
  const posting = { chats, uploads: new Uploads(media), limits: new RateLimits(), ledger, notReady: 0 };
  try {
    return await serveStandIn({ network: new MaxNetwork(posting), ledger, wall }, options);
  } catch (error) {
    await ledger.close();
    throw error;
  }
};
