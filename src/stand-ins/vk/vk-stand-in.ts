import { DEMO_CHANNELS } from '../demo-channels.js';
import { KeptUploads } from '../kit/kept-uploads.js';
import { Ledger } from '../kit/ledger.js';
import { MediaStore } from '../kit/media-store.js';
import { serveStandIn, type RunningStandIn, type StandInOptions } from '../kit/server.js';
import { Wall } from '../walls/wall.js';
import { Groups, type KnownGroup } from './groups.js';
import { Uploads } from './uploads.js';
import { VkNetwork } from './vk-network.js';

/** Settings of the VK stand-in. */
export interface VkStandInOptions extends StandInOptions {
  /** Communities with a name of their own; any other exists too, under its number. */
  readonly groups?: readonly KnownGroup[];
}

/**
 * Starts a server that behaves like `api.vk.ru` for posting on communities' walls (networks.md §1–§4, §8): `wall.post`,
 * `wall.get`, the upload chains of photos and videos. What was accepted before a stop or a kill is there again; guids
 * are forgotten.
 */
export const startVkStandIn = async (options: VkStandInOptions): Promise<RunningStandIn> => {
  const demo = DEMO_CHANNELS.filter(({ platform }) => platform === 'vk');
  const known = demo.map(({ name, credentials }) => ({ id: credentials['group_id'] ?? '', title: name }));
  const groups = new Groups([...known, ...(options.groups ?? [])]);
  const media = new MediaStore(`${options.ledgerFile}.media`);
  const wall = new Wall('vk', 'VK', media.folder);
  const uploads = new Uploads(await KeptUploads.open(`${options.ledgerFile}.uploads`), media);
  const ledger = await Ledger.open({
    file: options.ledgerFile,
    platform: 'vk',
    onEntry: (entry) => {
      groups.restore(entry);
      wall.add(entry);
    },
  });
  try {
    return await serveStandIn({ network: new VkNetwork({ groups, uploads, ledger }), ledger, wall }, options);
  } catch (error) {
    await ledger.close();
    throw error;
  }
};
