import type { DemoChannel } from '../kit/descriptor.js';
import { Ledger } from '../kit/ledger.js';
import { MediaStore, StoredUploads } from '../kit/media-store.js';
import { type RunningStandIn, serveStandIn, type StandInOptions } from '../kit/server.js';
import { Wall } from '../walls/wall.js';
import { Applications } from './applications.js';
import { Groups, type KnownGroup } from './groups.js';
import { OkNetwork } from './ok-network.js';
import { THEME } from './theme.js';
import { Uploads } from './uploads.js';

/** The demo's channel on OK. */
export const DEMO_CHANNEL = {
  name: 'Harbour News',
  credentials: {
    application_key: 'DEMODEMODEMODEMO',
    application_secret: 'DEMODEMODEMODEMODEMODEMO',
    access_token: '-s-DemoDemoDemoDemoDemoDemoDemoDemo',
    group_id: '70000000000001',
  },
} as const satisfies DemoChannel;

/** Options for the OK stand-in. */
export interface OkStandInOptions extends StandInOptions {
  /** Groups with names; every other group also exists, under its number. */
  readonly groups?: readonly KnownGroup[];
}

/**
 * Starts a server that behaves like `api.ok.ru` for posting to groups (networks.md §1–§3, §8): `mediatopic.post` with
 * signed calls, uploads of photos and videos, and the methods that a channel test calls. It knows the secret of the
 * demo's application. Posts and uploads accepted before a stop or kill are restored.
 */
export const startOkStandIn = async (options: OkStandInOptions): Promise<RunningStandIn> => {
  const applications = new Applications();
  const { application_key, application_secret, group_id } = DEMO_CHANNEL.credentials;
  applications.addApplication(application_key, application_secret);
  const groups = new Groups([...(options.groups ?? []), { id: group_id, title: DEMO_CHANNEL.name }]);
  const media = new MediaStore(`${options.ledgerFile}.media`);
  const wall = new Wall('ok', 'Odnoklassniki', media.folder, THEME);
  const uploads = new Uploads(await StoredUploads.open(`${options.ledgerFile}.uploads`), media);
  const ledger = await Ledger.open({
    file: options.ledgerFile,
    platform: 'ok',
    onEntry: (entry) => {
      groups.restore(entry);
      wall.add(entry);
    },
  });
  const network = new OkNetwork({ groups, uploads, ledger }, applications);
  return serveStandIn({ network, ledger, wall }, options);
};
