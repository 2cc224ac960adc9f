import { fileURLToPath } from 'node:url';
import type { E2eHarness, Network } from '../../e2e/e2e-harness.js';
import { OPERATOR_KEY } from '../../e2e/management-client.js';
import { until } from '../../e2e/until.js';
import type { Gateway } from '../../support/gateway-process.js';
import { Management } from './management.js';

const NETWORKS = ['telegram', 'vk', 'max', 'ok'] as const;
type NetworkName = (typeof NETWORKS)[number];

/** An endpoint with its secrets. */
export interface WorldEndpoint {
  readonly id: string;
  readonly slug: string;
  readonly token: string;
}

/** A gateway with the newsroom of a harbour: six channels on four networks, two endpoints, and posts in every state. */
export interface World {
  readonly gateway: Gateway;
  /** Settings to start further processes on the same networks and data. */
  readonly settings: Readonly<Record<string, string>>;
  readonly networks: Readonly<Record<NetworkName, Network>>;
  readonly operatorKey: string;
  readonly owner: { readonly id: string; readonly name: string; readonly key: string };
  /** The owner's management API. */
  readonly manage: Management;
  /** Ids by short names: `telegram`, `tides`, `vk`, `kids`, `max`, `ok`. */
  readonly channels: Readonly<Record<'telegram' | 'tides' | 'vk' | 'kids' | 'max' | 'ok', string>>;
  readonly projects: Readonly<Record<'everywhere' | 'tides' | 'kids', string>>;
  readonly endpoints: Readonly<Record<'cms' | 'phone', WorldEndpoint>>;
}

/** Text of the post that is in doubt on Telegram. */
export const DOUBTFUL = 'Regatta on Sunday: dawn, noon and dusk from the same spot';
/** Text of a post that waits because MAX refuses the bot. */
export const HELD = 'Pier 4 stays closed until Monday; use the north gate';
/** Names and texts that would break a page that took them for HTML. */
export const HOSTILE = '<img src=x onerror=alert(1)> &amp; “quotes” \u202Etxt.evil\u202C שלום עולם';

/** Starts the networks and a gateway, and fills it. */
export const startWorld = async (harness: E2eHarness, more: Readonly<Record<string, string>> = {}): Promise<World> => {
  const { gateway, networks, settings } = await startEmptyWorld(harness, more);
  const operator = new Management(gateway.url, OPERATOR_KEY);
  const owner = await operator.post('/owners', { name: 'Harbour News', plan: 'pro' });
  const manage = new Management(gateway.url, owner.key);
  const channels = await connectChannels(manage);
  const projects = await createProjects(manage, channels);
  const createEndpoint = (name: string, ids: readonly string[]): Promise<WorldEndpoint> =>
    manage.post('/endpoints', { name, project_ids: ids, mode: 'live', min_interval: 0 });
  const endpoints = {
    cms: await createEndpoint('Newsroom CMS', [projects.everywhere, projects.kids]),
    phone: await createEndpoint('Ann’s phone', [projects.everywhere, projects.tides]),
  };
  await manage.post('/webhook-outputs', { project_id: projects.everywhere, url: 'https://example.com/hooks/harbour' });
  const world = {
    gateway,
    networks,
    settings,
    manage,
    channels,
    projects,
    endpoints,
    operatorKey: OPERATOR_KEY,
    owner: { id: owner.id, name: 'Harbour News', key: owner.key },
  };
  await publishPosts(world);
  return world;
};

/** Starts the networks and a gateway without owners. */
export const startEmptyWorld = async (harness: E2eHarness, more: Readonly<Record<string, string>> = {}) => {
  const { networks, settings } = await startNetworks(harness);
  const own = { ...settings, DATA_DIR: await harness.createDataDir(), ...more };
  return { gateway: await harness.startGateway(own), networks, settings: own };
};

/** Starts the networks. Returns them with the settings of a gateway that uses them. */
export const startNetworks = async (harness: E2eHarness) => {
  const started = await Promise.all(NETWORKS.map(async (name) => [name, await harness.startNetwork(name)] as const));
  const networks = Object.fromEntries(started) as Record<NetworkName, Network>;
  const urls = started.map(([name, { url }]) => [`${name.toUpperCase()}_API_URL`, url]);
  const settings: Record<string, string> = {
    ...(Object.fromEntries(urls) as Record<string, string>),
    LIMITS_PROFILE: fileURLToPath(new URL('limits.json', import.meta.url)),
  };
  return { networks, settings };
};

/** Posts to an endpoint. Returns the HTTP status. */
export const post = async (
  { gateway }: Pick<World, 'gateway'>,
  { slug, token }: WorldEndpoint,
  payload: object,
  headers: Readonly<Record<string, string>> = {},
): Promise<number> => {
  const answer = await fetch(`${gateway.url}/v1/webhooks/${slug}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json', ...headers },
    body: JSON.stringify(payload),
  });
  return answer.status;
};

const connectChannels = async (manage: Management): Promise<World['channels']> => {
  const connect = async (platform: string, name: string, credentials: object): Promise<string> =>
    (await manage.post('/channels', { platform, name, credentials })).id as string;
  const bot = { bot_token: '7000000001:DemoDemoDemoDemoDemoDemoDemoDemoDem' };
  const vk = { access_token: 'vk1.a.community-Demo', upload_token: 'vk1.a.user-Demo' };
  return {
    telegram: await connect('telegram', 'Harbour News', { ...bot, chat_id: '@harbour_news' }),
    tides: await connect('telegram', 'Tide Tables', { ...bot, chat_id: '@tide_tables' }),
    vk: await connect('vk', 'Harbour News', { ...vk, group_id: '220000001' }),
    kids: await connect('vk', 'Harbour Kids', { ...vk, group_id: '220000002' }),
    max: await connect('max', 'Harbour News', { access_token: 'DemoDemoDemoDemo', chat_id: '-70912345678901' }),
    ok: await connect('ok', 'Harbour News', {
      application_key: 'DEMODEMODEMODEMO',
      application_secret: 'DEMODEMODEMODEMODEMODEMO',
      access_token: '-s-DemoDemoDemoDemo',
      group_id: '70000000000001',
    }),
  };
};

const createProjects = async (manage: Management, channels: World['channels']): Promise<World['projects']> => {
  const create = async (name: string, ids: readonly string[], processing?: object): Promise<string> =>
    (await manage.post('/projects', { name, channel_ids: ids, ...(processing && { processing }) })).id as string;
  return {
    everywhere: await create('Everywhere', [channels.telegram, channels.vk, channels.max, channels.ok]),
    tides: await create('Tide Tables', [channels.tides]),
    kids: await create('Kids', [channels.kids], { filters: [{ mode: 'exclude', words: ['advert'] }] }),
  };
};

/** Publishes posts so that every state of a publication is there, and lets requests be refused. */
const publishPosts = async (world: Omit<World, 'operatorKey'>): Promise<void> => {
  const { networks, manage, channels, endpoints } = world;
  const { cms, phone } = endpoints;
  const publish = async (endpoint: WorldEndpoint, text: string): Promise<void> => {
    const status = await post(world, endpoint, { text });
    if (status !== 200) throw new Error(`"${text}" was answered with ${status}`);
  };
  const waitFor = (text: string, isDone: (states: readonly string[]) => boolean): Promise<unknown> =>
    until(`"${text}" has settled`, async () => {
      const { items } = await manage.get('/posts?limit=50');
      const found = items.find(({ excerpt }: { excerpt: string }) => text.startsWith(excerpt));
      return found && isDone(found.publications.map(({ state }: { state: string }) => state));
    });
  const isSettled = (states: readonly string[]): boolean =>
    !states.some((state) => state === 'queued' || state === 'publishing');

  for (const text of ['Lost: a yellow kayak', 'Advert: winter moorings', 'Dusk over the lighthouse', HOSTILE])
    await publish(cms, text);
  await publish(phone, 'Tide table for Thursday');
  await waitFor('Tide table for Thursday', isSettled);

  await networks.telegram.control.addFault({
    mode: 'accept_then_drop',
    method: 'sendMessage',
    channel: '@harbour_news',
  });
  await publish(cms, DOUBTFUL);
  await waitFor(DOUBTFUL, isSettled);

  await networks.max.control.addFault({
    mode: 'answer',
    status: 403,
    times: 1,
    body: { code: 'chat.denied', message: 'Bot has no rights to write in chat' },
  });
  await publish(cms, HELD);
  await until(
    'MAX refuses the bot',
    async () => (await manage.get(`/channels/${channels.max}`)).status === 'needs_attention',
  );

  await manage.post(`/channels/${channels.tides}/pause`, { minutes: 45 });
  await publish(phone, 'Tide table for Friday: high 05:12 and 17:31');

  await manage.patch(`/endpoints/${cms.id}`, { min_interval: 600 });
  for (let n = 0; n < 2; n++) await post(world, cms, { text: '' }, { authorization: 'Bearer wrong' });
  await until('the endpoint is disabled', async () => {
    await post(world, cms, { text: `Too soon, ${Date.now()}` });
    return !(await manage.get(`/endpoints/${cms.id}`)).is_active;
  });
};
