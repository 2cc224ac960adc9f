import type { E2eHarness } from '../../e2e/e2e-harness.js';
import { OPERATOR_KEY } from '../../e2e/management-client.js';
import type { Visitor } from './console-page.js';
import { Management } from './management.js';
import { startEmptyWorld } from './world.js';

/** Starts a gateway with an owner of one channel on each of the four networks, and an endpoint that reaches all. */
export const startHarbour = async (harness: E2eHarness) => {
  const { gateway, networks } = await startEmptyWorld(harness);
  const { url } = gateway;
  const { id, key } = await new Management(url, OPERATOR_KEY).post('/owners', { name: 'Harbour', plan: 'pro' });
  const manage = new Management(url, key as string);
  const visitor: Visitor = { key: key as string, role: 'owner', owner: { id: id as string, name: 'Harbour' } };
  const connect = async (platform: string, name: string, credentials: object): Promise<string> =>
    (await manage.post('/channels', { platform, name, credentials })).id as string;
  const bot = { bot_token: '7000000001:DemoDemoDemoDemoDemoDemoDemoDemoDem', chat_id: '@harbour' };
  const vk = { access_token: 'vk1.a.x', upload_token: 'vk1.a.y', group_id: '220000001' };
  const channels = {
    telegram: await connect('telegram', 'Harbour News', bot),
    vk: await connect('vk', 'Harbour City', vk),
    max: await connect('max', 'Harbour Watch', { access_token: 'DemoDemoDemoDemo', chat_id: '-70912345678901' }),
    ok: await connect('ok', 'Harbour Friends', {
      application_key: 'DEMODEMODEMODEMO',
      application_secret: 'DEMODEMODEMODEMODEMODEMO',
      access_token: '-s-DemoDemoDemoDemo',
      group_id: '70000000000001',
    }),
  };
  const project = await manage.post('/projects', { name: 'Harbour', channel_ids: Object.values(channels) });
  const endpoint = { name: 'CMS', project_ids: [project.id], mode: 'live', min_interval: 0 };
  const endpointId = (await manage.post('/endpoints', endpoint)).id as string;
  return { url, networks, manage, visitor, channels, endpointId };
};
