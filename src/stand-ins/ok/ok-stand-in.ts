import { DEMO_CHANNELS } from '../demo-channels.js';
import { KeptUploads } from '../kit/kept-uploads.js';
import { Ledger } from '../kit/ledger.js';
import { MediaStore } from '../kit/media-store.js';
import { serveStandIn, type RunningStandIn, type StandInOptions } from '../kit/server.js';
import { Wall } from '../walls/wall.js';
import { Applications } from './applications.js';
import { Groups, type KnownGroup } from './groups.js';
import { OkNetwork } from './ok-network.js';
import { Uploads } from './uploads.js';

/** Settings of the OK stand-in. */
export interface OkStandInOptions extends StandInOptions {
  /** Groups with a name of their own; any other exists too, under its number. */
  readonly groups?: readonly KnownGroup[];
}

/**
 * Starts a server that behaves like `api.ok.ru` for posting into groups (networks.md §1–§3, §8): `mediatopic.post`
 * with signed calls, uploads of photos and videos. The demo's application is known by its secret. What was accepted
 * before a stop or a kill is there again.
 */
export const startOkStandIn = async (options: OkStandInOptions): Promise<RunningStandIn> => {
  const applications = new Applications();
  const known: KnownGroup[] = [...(options.groups ?? [])];
  for (const { platform, name, credentials } of DEMO_CHANNELS) {
    const { application_key, application_secret, group_id } = credentials;
    if (platform !== 'ok' || !application_key || !application_secret || !group_id) continue;
    applications.know(application_key, application_secret);
    known.push({ id: group_id, title: name });
  }
  const groups = new Groups(known);
  const media = new MediaStore(`${options.ledgerFile}.media`);
  const wall = new Wall('ok', 'Odnoklassniki', media.folder);
  const uploads = new Uploads(await KeptUploads.open(`${options.ledgerFile}.uploads`), media);
  const ledger = await Ledger.open({
    file: options.ledgerFile,
    platform: 'ok',
    onEntry: (entry) => {
      groups.restore(entry);
      wall.add(entry);
    },
  });
  try {
    const network = new OkNetwork({ groups, uploads, ledger }, applications);
    return await serveStandIn({ network, ledger, wall }, options);
  } catch (error) {
    await ledger.close();
    throw error;
  }
};
