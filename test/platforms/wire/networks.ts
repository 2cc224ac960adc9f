import { createMaxPublisher } from '../../../src/platforms/max/descriptor.js';
import { createOkPublisher } from '../../../src/platforms/ok/descriptor.js';
import type { ConnectedPublisher, PlatformChannel } from '../../../src/platforms/publisher.js';
import { createTelegramPublisher } from '../../../src/platforms/telegram/descriptor.js';
import { createVkPublisher } from '../../../src/platforms/vk/descriptor.js';
import { startStandIn as startMax, TOKEN as MAX_TOKEN } from '../../stand-ins/max/stand-in.js';
import { APPLICATION, startStandIn as startOk, TOKEN as OK_TOKEN } from '../../stand-ins/ok/stand-in.js';
import { startStandIn as startTelegram, TOKEN as BOT_TOKEN } from '../../stand-ins/telegram/stand-in.js';
import { COMMUNITY_TOKEN, startStandIn as startVk, USER_TOKEN } from '../../stand-ins/vk/stand-in.js';
import type { StandInControl } from '../../support/stand-in-control.js';

/** A network, for tests that treat all networks alike. */
export interface TestedNetwork {
  /** Starts its stand-in with an empty wall. */
  readonly start: () => Promise<{
    readonly url: string;
    readonly control: StandInControl;
    readonly stop: () => Promise<void>;
  }>;
  readonly publisher: (apiUrl: string) => ConnectedPublisher;
  /** Address of a channel that can use all features of the network. */
  readonly address: PlatformChannel['address'];
  readonly credentials: Readonly<Record<string, string>>;
  /** Limit of a text without media (networks.md §2), in UTF-16 units. */
  readonly textLimit: number;
}

/** The four networks, by identifier. */
export const NETWORKS = {
  telegram: {
    start: startTelegram,
    publisher: (apiUrl) => createTelegramPublisher({ apiUrl }),
    address: { chat_id: '@harbour' },
    credentials: { bot_token: BOT_TOKEN },
    textLimit: 4_096,
  },
  vk: {
    start: startVk,
    publisher: (apiUrl) => createVkPublisher({ apiUrl }),
    address: { group_id: '7', uploads: 'user_token' },
    credentials: { access_token: COMMUNITY_TOKEN, upload_token: USER_TOKEN },
    textLimit: 15_895,
  },
  max: {
    start: startMax,
    publisher: (apiUrl) => createMaxPublisher({ apiUrl }),
    address: { chat_id: '-70912345678901' },
    credentials: { access_token: MAX_TOKEN },
    textLimit: 4_000,
  },
  ok: {
    start: startOk,
    publisher: (apiUrl) => createOkPublisher({ apiUrl }),
    address: { group_id: '70' },
    credentials: { ...APPLICATION, access_token: OK_TOKEN },
    textLimit: 5_000,
  },
} satisfies Readonly<Record<string, TestedNetwork>>;

export type NetworkName = keyof typeof NETWORKS;
export const NETWORK_NAMES = Object.keys(NETWORKS) as NetworkName[];
