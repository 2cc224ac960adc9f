import type { Pool } from 'pg';
import { StatisticsTable } from '../../src/statistics/statistics.table.js';
import { GatewayHarness } from '../sagas/publish-due-posts/gateway-harness.js';

let harness: GatewayHarness;
beforeAll(async () => {
  harness = await GatewayHarness.start();
});
afterAll(() => harness.stop());

it('publications are copied once, a part of each channel at a time, and a copy says whether more are left', async () => {
  const [busy, quiet] = [await harness.createChannel('vk'), await harness.createChannel('telegram')];
  const sent: [typeof busy, string][] = [];
  for (let n = 0; n < 25; n++) sent.push([busy, await busy.publish({ text: `Post ${n}` })]);
  sent.push([quiet, await quiet.publish({ text: 'Another' })]);
  for (const [channel, id] of sent) await channel.waitForState(id, 'published');
  // In a transaction, so that the gateway itself copies nothing meanwhile.
  const client = await harness.gateway.infrastructure.pool.connect();
  try {
    await client.query('begin; lock table ops_statistics, ops_statistics_channel');
    await client.query('delete from ops_statistics; delete from ops_statistics_channel');
    const table = new StatisticsTable(client as unknown as Pool);
    const counts: [boolean, number][] = [];
    for (let n = 0; n < 3; n++) {
      const hasMore = await table.copy(Date.now(), 60_000, ['vk']);
      const { rows } = await client.query<{ n: number }>('select count(*)::int as n from ops_statistics');
      counts.push([hasMore, rows[0]!.n]);
    }
    expect(counts).toEqual([
      [true, 21],
      [false, 26],
      [false, 26],
    ]);
  } finally {
    await client.query('rollback');
    client.release();
  }
});
