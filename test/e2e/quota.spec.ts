import { LIMITS_PROFILE } from '../api/management/line.js';
import { postIdOf, publish } from './client.js';
import { manageOf, scene } from './e2e-harness.js';
import { until } from './until.js';

const CHANNELS = 20;
const ALLOWED = 7;

scene('three workers publish exactly as many as a month has (D-18, D-46)', async (stage) => {
  const telegram = await stage.telegram();
  const settings = { ...(await stage.database()), TELEGRAM_API_URL: telegram.url, LIMITS_PROFILE };
  const api = await stage.gateway({ ...settings, ROLES: 'api', DATA_DIR: await stage.folder() });
  for (let i = 0; i < 3; i++) await stage.gateway({ ...settings, ROLES: 'worker', DATA_DIR: await stage.folder() });

  const manage = manageOf(api);
  const all = Array.from({ length: CHANNELS }, (_, i) => i);
  const { channels, endpoints } = await manage.seed(CHANNELS, [all]);
  const [owner] = (await manage.get<{ items: { id: string }[] }>('/owners')).items;
  await manage.post(`/owners/${owner!.id}/post-packs`, { posts: ALLOWED - 2 });
  await manage.patch(`/owners/${owner!.id}`, { plan: 'mini' }); // two posts a month
  await telegram.control.setDelay(100);

  const postId = postIdOf(await publish(api.url, endpoints[0]!, { text: 'how often' }));
  await until('all are out, or wait for the quota', async () => {
    const { publications } = await manage.findPost(postId);
    return publications.every(({ state, waiting_for }) => state === 'published' || waiting_for?.rule === 'quota');
  });
  const walls = await Promise.all(channels.map(({ chatId }) => telegram.control.ledger({ channel: chatId })));
  expect(walls.flat()).toHaveLength(ALLOWED);
});
