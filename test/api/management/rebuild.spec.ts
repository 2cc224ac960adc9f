import { translation } from '../../../src/domain/translation/translation.decider.js';
import { streamOf } from '../../../src/kernel/events.js';
import { newUuid } from '../../../src/kernel/ids.js';
import { until } from '../../e2e/until.js';
import { type ChosenStore, startChosenStore } from '../../support/event-store-server.js';
import {
  type Caller,
  createOwner,
  type ManagementHarness,
  operatorCaller,
  startHarness,
} from './management-harness.js';
import { LIMITS_PROFILE, PublishingSetup } from './publishing-setup.js';

let chosen: ChosenStore;
let harness: ManagementHarness;
let operator: Caller;
let setup: PublishingSetup;
beforeAll(async () => {
  chosen = await startChosenStore();
  harness = await startHarness({ LIMITS_PROFILE, ...chosen.settings });
  operator = operatorCaller(harness);
  setup = await PublishingSetup.create(harness);
});
afterAll(async () => {
  await harness.stop();
  await chosen.stop();
});

const NAMES = [
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
const EQUAL = { missing: 0, extra: 0, different: 0, examples: [] };

const show = async (name: string) => (await operator.get(`/projections/${name}`).expect(200)).body;

const publish = async (): Promise<string> => {
  const post = await setup.sendPost();
  await setup.waitForState(post, 'published');
  return post;
};

const rebuild = async (name: string, body: object = {}) => {
  const { body: job } = await operator.post(`/projections/${name}/rebuild`, body).expect(202);
  expect(job).toMatchObject({ id: expect.stringMatching(/^job_/), kind: 'rebuild-projection', state: 'running' });
  return until(`the rebuild of ${name} has ended`, async () => {
    const { body: found } = await operator.get(`/jobs/${job.id}`).expect(200);
    return found.state !== 'running' && found;
  });
};

/** Waits until all versions of a projection have reached the end of the log: a decision waits for them only briefly. */
const waitUntilLevel = async (name: string): Promise<void> => {
  const { pool, store } = harness.running.infrastructure;
  const head = String(await store.readHead());
  await until(`all versions of ${name} are level`, async () => {
    const { rowCount } = await pool.query('select from ops_checkpoint where name = $1 and position < $2', [name, head]);
    return rowCount === 0;
  });
};

/** Makes a call that must be refused, and returns the error code. */
const refusal = async (path: string, body: object = {}): Promise<string> =>
  (await operator.post(`/projections/${path}`, body).expect(409)).body.code;

const decisions = async (name: string) => {
  const { body } = await operator.get(`/history/events?aggregate=projection&id=${name}`).expect(200);
  return body.items.map(({ type, actor, data }: Record<string, unknown>) => ({ type, actor, data }));
};

describe('a rebuild of a projection', () => {
  it.each(NAMES)('of %s is level, equal and live by itself, and keeps the version before', async (name) => {
    await publish();
    const before = await show(name);
    const job = await rebuild(name);
    expect(job).toMatchObject({ state: 'done', progress: 1, result: { promoted: true, ...EQUAL } });
    const after = await show(name);
    expect(after).toMatchObject({ state: 'live', candidate: null, previous: before.version });
    expect(after.version).toBe(job.result.version);
    const promoted = await until('the promotion is in the trail', async () => (await decisions(name))[0]);
    expect(promoted).toMatchObject({
      type: 'ProjectionPromoted',
      actor: 'operator',
      data: { projection: name, version: after.version, previousVersion: before.version, jobId: job.id, reason: null },
    });
    await publish();
  });

  it('waits where it is manual, is promoted, and rolled back to a version that was kept level', async () => {
    const { version: first, previous } = await show('posts');
    const job = await rebuild('posts', { promote: 'manual' });
    expect(job).toMatchObject({ state: 'done', result: { promoted: false, ...EQUAL } });
    const second = job.result.version;
    expect(await show('posts')).toMatchObject({
      version: first,
      state: 'level',
      previous,
      candidate: { version: second, state: 'level', progress: 1, eta_seconds: 0 },
    });
    expect(await refusal('posts/rebuild')).toBe('candidate_exists');
    const post = await publish();

    await waitUntilLevel('posts');
    const { body: promoted } = await operator.post('/projections/posts/promote').expect(200);
    expect(promoted).toMatchObject({ version: second, previous: first, candidate: null, state: 'live' });
    await setup.waitForState(post, 'published');
    const later = await publish();

    await waitUntilLevel('posts');
    const { body: back } = await operator.post('/projections/posts/rollback').expect(200);
    expect(back).toMatchObject({ version: first, previous: second });
    await setup.waitForState(later, 'published');
    const latest = await until('the rollback is in the trail', async () => {
      const all = await decisions('posts');
      return all[0]?.type === 'ProjectionRolledBack' && all;
    });
    expect(latest.slice(0, 2)).toMatchObject([
      { type: 'ProjectionRolledBack', data: { version: first, previousVersion: second } },
      { type: 'ProjectionPromoted', data: { version: second, previousVersion: first, jobId: null } },
    ]);
  });

  it('is discarded', async () => {
    const { version } = await show('request-log');
    const job = await rebuild('request-log', { promote: 'manual' });
    const { body } = await operator.post('/projections/request-log/discard').expect(200);
    expect(body).toMatchObject({ version, candidate: null, state: 'live' });
    const [discarded] = await until('the decision is in the trail', async () => {
      const all = await decisions('request-log');
      return all[0]?.type === 'ProjectionCandidateDiscarded' && all;
    });
    expect(discarded).toMatchObject({
      type: 'ProjectionCandidateDiscarded',
      actor: 'operator',
      data: { projection: 'request-log', version: job.result.version, reason: null },
    });
    const { pool } = harness.running.infrastructure;
    await until('its tables are dropped', async () => {
      const { rowCount } = await pool.query('select from pg_namespace where nspname = $1', [
        `request_log_v${job.result.version}`,
      ]);
      return rowCount === 0;
    });
  });

  it('repeats no decision whose request is repeated with its key', async () => {
    await rebuild('webhook-deliveries');
    const key = { 'idempotency-key': newUuid() };
    await waitUntilLevel('webhook-deliveries');
    const { body } = await operator.post('/projections/webhook-deliveries/rollback', {}, key).expect(200);
    await operator.post('/projections/webhook-deliveries/rollback', {}, key).expect(200);
    expect((await show('webhook-deliveries')).version).toBe(body.version);
  });

  it('goes live though it differs, and says how', async () => {
    const { pool } = harness.running.infrastructure;
    const { version } = await show('posts');
    const post = await publish();
    await pool.query(`delete from posts_v${version}.publication where post_id = $1`, [post]);
    const { result } = await rebuild('posts');
    expect(result).toMatchObject({ promoted: true, missing: expect.any(Number) });
    expect(result.missing).toBeGreaterThan(0);
    expect(result.examples).toContainEqual(expect.objectContaining({ kind: 'missing', table: 'publication' }));
    await setup.waitForState(post, 'published');
  });

  it('keeps what the audit trail says of events that were deleted', async () => {
    const { aggregates, store } = harness.running.infrastructure;
    const origin = { actor: 'system:test', requestId: 'req_gone', causationId: 'x', correlationId: 'req_story' };
    const id = newUuid();
    await aggregates.execute(
      translation,
      id,
      { type: 'StoreTranslation', postId: 'post_gone', text: 'Hallo', places: [] },
      { ...origin, clientAddress: null, commandId: newUuid(), at: Date.now() },
    );
    const listed = async () => {
      const { body } = await operator.get('/history/events?aggregate=translation').expect(200);
      return body.items;
    };
    const [event] = await until('it is in the trail', async () => {
      const items = await listed();
      return items.length > 0 && items;
    });
    await store.deleteStream(streamOf(translation, id));
    const before = await listed();
    expect(before).toMatchObject([{ id: event.id }]);
    const { body: verification } = await operator.post('/projections/audit/verify').expect(202);
    await until('the verification has ended', async () => {
      const { body } = await operator.get(`/jobs/${verification.id}`).expect(200);
      return body.state === 'done' && expect(body.result).toMatchObject(EQUAL) === undefined;
    });
    const job = await rebuild('audit');
    expect(job.result).toMatchObject({ promoted: true, ...EQUAL });
    expect(await listed()).toEqual(before);
  });

  it('replaces what a process has cached of wrong rows', async () => {
    const { pool } = harness.running.infrastructure;
    const { version } = await show('discovery');
    const other = await PublishingSetup.create(harness, setup.owner);
    await pool.query(`update discovery_v${version}.endpoint set token_hash = 'wrong' where slug = $1`, [
      other.endpoint.slug,
    ]);
    await expect(other.sendPost()).rejects.toThrow('401');
    expect((await rebuild('discovery')).result).toMatchObject({ promoted: true, different: 1 });
    await until('its token is valid', () => other.sendPost());
  });

  it('is refused where there is nothing to decide about, and to owners', async () => {
    expect(await refusal('discovery/promote')).toBe('no_candidate');
    expect(await refusal('discovery/discard')).toBe('no_candidate');
    await operator.post('/projections/discovery/rebuild', { promote: 'later' }).expect(422);
    await operator.post('/projections/none/rebuild').expect(404);
    const owner = await createOwner(harness);
    for (const call of ['rebuild', 'promote', 'rollback', 'discard'])
      await owner.caller.post(`/projections/discovery/${call}`).expect(403);
  });
});

describe('a projection that was never rebuilt', () => {
  it('has no version to go back to', async () => {
    const { pool } = harness.running.infrastructure;
    await pool.query(`update ops_projection set previous_version = null where name = 'request-log'`);
    expect(await refusal('request-log/rollback')).toBe('no_previous');
  });
});
