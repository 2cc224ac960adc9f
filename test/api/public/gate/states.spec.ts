import { owner as ownerDecider } from '../../../../src/domain/owner/owner.decider.js';
import { until } from '../../../e2e/until.js';
import { type TestEndpoint, TestGateway } from '../gateway.js';
import { call, lineOf } from './calls.js';

let gateway: TestGateway;
let projects: string[];
let owner: string;
beforeAll(async () => {
  gateway = await TestGateway.start({ LIMITS_PROFILE: 'A' });
  owner = await gateway.owner('business');
  projects = [await gateway.project(owner, [await gateway.channel(owner)])];
});
afterAll(() => gateway.stop());

const endpointWith = (settings: object = {}): Promise<TestEndpoint> =>
  gateway.endpoint(owner, projects, { min_interval: 60, ...settings });
const shown = ({ id }: TestEndpoint) => gateway.manage('GET', `/endpoints/${id}`);
const switchOn = ({ id }: TestEndpoint) => gateway.manage('POST', `/endpoints/${id}/enable`, {});
const switchedOffBy = async ({ id }: TestEndpoint): Promise<{ id: string; data: unknown }[]> =>
  (await gateway.events(`endpoint-${id}`)).filter(({ type }) => type === 'EndpointDisabled');

/** Statuses of so many posts, one after the other. */
const posts = async (endpoint: TestEndpoint, count: number): Promise<number[]> => {
  const statuses: number[] = [];
  for (let i = 0; i < count; i++) statuses.push((await call(gateway.url, endpoint)).status);
  return statuses;
};

describe('an endpoint that its owner has switched off (D-8)', () => {
  it('answers 403, logged rejected_paused with the event that says so, on every route; switched on it answers again', async () => {
    const endpoint = await endpointWith();
    await gateway.manage('POST', `/endpoints/${endpoint.id}/disable`, {});
    const answer = await call(gateway.url, endpoint);
    const [event] = await switchedOffBy(endpoint);
    expect(answer.status).toBe(403);
    expect(await lineOf(gateway, endpoint, answer)).toMatchObject({
      ...{ decision: 'rejected_paused', reason: 'disabled_by_owner' },
      why: { rule: 'disabled_by_owner', event_id: event!.id },
    });
    const others = [await endpoint.info(), await endpoint.post('temp-pause', { project_minutes: 1 })];
    expect(others.map(({ status }) => status)).toEqual([403, 403]);
    await switchOn(endpoint);
    expect(await posts(endpoint, 1)).toEqual([200]);
  });
});

describe('an endpoint whose client does not keep to the limits (publish-api.md: States; D-17)', () => {
  it('answers 429 five times and then 503; its owner sees who switched it off, and one event says so', async () => {
    const endpoint = await endpointWith();
    expect(await posts(endpoint, 6)).toEqual([200, 429, 429, 429, 429, 429]);
    expect(await shown(endpoint)).toMatchObject({ is_active: false, disabled_by: 'rate_limits' });
    expect(await posts(endpoint, 2)).toEqual([503, 503]);
    const events = await switchedOffBy(endpoint);
    expect(events).toHaveLength(1);
    const answer = await call(gateway.url, endpoint);
    expect(await lineOf(gateway, endpoint, answer)).toMatchObject({
      ...{ decision: 'rejected_paused', reason: 'disabled_by_rate_limits', http_status: 503 },
      why: { rule: 'disabled_by_rate_limits', event_id: events[0]!.id },
    });
  });

  it('does not recover by itself; enabling clears what was counted (D-45)', async () => {
    const endpoint = await endpointWith();
    await posts(endpoint, 7);
    await switchOn(endpoint);
    expect(await shown(endpoint)).toMatchObject({ is_active: true, disabled_by: null });
    expect(await posts(endpoint, 6)).toEqual([429, 429, 429, 429, 429, 503]);
    expect(await switchedOffBy(endpoint)).toHaveLength(2);
  });

  it('is not cleared by being switched on while it is on', async () => {
    const endpoint = await endpointWith();
    await posts(endpoint, 4);
    await switchOn(endpoint);
    expect(await posts(endpoint, 3)).toEqual([429, 429, 503]);
  });

  it('is switched off also by discovery, whose violations count along', async () => {
    const endpoint = await endpointWith();
    await posts(endpoint, 5); // four violations
    const statuses = await Promise.all(Array.from({ length: 61 }, async () => (await endpoint.info()).status));
    expect(statuses.filter((status) => status === 200)).toHaveLength(60);
    expect(statuses.filter((status) => status === 429)).toHaveLength(1);
    expect(await posts(endpoint, 1)).toEqual([503]);
    expect((await endpoint.info()).status).toBe(503);
  });

  it('stays off by the limiter’s word where the event could not be written, and the next request writes it', async () => {
    const endpoint = await endpointWith();
    await posts(endpoint, 4);
    // As if the process had died between the fifth violation and its event: the limiter alone knows.
    await gateway.pool.query(
      `update ops_limit set disabled = true, violations = array_fill(clock_timestamp(), array[5]) where endpoint_id = $1`,
      [endpoint.id],
    );
    expect(await shown(endpoint)).toMatchObject({ is_active: true });
    const answer = await call(gateway.url, endpoint);
    const events = await switchedOffBy(endpoint);
    expect([answer.status, events.length]).toEqual([503, 1]);
    expect((await lineOf(gateway, endpoint, answer)).why.event_id).toBe(events[0]!.id);
  });
});

describe('an endpoint whose owner’s plan has no webhook input any more (D-8)', () => {
  it.each(['free', 'standard'])(
    'is switched off from the change to %s on, whether or not anyone calls it; and stays off when the plan allows it again',
    async (plan) => {
      const its = await gateway.owner('pro');
      const [endpoint, another, test, off] = [
        await gateway.endpoint(its, [], { min_interval: 60 }),
        await gateway.endpoint(its, [], { min_interval: 60 }),
        await gateway.endpoint(its, [], { min_interval: 60, mode: 'test' }),
        await gateway.endpoint(its, [], { min_interval: 60 }),
      ];
      await gateway.manage('POST', `/endpoints/${off.id}/disable`, {});
      await gateway.manage('PATCH', `/owners/${its}`, { plan });
      for (const one of [endpoint, another])
        expect(await shown(one)).toMatchObject({ is_active: false, disabled_by: 'plan' });
      expect(await shown(test)).toMatchObject({ is_active: true, disabled_by: null }); // D-12
      expect(await shown(off)).toMatchObject({ is_active: false, disabled_by: 'owner' });
      await gateway.manage('PATCH', `/owners/${its}`, { plan: 'pro' });
      expect(await shown(endpoint)).toMatchObject({ is_active: false, disabled_by: 'plan' });
      await switchOn(endpoint);
      await gateway.manage('PATCH', `/owners/${its}`, { plan: 'maxi' });
      expect(await shown(endpoint)).toMatchObject({ is_active: true, disabled_by: null });
      expect(await switchedOffBy(endpoint)).toHaveLength(1);
    },
  );

  it('is switched off also where the process died that changed the plan, before it is called or the plan allows it again', async () => {
    const its = await gateway.owner('pro');
    const [endpoint, another] = [
      await gateway.endpoint(its, [], { min_interval: 60 }),
      await gateway.endpoint(its, [], { min_interval: 60 }),
    ];
    // What such a process leaves behind: the owner's event alone.
    const origin = { actor: 'operator', requestId: 'req_1', causationId: 'req_1', correlationId: 'req_1' };
    const command = { type: 'ChangeOwner', ownerId: its, plan: 'free' } as const;
    await gateway.streams.run(ownerDecider, its, command, { ...origin, commandId: 'died', at: Date.now() });
    await until('both are off', async () =>
      (await Promise.all([shown(endpoint), shown(another)])).every(({ disabled_by }) => disabled_by === 'plan'),
    );
    const [planChanged] = (await gateway.events(`owner-${its}`)).filter(({ type }) => type === 'OwnerPlanChanged');
    expect(await switchedOffBy(endpoint)).toMatchObject([
      { actor: 'system:withdraw-input', requestId: 'req_1', causationId: planChanged!.id, correlationId: 'req_1' },
    ]);
  });

  it('answers 503 rejected_tier, and has to be switched on when the plan allows it again', async () => {
    const its = await gateway.owner('pro');
    const endpoint = await gateway.endpoint(its, [], { min_interval: 60 });
    await gateway.manage('PATCH', `/owners/${its}`, { plan: 'standard' });
    const first = await call(gateway.url, endpoint);
    const [event] = await switchedOffBy(endpoint);
    expect(first.status).toBe(503);
    expect(await lineOf(gateway, endpoint, first)).toMatchObject({ decision: 'rejected_tier', http_status: 503 });
    expect(event!.data).toMatchObject({ by: 'plan' });

    await gateway.manage('PATCH', `/owners/${its}`, { plan: 'pro' });
    const second = await call(gateway.url, endpoint);
    expect(second.status).toBe(503);
    expect(await lineOf(gateway, endpoint, second)).toMatchObject({
      ...{ decision: 'rejected_tier', reason: 'plan_without_input' },
      why: { figures: { plan: 'pro' }, event_id: event!.id },
    });
    await switchOn(endpoint);
    expect(await posts(endpoint, 1)).toEqual([200]);
    expect(await switchedOffBy(endpoint)).toHaveLength(1);
  });

  it('is refused alike on the other routes, and its sandbox goes on', async () => {
    const its = await gateway.owner('pro');
    const endpoint = await gateway.endpoint(its, [], { min_interval: 60 });
    await gateway.manage('PATCH', `/owners/${its}`, { plan: 'free' });
    const statuses = [
      (await endpoint.info()).status,
      (await endpoint.post('temp-resume', {})).status,
      (await endpoint.sandbox({ text: 'Hello' })).status,
    ];
    expect(statuses).toEqual([503, 503, 200]);
  });
});

describe('an endpoint without a project (D-10)', () => {
  it('answers 200 and creates no post, with a key or without; both are in its log', async () => {
    const endpoint = await gateway.endpoint(owner, [], { min_interval: 60 });
    const body = { text: 'Hello', trace_id: 't-1' };
    const keyless = await call(gateway.url, endpoint, { body });
    expect([keyless.status, JSON.parse(keyless.text)]).toEqual([
      200,
      { ok: true, id: null, trace_id: 't-1', queued_targets: 0 },
    ]);
    const line = { decision: 'accepted_no_project', http_status: 200, trace_id: 't-1', post_id: null };
    expect(await lineOf(gateway, endpoint, keyless)).toMatchObject(line);
    const other = await gateway.endpoint(owner, [], { min_interval: 60 });
    const keyed = await call(gateway.url, other, { body, headers: { 'idempotency-key': 'k' } });
    expect([keyed.status, keyed.text]).toEqual([200, keyless.text]);
    expect(await lineOf(gateway, other, keyed)).toMatchObject(line);
    const again = await call(gateway.url, other, { body, headers: { 'idempotency-key': 'k' } });
    expect([again.status, again.text]).toEqual([202, keyless.text]);
  });
});
