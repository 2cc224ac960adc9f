import type { Projection } from '../../../src/projections/engine/projection.js';
import { posts } from '../../../src/projections/posts/posts.projection.js';
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
      'media',
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

describe('a post whose acceptance was skipped by `posts`', () => {
  const changing = posts as { apply: Projection['apply'] };
  const right = changing.apply;
  afterEach(() => void (changing.apply = right));

  const endOf = (job: string) =>
    until('the job has ended', async () => {
      const { body } = await operatorCaller(harness).get(`/jobs/${job}`).expect(200);
      return body.state !== 'running' && body;
    });

  it('is published, says why it is not shown, and comes back with a rebuild by a mended program', async () => {
    const operator = operatorCaller(harness);
    const setup = await PublishingSetup.create(harness);
    changing.apply = async (tx, events, cache) => {
      if (
        events.some(
          ({ type, data }) => type === 'PostAccepted' && (data as { ownerId: string }).ownerId === setup.owner.id,
        )
      )
        throw new Error('boom');
      await right(tx, events, cache);
    };
    const id = await setup.sendPost({ text: 'skipped' });
    await until('posts has stopped', async () => {
      const { body } = await operator.get('/projections/posts').expect(200);
      return body.state === 'stopped';
    });
    await operator.post('/projections/posts/skip', { reason: 'its row is damaged' }).expect(200);
    await until('it is published', async () =>
      (await harness.telegram.readLedger({ channel: setup.channel.chatId })).some(({ text }) => text === 'skipped'),
    );

    for (const caller of [setup.owner.caller, operator]) {
      const { body } = await caller.get(`/posts/${id}`).expect(404);
      expect(body).toMatchObject({ code: 'skipped', errors: [expect.stringContaining('(its row is damaged)')] });
      const [, event] = /history\/trace\/([-0-9a-f]+)/.exec(body.errors[0])!;
      const { body: story } = await caller.get(`/history/trace/${event}`).expect(200);
      expect(story.events.map(({ type }: { type: string }) => type)).toContain('PublicationSucceeded');
    }
    const other = await createOwner(harness);
    expect((await other.caller.get(`/posts/${id}`).expect(404)).body.code).toBe('not_found');
    expect((await operator.get('/posts/post_none').expect(404)).body.code).toBe('not_found');
    const { body: verification } = await operator.post('/projections/posts/verify').expect(202);
    expect(await endOf(verification.id)).toMatchObject({
      state: 'done',
      result: { missing: 0, extra: 0, different: 0 },
    });

    changing.apply = right;
    const { body: rebuild } = await operator.post('/projections/posts/rebuild', { promote: 'auto' }).expect(202);
    const ended = await endOf(rebuild.id);
    expect(ended).toMatchObject({ state: 'done', result: { promoted: true } });
    expect(ended.result.missing).toBeGreaterThan(0);
    expect((await setup.owner.caller.get(`/posts/${id}`).expect(200)).body.publications[0].state).toBe('published');
    expect((await operator.get('/projections/posts').expect(200)).body).toMatchObject({ state: 'live', skipped: 1 });
  });
});

describe('a verification of a projection', () => {
  it.each([
    'activity',
    'audit',
    'discovery',
    'media',
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
