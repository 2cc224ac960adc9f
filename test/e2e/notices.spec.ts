import { postIdOf, publish } from './client.js';
import { createManagementClient, e2eTest } from './e2e-harness.js';
import { until } from './until.js';

const CHANNEL = '-801';
const OWNERS_CHAT = '-802';
const SEND = 'sendMessage';

e2eTest('a notice whose process was killed during its delivery arrives from the next one', async (harness) => {
  const { url, control } = await harness.startTelegram();
  const settings = {
    ...(await harness.createDatabase()),
    DATA_DIR: await harness.createFolder(),
    TELEGRAM_API_URL: url,
    LEASE_SECONDS: '5',
  };
  const first = await harness.startGateway(settings);
  const manage = createManagementClient(first);
  const createOwner = () => manage.post<{ id: string }>('/owners', { name: 'Ada', plan: 'business', locale: 'ru' });
  const { id: owner_id } = await until('the read models exist', createOwner);
  const notice_chat = { bot_token: `2000:${'n'.repeat(35)}`, chat_id: OWNERS_CHAT };
  await manage.patch(`/owners/${owner_id}`, { notice_chat });
  const credentials = { bot_token: `1000:${'t'.repeat(35)}`, chat_id: CHANNEL };
  const channel = { owner_id, platform: 'telegram', name: 'News', credentials };
  const { id: channelId } = await manage.post<{ id: string }>('/channels', channel);
  const project = await manage.post<{ id: string }>('/projects', { owner_id, name: 'All', channel_ids: [channelId] });
  const body = { owner_id, project_ids: [project.id], mode: 'live', min_interval: 0 };
  const { id, slug, token } = await manage.post<{ id: string; slug: string; token: string }>('/endpoints', body);
  const endpoint = { id, path: `/v1/webhooks/${slug}`, token, channels: [{ id: channelId, chatId: CHANNEL }] };

  await control.addFault({ mode: 'answer', status: 400, method: SEND, channel: CHANNEL });
  await control.addFault({ mode: 'hang', method: SEND, channel: OWNERS_CHAT });
  const postId = postIdOf(await publish(first.url, endpoint, { text: 'refused' }));
  await until('the notice is under way', async () => {
    const { items } = await control.listCalls({ method: SEND });
    return items.some((call) => JSON.stringify(call).includes(OWNERS_CHAT));
  });
  await first.program.kill();

  await harness.startGateway(settings);
  const wall = await until('the notice has arrived', async () => {
    const texts = (await control.readLedger({ channel: OWNERS_CHAT })).map(({ text }) => text);
    return texts.length > 0 && texts;
  });
  expect(wall).toHaveLength(1);
  expect(wall[0]).toContain(`Пост ${postId} не опубликован в "News" (telegram).`);
});
