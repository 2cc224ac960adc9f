import { join } from 'node:path';
import type { Running } from '../../../src/app/start.js';
import { startTelegramStandIn } from '../../../stand-ins/telegram/telegram-stand-in.js';
import { until } from '../../e2e/until.js';
import { StandInControl } from '../../support/stand-in-control.js';
import { TestEnvironment } from '../../support/test-environment.js';
import { CLIENTS, headersOf, RawSseClient } from './assistant-clients.js';

const OPERATOR_KEY = 'service_operator_tools';

let environment: TestEnvironment<{ telegram: Awaited<ReturnType<typeof startTelegramStandIn>> }>;
let api: Running;
let tools: Running;
let second: Running;
let endpoint: { slug: string; token: string };
beforeAll(async () => {
  environment = await TestEnvironment.start({
    startNetworks: async (folder) => ({
      telegram: await startTelegramStandIn({ port: 0, ledgerFile: join(folder, 'telegram.jsonl') }),
    }),
    operatorKey: OPERATOR_KEY,
    env: { LEASE_SECONDS: '60', TRUSTED_PROXIES: '127.0.0.0/8', BRAND: 'acme' },
  });
  api = await environment.startProcess({ roles: 'api,worker' });
  tools = await environment.startProcess({ roles: 'tools' });
  second = await environment.startProcess({ roles: 'tools' });
  const { id: owner_id } = await manage('/owners', { name: 'Ada', plan: 'business' });
  const credentials = { bot_token: `1000:${'t'.repeat(35)}`, chat_id: '-1001' };
  const { id } = await manage('/channels', { owner_id, platform: 'telegram', name: 'News', credentials });
  const { id: project } = await manage('/projects', { owner_id, name: 'All', channel_ids: [id] });
  const settings = { mode: 'live', min_interval: 0, ip_allowlist: ['203.0.113.7', '127.0.0.1'] };
  endpoint = await manage('/endpoints', { owner_id, project_ids: [project], ...settings });
});
afterAll(() => environment.stop());

const manage = async (path: string, body: object): Promise<{ id: string } & typeof endpoint> => {
  const answer = await fetch(`${api.address}/manage/v1${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${OPERATOR_KEY}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return (await answer.json()) as { id: string } & typeof endpoint;
};

const sse = ({ address }: Running): string => `${address}/sse/${endpoint.slug}`;

it('a process with the role tools alone publishes, and checks the address of the client behind a proxy', async () => {
  const connect = CLIENTS['the current client over the current transport'];
  const listed = headersOf(endpoint.token, { 'x-forwarded-for': '203.0.113.7' });
  const assistant = await connect(sse(tools), listed);
  const { structuredContent } = await assistant.call('acme_publish', { text: 'from the tools alone' });
  expect(structuredContent).toMatchObject({ ok: true, queued_targets: 1 });
  await assistant.close();
  const control = new StandInControl(environment.networks.telegram.url);
  await until('published', async () => (await control.readLedger({ channel: '-1001' })).length === 1);

  const unlisted = headersOf(endpoint.token, { 'x-forwarded-for': '198.51.100.9' });
  await expect(connect(sse(tools), unlisted)).rejects.toThrow(/401|Unauthorized/);
});

it('such a process serves the tools alone, and a process without the role does not serve them', async () => {
  const headers = { authorization: `Bearer ${endpoint.token}` };
  const info = await fetch(`${tools.address}/v1/webhooks/${endpoint.slug}/info`, { headers });
  expect(info.status).toBe(404);
  expect((await fetch(`${tools.address}/v1/sandbox/test`, { method: 'POST', headers, body: '{}' })).status).toBe(404);
  expect((await fetch(`${api.address}/v1/webhooks/${endpoint.slug}/info`, { headers })).status).toBe(200);
  expect((await fetch(sse(api), { headers })).status).toBe(404);
});

it('a session belongs to its process: another one says so, and serves the current transport', async () => {
  const client = await RawSseClient.open(sse(tools), headersOf(endpoint.token));
  const session = new URL(await client.messagesUrl()).search;
  const answer = await fetch(`${sse(second)}/messages${session}`, {
    method: 'POST',
    headers: { ...headersOf(endpoint.token), 'content-type': 'application/json' },
    body: '{"jsonrpc":"2.0","id":1,"method":"ping"}',
  });
  expect(answer.status).toBe(404);
  const { error } = (await answer.json()) as { error: { message: string } };
  expect(error.message).toContain('it has ended, or it belongs to another process or another token. Connect again');
  const connect = CLIENTS['the client of 2025 over its transport'];
  const assistant = await connect(sse(second), headersOf(endpoint.token));
  expect(await assistant.listTools()).toHaveLength(10);
  await assistant.close();
  client.close();
});

it('a process that stops ends its sessions', async () => {
  const client = await RawSseClient.open(sse(second), headersOf(endpoint.token));
  await client.messagesUrl();
  await second.stop();
  await until('the stream has ended', () => client.isEnded);
});
