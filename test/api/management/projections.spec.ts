import { until } from '../../e2e/until.js';
import { createOwner, type ManagementHarness, operatorCaller, startHarness } from './management-harness.js';
import { LIMITS_PROFILE, PublishingSetup } from './publishing-setup.js';

let harness: ManagementHarness;
beforeAll(async () => {
  harness = await startHarness({ LIMITS_PROFILE });
});
afterAll(() => harness.stop());

describe('the projections', () => {
  it('are shown to the operator alone', async () => {
    const operator = operatorCaller(harness);
    const { body } = await operator.get('/projections').expect(200);
    const names = [
      'activity',
      'audit',
      'discovery',
      'planned-posts',
      'posts',
      'publish-schedule',
      'request-log',
      'webhook-deliveries',
    ];
    expect(body.items.map(({ name }: { name: string }) => name)).toEqual(names);
    const { body: one } = await operator.get('/projections/publish-schedule').expect(200);
    expect(one).toEqual({
      name: 'publish-schedule',
      version: 1,
      position: expect.any(String),
      head: expect.any(String),
      lag_events: expect.any(Number),
      lag_seconds: expect.any(Number),
      rate: expect.any(Number),
      state: 'live',
      error: null,
      skipped: 0,
      candidate: null,
      previous: null,
    });
    const owner = await createOwner(harness);
    await owner.caller.get('/projections').expect(403);
    await owner.caller.get('/projections/posts').expect(403);
    await operator.get('/projections/none').expect(404);
    await operator.get('/projections/%00').expect(404);
  });

  it('refuse to retry or skip where nothing has stopped', async () => {
    const operator = operatorCaller(harness);
    expect((await operator.post('/projections/posts/retry').expect(409)).body.code).toBe('not_stopped');
    const skip = operator.post('/projections/posts/skip', { reason: 'damaged' });
    expect((await skip.expect(409)).body.code).toBe('not_stopped');
    await operator.post('/projections/posts/skip', {}).expect(422);
  });

  it('skip an event with a reason that the audit trail shows', async () => {
    const operator = operatorCaller(harness);
    const { pool } = harness.running.infrastructure;
    await pool.query(
      `insert into ops_checkpoint (name, version, code, position, error, failure) values ('elsewhere', 1, 1, 0, 'boom', $1)`,
      [{ event_id: 'e1', position: '1', type: 'PostAccepted' }],
    );
    await pool.query(`insert into ops_projection (name, live_version, last_version) values ('elsewhere', 1, 1)`);
    const error = { message: 'boom', event_id: 'e1', position: '1', type: 'PostAccepted' };
    const { body: stopped } = await operator.get('/projections/elsewhere').expect(200);
    expect(stopped).toMatchObject({ state: 'stopped', error });
    const { body } = await operator.post('/projections/elsewhere/skip', { reason: 'damaged' }).expect(200);
    expect(body).toMatchObject({ state: 'live', error: null, skipped: 1 });
    const skipped = await until('the trail shows it', async () => {
      const { body: trail } = await operator.get('/history/events?type=ProjectionEventSkipped').expect(200);
      return trail.items[0];
    });
    expect(skipped).toMatchObject({
      actor: 'operator',
      aggregate: 'projection',
      aggregate_id: 'elsewhere',
      data: { projection: 'elsewhere', eventId: 'e1', reason: 'damaged', position: '1' },
    });
  });
});

describe('a verification of a projection', () => {
  it.each([
    'activity',
    'audit',
    'discovery',
    'planned-posts',
    'posts',
    'publish-schedule',
    'request-log',
    'webhook-deliveries',
  ])('is a job that finds %s equal to a fresh replay', async (name) => {
    const operator = operatorCaller(harness);
    const setup = await PublishingSetup.create(harness);
    await setup.waitForState(await setup.sendPost(), 'published');
    const { body: job } = await operator.post(`/projections/${name}/verify`).expect(202);
    expect(job).toMatchObject({ id: expect.stringMatching(/^job_/), kind: 'verify-projection', state: 'running' });
    const ended = await until('it has ended', async () => {
      const { body } = await operator.get(`/jobs/${job.id}`).expect(200);
      return body.state !== 'running' && body;
    });
    expect(ended).toMatchObject({
      state: 'done',
      progress: 1,
      eta_seconds: null,
      result: { position: expect.any(String), missing: 0, extra: 0, different: 0, examples: [] },
    });
    const { body: list } = await operator.get('/jobs?state=done').expect(200);
    expect(list.items[0]).toEqual(ended);
  });

  it('is refused to an owner, and for what is no projection', async () => {
    const owner = await createOwner(harness);
    await owner.caller.post('/projections/posts/verify').expect(403);
    await owner.caller.get('/jobs').expect(403);
    await operatorCaller(harness).post('/projections/none/verify').expect(404);
  });
});
