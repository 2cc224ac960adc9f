import { owner as ownerDecider } from '../../../../src/domain/owner/owner.decider.js';
import { until } from '../../../e2e/until.js';
import { type TestEndpoint, TestGateway } from '../gateway.js';
import { findLogEntry, sendRequest, stopLimitClock } from './calls.js';

let gateway: TestGateway;
let projects: string[];
let owner: string;
beforeAll(async () => {
  gateway = await TestGateway.start({ LIMITS_PROFILE: 'A' });
  owner = await gateway.createOwner('business');
  projects = [await gateway.createProject(owner, [await gateway.createChannel(owner)])];
  await stopLimitClock(gateway.pool);
});
afterAll(() => gateway.stop());

const endpointWith = (settings: object = {}): Promise<TestEndpoint> =>
  gateway.createEndpoint(owner, projects, { min_interval: 60, ...settings });
const readEndpoint = ({ id }: TestEndpoint) => gateway.manage('GET', `/endpoints/${id}`);
const enableEndpoint = ({ id }: TestEndpoint) => gateway.manage('POST', `/endpoints/${id}/enable`, {});
/** The call that an answer names for enabling an endpoint (D-52). */
const enablingCall = ({ id }: TestEndpoint): string => `POST /manage/v1/endpoints/${id}/enable`;
const readDisabledEvents = async ({ id }: TestEndpoint): Promise<{ id: string; data: unknown }[]> =>
  (await gateway.readEvents(`endpoint-${id}`)).filter(({ type }) => type === 'EndpointDisabled');

/** Sends posts one after the other; returns their statuses. */
const sendPosts = async (endpoint: TestEndpoint, count: number): Promise<number[]> => {
  const statuses: number[] = [];
  for (let i = 0; i < count; i++) statuses.push((await sendRequest(gateway.url, endpoint)).status);
  return statuses;
};

describe('an endpoint that its owner disabled (D-8)', () => {
  it('answers 403 on every route, logged as rejected_paused with the event; once enabled it answers again', async () => {
    const endpoint = await endpointWith();
    await gateway.manage('POST', `/endpoints/${endpoint.id}/disable`, {});
    const answer = await sendRequest(gateway.url, endpoint);
    const [event] = await readDisabledEvents(endpoint);
    expect(answer.status).toBe(403);
    expect(answer.text).toContain(enablingCall(endpoint));
    expect(await findLogEntry(gateway, endpoint, answer)).toMatchObject({
      decision: 'rejected_paused',
      reason: 'disabled_by_owner',
      why: { rule: 'disabled_by_owner', event_id: event!.id },
    });
    const others = [await endpoint.info(), await endpoint.post('temp-pause', { project_minutes: 1 })];
    expect(others.map(({ status }) => status)).toEqual([403, 403]);
    await enableEndpoint(endpoint);
    expect(await sendPosts(endpoint, 1)).toEqual([200]);
  });
});

describe('an endpoint whose client violates the limits (publish-api.md: States; D-17)', () => {
  it('answers 429 five times and then 503; its owner sees what disabled it, and there is one event', async () => {
    const endpoint = await endpointWith();
    expect(await sendPosts(endpoint, 6)).toEqual([200, 429, 429, 429, 429, 429]);
    expect(await readEndpoint(endpoint)).toMatchObject({ is_active: false, disabled_by: 'rate_limits' });
    expect(await sendPosts(endpoint, 2)).toEqual([503, 503]);
    const events = await readDisabledEvents(endpoint);
    expect(events).toHaveLength(1);
    const answer = await sendRequest(gateway.url, endpoint);
    expect(answer.text).toContain(enablingCall(endpoint));
    const withoutToken = await sendRequest(gateway.url, { ...endpoint, token: 'wrong' });
    expect(withoutToken.text).not.toContain(endpoint.id);
    expect(await findLogEntry(gateway, endpoint, answer)).toMatchObject({
      decision: 'rejected_paused',
      reason: 'disabled_by_rate_limits',
      http_status: 503,
      why: { rule: 'disabled_by_rate_limits', event_id: events[0]!.id },
    });
  });

  it('does not recover by itself; enabling clears the counted violations (D-45)', async () => {
    const endpoint = await endpointWith();
    await sendPosts(endpoint, 7);
    await enableEndpoint(endpoint);
    expect(await readEndpoint(endpoint)).toMatchObject({ is_active: true, disabled_by: null });
    expect(await sendPosts(endpoint, 6)).toEqual([429, 429, 429, 429, 429, 503]);
    expect(await readDisabledEvents(endpoint)).toHaveLength(2);
  });

  it('keeps its violations if it is enabled again without having been disabled', async () => {
    const endpoint = await endpointWith();
    await sendPosts(endpoint, 4);
    await enableEndpoint(endpoint);
    expect(await sendPosts(endpoint, 3)).toEqual([429, 429, 503]);
  });

  it('is also disabled by violations of discovery, posts’ states included, which count together with those of posts', async () => {
    const endpoint = await endpointWith();
    await sendPosts(endpoint, 5); // four violations
    const ask = (i: number) => (i % 2 === 0 ? endpoint.info() : endpoint.readPost('post_0')); // one budget (D-48)
    const statuses = await Promise.all(Array.from({ length: 61 }, async (_, i) => (await ask(i)).status));
    expect(statuses.filter((status) => status === 200 || status === 404)).toHaveLength(60);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
    expect(await sendPosts(endpoint, 1)).toEqual([503]);
    expect((await endpoint.info()).status).toBe(503);
  });

  it('stays disabled by the limiter if the event was not stored, and the next request stores it', async () => {
    const endpoint = await endpointWith();
    await sendPosts(endpoint, 4);
    // As if the process had died between the fifth violation and its event: only the limiter has recorded it.
    await gateway.pool.query(
      `update ops_limit set disabled = true, violations = array_fill(clock_timestamp(), array[5]) where endpoint_id = $1`,
      [endpoint.id],
    );
    expect(await readEndpoint(endpoint)).toMatchObject({ is_active: true });
    const answer = await sendRequest(gateway.url, endpoint);
    const events = await readDisabledEvents(endpoint);
    expect([answer.status, events.length]).toEqual([503, 1]);
    expect((await findLogEntry(gateway, endpoint, answer)).why.event_id).toBe(events[0]!.id);
  });
});

describe('an endpoint whose owner’s plan no longer has webhook input (D-8)', () => {
  it.each(['free', 'standard'])(
    'is disabled by the change to %s, whether or not it is called, and stays disabled when the plan allows it again',
    async (plan) => {
      const ownerId = await gateway.createOwner('pro');
      const [endpoint, another, test, disabled] = [
        await gateway.createEndpoint(ownerId, [], { min_interval: 60 }),
        await gateway.createEndpoint(ownerId, [], { min_interval: 60 }),
        await gateway.createEndpoint(ownerId, [], { min_interval: 60, mode: 'test' }),
        await gateway.createEndpoint(ownerId, [], { min_interval: 60 }),
      ];
      await gateway.manage('POST', `/endpoints/${disabled.id}/disable`, {});
      await gateway.manage('PATCH', `/owners/${ownerId}`, { plan });
      for (const one of [endpoint, another])
        expect(await readEndpoint(one)).toMatchObject({ is_active: false, disabled_by: 'plan' });
      expect(await readEndpoint(test)).toMatchObject({ is_active: true, disabled_by: null }); // D-12
      expect(await readEndpoint(disabled)).toMatchObject({ is_active: false, disabled_by: 'owner' });
      await gateway.manage('PATCH', `/owners/${ownerId}`, { plan: 'pro' });
      expect(await readEndpoint(endpoint)).toMatchObject({ is_active: false, disabled_by: 'plan' });
      await enableEndpoint(endpoint);
      await gateway.manage('PATCH', `/owners/${ownerId}`, { plan: 'maxi' });
      expect(await readEndpoint(endpoint)).toMatchObject({ is_active: true, disabled_by: null });
      expect(await readDisabledEvents(endpoint)).toHaveLength(1);
    },
  );

  it('is disabled even if the process that changed the plan died, before it is called or the plan allows it again', async () => {
    const ownerId = await gateway.createOwner('pro');
    const [endpoint, another] = [
      await gateway.createEndpoint(ownerId, [], { min_interval: 60 }),
      await gateway.createEndpoint(ownerId, [], { min_interval: 60 }),
    ];
    // Such a process leaves only the owner's event behind.
    const ids = { requestId: 'req_1', causationId: 'req_1', correlationId: 'req_1' };
    const origin = { actor: 'operator', ...ids, clientAddress: '203.0.113.7' };
    const command = { type: 'ChangeOwner', ownerId, plan: 'free' } as const;
    await gateway.aggregates.execute(ownerDecider, ownerId, command, { ...origin, commandId: 'died', at: Date.now() });
    await until('both are disabled', async () =>
      (await Promise.all([readEndpoint(endpoint), readEndpoint(another)])).every(
        ({ disabled_by }) => disabled_by === 'plan',
      ),
    );
    const [planChanged] = (await gateway.readEvents(`owner-${ownerId}`)).filter(
      ({ type }) => type === 'OwnerPlanChanged',
    );
    expect(await readDisabledEvents(endpoint)).toMatchObject([
      { actor: 'system:withdraw-input', requestId: 'req_1', causationId: planChanged!.id, correlationId: 'req_1' },
    ]);
  });

  it('answers 503 rejected_tier, and has to be enabled when the plan allows it again', async () => {
    const ownerId = await gateway.createOwner('pro');
    const endpoint = await gateway.createEndpoint(ownerId, [], { min_interval: 60 });
    await gateway.manage('PATCH', `/owners/${ownerId}`, { plan: 'standard' });
    const first = await sendRequest(gateway.url, endpoint);
    const [event] = await readDisabledEvents(endpoint);
    expect(first.status).toBe(503);
    expect(await findLogEntry(gateway, endpoint, first)).toMatchObject({ decision: 'rejected_tier', http_status: 503 });
    expect(event!.data).toMatchObject({ by: 'plan' });

    await gateway.manage('PATCH', `/owners/${ownerId}`, { plan: 'pro' });
    const second = await sendRequest(gateway.url, endpoint);
    expect(second.status).toBe(503);
    expect(await findLogEntry(gateway, endpoint, second)).toMatchObject({
      decision: 'rejected_tier',
      reason: 'plan_without_input',
      why: { figures: { plan: 'pro' }, event_id: event!.id },
    });
    await enableEndpoint(endpoint);
    expect(await sendPosts(endpoint, 1)).toEqual([200]);
    expect(await readDisabledEvents(endpoint)).toHaveLength(1);
  });

  it('answers 503 on the other routes too, and its sandbox still works', async () => {
    const ownerId = await gateway.createOwner('pro');
    const endpoint = await gateway.createEndpoint(ownerId, [], { min_interval: 60 });
    await gateway.manage('PATCH', `/owners/${ownerId}`, { plan: 'free' });
    const statuses = [
      (await endpoint.info()).status,
      (await endpoint.post('temp-resume', {})).status,
      (await endpoint.sandbox({ text: 'Hello' })).status,
    ];
    expect(statuses).toEqual([503, 503, 200]);
  });
});

describe('an endpoint without a project (D-10)', () => {
  it('answers 200 and creates no post, with a key or without; both requests are in its log', async () => {
    const endpoint = await gateway.createEndpoint(owner, [], { min_interval: 60 });
    const body = { text: 'Hello', trace_id: 't-1' };
    const keyless = await sendRequest(gateway.url, endpoint, { body });
    expect([keyless.status, JSON.parse(keyless.text)]).toEqual([
      200,
      { ok: true, id: null, trace_id: 't-1', queued_targets: 0 },
    ]);
    const line = { decision: 'accepted_no_project', http_status: 200, trace_id: 't-1', post_id: null };
    expect(await findLogEntry(gateway, endpoint, keyless)).toMatchObject(line);
    const other = await gateway.createEndpoint(owner, [], { min_interval: 60 });
    const keyed = await sendRequest(gateway.url, other, { body, headers: { 'idempotency-key': 'k' } });
    expect([keyed.status, keyed.text]).toEqual([200, keyless.text]);
    expect(await findLogEntry(gateway, other, keyed)).toMatchObject(line);
    const again = await sendRequest(gateway.url, other, { body, headers: { 'idempotency-key': 'k' } });
    expect([again.status, again.text]).toEqual([202, keyless.text]);
  });
});
