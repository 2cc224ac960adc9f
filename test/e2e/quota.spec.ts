import { LIMITS_PROFILE } from '../api/management/publishing-setup.js';
import { postIdOf, publish } from './client.js';
import { createManagementClient, e2eTest } from './e2e-harness.js';
import { until } from './until.js';

const CHANNELS = 20;
const ALLOWED = 7;

e2eTest('three workers publish exactly the monthly quota (D-18, D-46)', async (harness) => {
  const telegram = await harness.startTelegram();
  const settings = { ...(await harness.createDatabase()), TELEGRAM_API_URL: telegram.url, LIMITS_PROFILE };
  const api = await harness.startGateway({ ...settings, ROLES: 'api', DATA_DIR: await harness.createFolder() });
  for (let i = 0; i < 3; i++)
    await harness.startGateway({ ...settings, ROLES: 'worker', DATA_DIR: await harness.createFolder() });

  const manage = createManagementClient(api);
  const all = Array.from({ length: CHANNELS }, (_, i) => i);
  const { channels, endpoints } = await manage.seed(CHANNELS, [all]);
  const [owner] = (await manage.get<{ items: { id: string }[] }>('/owners')).items;
  await manage.post(`/owners/${owner!.id}/post-packs`, { posts: ALLOWED - 2 });
  await manage.patch(`/owners/${owner!.id}`, { plan: 'mini' }); // two posts a month
  await telegram.control.setDelay(100);

  const postId = postIdOf(await publish(api.url, endpoints[0]!, { text: 'within the quota' }));
  await until('all are published or wait for the quota', async () => {
    const { publications } = await manage.findPost(postId);
    return publications.every(({ state, waiting_for }) => state === 'published' || waiting_for?.rule === 'quota');
  });
  const walls = await Promise.all(channels.map(({ chatId }) => telegram.control.readLedger({ channel: chatId })));
  expect(walls.flat()).toHaveLength(ALLOWED);
});
