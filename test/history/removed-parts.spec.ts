import { type ManagementHarness, operatorCaller, startHarness } from '../api/management/management-harness.js';
import { LIMITS_PROFILE, PublishingSetup } from '../api/management/publishing-setup.js';
import { until } from '../e2e/until.js';

let harness: ManagementHarness;
beforeAll(async () => {
  harness = await startHarness({ LIMITS_PROFILE });
});
afterAll(() => harness.stop());

const verify = async (): Promise<{ stream: string; revision: number; reason: string }[]> => {
  const operator = operatorCaller(harness);
  const { body: job } = await operator.post('/history/verify', {}).expect(202);
  const ended = await until('the verification has ended', async () => {
    const { body } = await operator.get(`/jobs/${job.id}`).expect(200);
    return body.state !== 'running' && body;
  });
  return ended.result.broken;
};

it('names the parts of an accepted payload that were removed', async () => {
  const setup = await PublishingSetup.create(harness);
  const id = await setup.sendPost({ text: 'Large', metadata: { blob: 'ж'.repeat(1_500_000) } });
  const { pool } = harness.running.infrastructure;
  const stream = `payload-${id}`;
  const { rows } = await pool.query<{ revision: number }>(
    'select revision::int as revision from event_store.event where stream = $1 order by revision',
    [stream],
  );
  expect(rows.length).toBeGreaterThan(1);
  expect(await verify()).toEqual([]);

  const removed = rows.slice(1).map(({ revision }) => revision);
  await pool.query('delete from event_store.event where stream = $1 and revision > 0', [stream]);
  expect(await verify()).toEqual(removed.map((revision) => ({ stream, revision, reason: 'removed' })));
});
