import type { DemoChannel } from '../kit/descriptor.js';
import { Ledger } from '../kit/ledger.js';
import { MediaStore, StoredUploads } from '../kit/media-store.js';
import { type RunningStandIn, serveStandIn, type StandInOptions } from '../kit/server.js';
import { Wall } from '../walls/wall.js';
import { Groups, type KnownGroup } from './groups.js';
import { THEME } from './theme.js';
import { Uploads } from './uploads.js';
import { VkNetwork } from './vk-network.js';

/** The demo's channel on VK. */
export const DEMO_CHANNEL = {
  name: 'Harbour News',
  credentials: {
    access_token: 'vk1.a.community-DemoDemoDemoDemoDemoDemo',
    upload_token: 'vk1.a.user-DemoDemoDemoDemoDemoDemo',
    group_id: '220000001',
  },
} as const satisfies DemoChannel;

/** Options for the VK stand-in. */
export interface VkStandInOptions extends StandInOptions {
  /** Communities with names; every other community also exists, under its number. */
  readonly groups?: readonly KnownGroup[];
}

/**
 * Starts a server that behaves like `api.vk.ru` for posting on communities' walls (networks.md §1–§4, §8): `wall.post`,
 * `wall.get`, the upload steps for photos and videos, and the methods that a channel test calls. Posts and uploads
 * accepted before a stop or kill are restored; guids are not.
 */
export const startVkStandIn = async (options: VkStandInOptions): Promise<RunningStandIn> => {
  const demo = { id: DEMO_CHANNEL.credentials.group_id, title: DEMO_CHANNEL.name };
  const groups = new Groups([demo, ...(options.groups ?? [])]);
  const media = new MediaStore(`${options.ledgerFile}.media`);
  const wall = new Wall('vk', 'VK', media.folder, THEME);
  const uploads = new Uploads(await StoredUploads.open(`${options.ledgerFile}.uploads`), media);
  const ledger = await Ledger.open({
    file: options.ledgerFile,
    platform: 'vk',
    onEntry: (entry) => {
      groups.restore(entry);
      wall.add(entry);
    },
  });
  return serveStandIn({ network: new VkNetwork({ groups, uploads, ledger }), ledger, wall }, options);
};
