import { StatisticsTable } from '../../src/statistics/statistics.table.js';
import { GatewayHarness } from '../sagas/publish-due-posts/gateway-harness.js';

const HOUR_MS = 3_600_000;

let harness: GatewayHarness;
let table: StatisticsTable;
beforeAll(async () => {
  harness = await GatewayHarness.start({ STATISTICS_DAYS: '0', ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8' });
  table = new StatisticsTable(harness.gateway.infrastructure.pool);
});
afterAll(() => harness.stop());

it('numbers that change while webhook outputs are notified are due again after the interval', async () => {
  const channel = await harness.createChannel('vk');
  await harness.gateway.manage('POST', '/webhook-outputs', {
    project_id: channel.projectId,
    url: 'http://127.0.0.1:9/',
    kinds: ['post.statistics'],
  });
  const postId = await channel.publish({ text: 'How many?' });
  const { id } = await channel.waitForState(postId, 'published');
  const [sample] = await table.listForSample([id], Date.now(), 60_000);
  // Later than the gateway's own clock, so that it does not notify.
  const at = Date.now() + 24 * HOUR_MS;
  const store = (views: number) =>
    table.store(
      [
        {
          ...sample!,
          state: 'ok',
          reason: null,
          numbers: { views, reactions: null, comments: null, shares: null },
        },
      ],
      0,
      { posts: [postId], at, intervalMs: HOUR_MS },
    );
  const dueAt = async (now: number) => (await table.listNews(now, 10)).find((each) => each.postId === postId)?.dueAt;

  await store(0);
  const first = (await dueAt(at))!;
  await store(120); // after the numbers before were read
  await table.recordNotified(postId, first, at, HOUR_MS);
  expect(await dueAt(at + HOUR_MS - 1)).toBeUndefined();
  const next = await dueAt(at + HOUR_MS);
  expect(next).toBe(at + HOUR_MS);
  await table.recordNotified(postId, next!, at + HOUR_MS, HOUR_MS);
  expect(await dueAt(at + 9 * HOUR_MS)).toBeUndefined();
});
