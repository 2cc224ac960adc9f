import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Clock } from '../../../src/kernel/clock.js';
import { StandInControl } from '../../../src/stand-ins/kit/control-client.js';
import type { LedgerEntry } from '../../../src/stand-ins/kit/ledger.js';
import { startMaxStandIn } from '../../../src/stand-ins/max/max-stand-in.js';
import { startOkStandIn } from '../../../src/stand-ins/ok/ok-stand-in.js';
import { startVkStandIn } from '../../../src/stand-ins/vk/vk-stand-in.js';
import { until } from '../../e2e/until.js';
import { type TestEndpoint, TestGateway } from '../../api/public/gateway.js';

/** A publication as the management API shows it, as far as tests look at it. */
export interface Publication {
  readonly id: string;
  readonly target_id: string;
  readonly sequence: number;
  readonly state: string;
  readonly message_ids: readonly string[];
  readonly waiting_for: { readonly rule: string; readonly until: string | null; readonly event_id: string } | null;
  readonly attempts: readonly {
    readonly outcome: string;
    readonly error: { readonly code: string; readonly category: string } | null;
  }[];
}

export const VK_COMMUNITY_TOKEN = 'vk1.a.community-Xm4Kq9TtLw2ZpR7sNc8VbJ3h';
export const VK_USER_TOKEN = 'vk1.a.user-Qw8Lr3YtUz5XnM1kPd6FgS9j';

export type Platform = 'telegram' | 'vk' | 'max' | 'ok';

let chats = 0;

/** Credentials of a chat of its own on each network. */
const credentialsOn = {
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

/** A channel on a network in a project with an endpoint of its own: where a post comes in, and where it goes. */
export interface Line {
  readonly channelId: string;
  readonly projectId: string;
  /** As calls and ledger name the chat. */
  readonly chat: string;
  readonly endpoint: TestEndpoint;
  readonly network: StandInControl;
  /** Publishes, and answers the post's id. */
  send(payload: object): Promise<string>;
  /** The messages that readers see, oldest first. */
  wall(): Promise<readonly LedgerEntry[]>;
  publication(postId: string): Promise<Publication>;
  /** Waits until a post's publication is as it should be. */
  when(postId: string, what: string, is: (publication: Publication) => boolean): Promise<Publication>;
  inState(postId: string, state: string): Promise<Publication>;
}

/** A gateway with all four networks. */
export class Networks {
  private constructor(
    readonly gateway: TestGateway,
    readonly controls: Readonly<Record<Platform, StandInControl>>,
    readonly stop: () => Promise<void>,
  ) {}

  /** @param env more settings of the gateway's. @param clock that its worker goes by, in place of the machine's */
  static async start(env: Readonly<Record<string, string>> = {}, clock?: Clock): Promise<Networks> {
    const folder = await mkdtemp(join(tmpdir(), 'crosspost-networks-'));
    const options = (network: string) => ({ port: 0, ledgerFile: join(folder, `${network}.jsonl`) });
    const vk = await startVkStandIn(options('vk'));
    const max = await startMaxStandIn(options('max'));
    const ok = await startOkStandIn(options('ok'));
    const urls = { VK_API_URL: vk.url, MAX_API_URL: max.url, OK_API_URL: ok.url };
    const gateway = await TestGateway.start({ ...urls, ...env }, clock);
    const controls = {
      telegram: gateway.telegram,
      ...{ vk: new StandInControl(vk.url), max: new StandInControl(max.url), ok: new StandInControl(ok.url) },
    };
    return new Networks(gateway, controls, async () => {
      await gateway.stop();
      await Promise.all([vk.stop(), max.stop(), ok.stop()]);
      await rm(folder, { recursive: true, force: true });
    });
  }

  /** @param change of the channel: other credentials, settings, an owner that there is */
  async line(
    platform: Platform,
    change: { credentials?: object; settings?: object; owner_id?: string } = {},
  ): Promise<Line> {
    const { gateway } = this;
    const owner_id = change.owner_id ?? (await gateway.owner());
    const credentials = { ...credentialsOn[platform](String(1_000_000 + ++chats)), ...change.credentials };
    const settings = change.settings ?? {};
    const draft = { owner_id, platform, name: `On ${platform}`, credentials, settings };
    const { id: channelId } = await gateway.manage('POST', '/channels', draft);
    const projectId = await gateway.project(owner_id, [{ id: channelId }]);
    const endpoint = await gateway.endpoint(owner_id, [projectId]);
    const chat = 'chat_id' in credentials ? credentials.chat_id : credentials.group_id;
    const network = this.controls[platform];
    const publication = async (postId: string): Promise<Publication> =>
      (await gateway.manage('GET', `/posts/${postId}`)).publications[0];
    const when: Line['when'] = (postId, what, is) =>
      until(`${postId}: ${what}`, async () => {
        const found = await publication(postId);
        return is(found) && found;
      });
    return {
      ...{ channelId, projectId, chat, endpoint, network, publication, when },
      async send(payload) {
        const { status, body } = await endpoint.post('', payload);
        if (status !== 200) throw new Error(`${status} ${JSON.stringify(body)}`);
        return body.id;
      },
      wall: () => network.ledger({ channel: chat }),
      inState: (postId, state) => when(postId, `is ${state}`, (found) => found.state === state),
    };
  }

  /** Types of the events of a stream, in order. */
  async types(stream: string): Promise<string[]> {
    return (await this.gateway.events(stream)).map(({ type }) => type);
  }
}
