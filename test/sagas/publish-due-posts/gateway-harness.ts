import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Overrides } from '../../../src/app/process-options.js';
import type { Clock } from '../../../src/kernel/clock.js';
import type { LedgerEntry } from '../../../stand-ins/kit/ledger-entry.js';
import { startMaxStandIn } from '../../../stand-ins/max/max-stand-in.js';
import { startOkStandIn } from '../../../stand-ins/ok/ok-stand-in.js';
import { startVkStandIn } from '../../../stand-ins/vk/vk-stand-in.js';
import { type TestEndpoint, TestGateway } from '../../api/public/gateway.js';
import { until } from '../../e2e/until.js';
import { StandInControl } from '../../support/stand-in-control.js';

/** A publication in the management API, with the fields that tests read. */
export interface Publication {
  readonly id: string;
  readonly target_id: string;
  readonly sequence: number;
  readonly state: string;
  readonly message_ids: readonly string[];
  readonly waiting_for: {
    readonly rule: string;
    readonly until: string | null;
    readonly event_id: string;
    readonly text: string;
  } | null;
  readonly attempts: readonly {
    readonly outcome: string;
    readonly error: { readonly code: string; readonly category: string } | null;
  }[];
}

export const VK_COMMUNITY_TOKEN = 'vk1.a.community-Xm4Kq9TtLw2ZpR7sNc8VbJ3h';
export const VK_USER_TOKEN = 'vk1.a.user-Qw8Lr3YtUz5XnM1kPd6FgS9j';

export type Platform = 'telegram' | 'vk' | 'max' | 'ok';

let chats = 0;

/** Creates credentials for a new chat on each network. */
const createCredentials = {
  telegram: (chat: string) => ({ bot_token: `1000:${'t'.repeat(35)}`, chat_id: `-100${chat}` }),
  vk: (chat: string) => ({ access_token: VK_COMMUNITY_TOKEN, upload_token: VK_USER_TOKEN, group_id: chat }),
  max: (chat: string) => ({ access_token: 'max-token', chat_id: `-${chat}` }),
  ok: (chat: string) => ({
    application_key: 'ABCDEFGHIGKLMNOPK',
    application_secret: 'ABC123DEF456GHI789JKL123',
    access_token: '-s-84W-s3egarWUsbkq-IWTucuedzTKT8VUXIA.s4Xx8IW7',
    group_id: chat,
  }),
};

/** A channel in its own project with its own endpoint. */
export interface PublishingChannel {
  readonly channelId: string;
  readonly projectId: string;
  /** The chat's id in the network's calls and ledger. */
  readonly chat: string;
  readonly credentials: object;
  readonly endpoint: TestEndpoint;
  readonly network: StandInControl;
  /** Publishes a post. @returns the post's id */
  publish(payload: object): Promise<string>;
  /** Reads the messages that readers see, oldest first. */
  readWall(): Promise<readonly LedgerEntry[]>;
  readPublication(postId: string): Promise<Publication>;
  /** Waits until a post's publication meets a condition. @param what the condition in words */
  waitUntil(postId: string, what: string, isMet: (publication: Publication) => boolean): Promise<Publication>;
  waitForState(postId: string, state: string): Promise<Publication>;
}

/** A gateway with all four networks. */
export class GatewayHarness {
  private constructor(
    readonly gateway: TestGateway,
    readonly controls: Readonly<Record<Platform, StandInControl>>,
    readonly stop: () => Promise<void>,
  ) {}

  /**
   * @param env additional settings of the gateway
   * @param clock replaces the system clock in its worker
   * @param overrides other parts that are replaced
   */
  static async start(
    env: Readonly<Record<string, string>> = {},
    clock?: Clock,
    overrides: Overrides = {},
  ): Promise<GatewayHarness> {
    const folder = await mkdtemp(join(tmpdir(), 'crosspost-networks-'));
    const options = (network: string) => ({ port: 0, ledgerFile: join(folder, `${network}.jsonl`) });
    const vk = await startVkStandIn(options('vk'));
    const max = await startMaxStandIn(options('max'));
    const ok = await startOkStandIn(options('ok'));
    const urls = { VK_API_URL: vk.url, MAX_API_URL: max.url, OK_API_URL: ok.url };
    const gateway = await TestGateway.start({ ...urls, ...env }, clock, overrides);
    const controls = {
      telegram: gateway.telegram,
      vk: new StandInControl(vk.url),
      max: new StandInControl(max.url),
      ok: new StandInControl(ok.url),
    };
    return new GatewayHarness(gateway, controls, async () => {
      await gateway.stop();
      await Promise.all([vk.stop(), max.stop(), ok.stop()]);
      await rm(folder, { recursive: true, force: true });
    });
  }

  /** @param change the channel's differences: other credentials, settings, an existing owner */
  async createChannel(
    platform: Platform,
    change: { credentials?: object; settings?: object; owner_id?: string } = {},
  ): Promise<PublishingChannel> {
    const { gateway } = this;
    const owner_id = change.owner_id ?? (await gateway.createOwner());
    const credentials = { ...createCredentials[platform](String(1_000_000 + ++chats)), ...change.credentials };
    const settings = change.settings ?? {};
    const body = { owner_id, platform, name: `On ${platform}`, credentials, settings };
    const { id: channelId } = await gateway.manage('POST', '/channels', body);
    const projectId = await gateway.createProject(owner_id, [{ id: channelId }]);
    const endpoint = await gateway.createEndpoint(owner_id, [projectId]);
    const chat = 'chat_id' in credentials ? credentials.chat_id : credentials.group_id;
    const network = this.controls[platform];
    const readPublication = async (postId: string): Promise<Publication> =>
      (await gateway.manage('GET', `/posts/${postId}`)).publications[0];
    const waitUntil: PublishingChannel['waitUntil'] = (postId, what, isMet) =>
      until(`${postId}: ${what}`, async () => {
        const found = await readPublication(postId);
        return isMet(found) && found;
      });
    return {
      channelId,
      projectId,
      chat,
      credentials,
      endpoint,
      network,
      readPublication,
      waitUntil,
      async publish(payload) {
        const { status, body } = await endpoint.post('', payload);
        if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
        return body.id;
      },
      readWall: () => network.readLedger({ channel: chat }),
      waitForState: (postId, state) => waitUntil(postId, `is ${state}`, (found) => found.state === state),
    };
  }

  /** Reads the types of a stream's events, in order. */
  async readEventTypes(stream: string): Promise<string[]> {
    return (await this.gateway.readEvents(stream)).map(({ type }) => type);
  }
}
