import type { CurrentOverviewView } from '../../../src/api/management/overview/overview.view.js';
import { until } from '../../e2e/until.js';
import { createOwner, type ManagementHarness, operatorCaller, startHarness } from './management-harness.js';
import { addFault, answering, BREAKING_OFF, networkOf, readOverview, waitForOverview } from './overview-reader.js';
import { LIMITS_PROFILE, PublishingSetup } from './publishing-setup.js';

let harness: ManagementHarness;
beforeAll(async () => {
  harness = await startHarness({ LIMITS_PROFILE });
});
afterAll(() => harness.stop());
afterEach(() => harness.telegram.clearFaults());

describe('an overview without anything', () => {
  it('has its full shape', async () => {
    const { id, caller } = await createOwner(harness, 'pro');
    const overview = await readOverview(caller);
    expect(overview).toEqual({
      at: expect.stringMatching(/^\d{4}-.*\.\d{3}Z$/),
      role: 'owner',
      owner: { id, name: 'Acme', plan: 'pro', posts_left: 2_000, posts_used: 0, resets_at: expect.any(String) },
      attention: [],
      networks: ['telegram', 'vk', 'max', 'ok'].map((platform) => ({
        platform,
        state: 'idle',
        published_hour: 0,
        waiting: 0,
        oldest_at: null,
        next_at: null,
        in_doubt: 0,
        failed: 0,
        refused_hour: 0,
        p95_seconds: null,
        last_published_at: null,
        minutes: Array(12).fill(0),
      })),
      waiting: [],
      minutes: expect.any(Array),
      day: expect.any(Array),
      recent: [],
      checks: null,
      longest: null,
    });
    const [minutes, day] = [overview.minutes, overview.day].map((series) => series.map(({ at }) => Date.parse(at)));
    expect([minutes!.length, day!.length]).toEqual([60, 144]);
    for (const [times, step] of [[minutes!, 60_000] as const, [day!, 600_000] as const]) {
      for (const [i, at] of times.entries()) expect(at).toBe(times[0]! + i * step);
      expect(times[0]! % step).toBe(0);
      const age = Date.parse(overview.at) - times.at(-1)!;
      expect(age >= 0 && age < step).toBe(true);
    }
  });
});

describe('publications', () => {
  it('are counted by minute, by ten minutes, by network and in the latest events', async () => {
    const setup = await PublishingSetup.create(harness);
    const { caller } = setup.owner;
    await setup.waitForState(await setup.sendPost({ text: 'First' }), 'published');
    const post = await setup.sendPost({ text: `${'x'.repeat(115)}👨‍👩‍👧‍👦 and more` });
    const { id } = await setup.waitForState(post, 'published');
    const overview = await waitForOverview(
      caller,
      'two publications',
      (shown) => networkOf(shown).published_hour === 2,
    );
    const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
    expect(sum(overview.minutes.map(({ published }) => published))).toBe(2);
    expect(sum(overview.minutes.slice(-10).map(({ published }) => published))).toBe(2);
    const counted = sum(overview.day.map((each) => each.events));
    // The audit trail is another read model.
    await until('the trail has as many events', async () => {
      const events = (await caller.get('/history/events?limit=200').expect(200)).body.items;
      return events.length === counted;
    });
    const network = networkOf(overview);
    expect(network).toMatchObject({ state: 'going', waiting: 0, oldest_at: null, refused_hour: 0 });
    expect(sum(network.minutes)).toBe(2);
    expect(network.p95_seconds).toBeGreaterThan(0);
    expect(network.last_published_at).toMatch(/Z$/);
    expect(networkOf(overview, 'vk').state).toBe('idle');
    expect(overview.recent).toHaveLength(2); // neither still has an entry for its start
    expect(overview.recent[0]).toEqual({
      at: network.last_published_at,
      kind: 'published',
      platform: 'telegram',
      publication_id: id,
      post_id: post,
      excerpt: 'x'.repeat(115),
      resource_id: null,
      name: null,
    });
  });

  it('that wait are counted exactly, and the oldest and the next one are known', async () => {
    const setup = await PublishingSetup.create(harness);
    const { caller } = setup.owner;
    const { body } = await caller.post(`/channels/${setup.channel.id}/pause`, { minutes: 60 }).expect(200);
    const posts: string[] = [];
    for (let i = 1; i <= 12; i++) posts.push(await setup.sendPost({ text: `Post ${i}` }));
    const overview = await waitForOverview(
      caller,
      'twelve that wait',
      // Their number, the end of the pause and what waits come from different read models.
      (shown) =>
        networkOf(shown).waiting === 12 &&
        networkOf(shown).next_at === body.paused_until &&
        shown.waiting.length === 10 &&
        shown.waiting[0]!.waiting_for?.rule === 'channel_pause',
    );
    const oldest = (await caller.get(`/posts/${posts[0]}`).expect(200)).body.accepted_at;
    const times = { oldest_at: oldest, next_at: body.paused_until };
    expect(networkOf(overview)).toMatchObject({ state: 'held', published_hour: 0, ...times });
    expect(overview.waiting.map(({ post_id }) => post_id)).toEqual(posts.slice(0, 10));
    expect(overview.waiting[0]).toMatchObject({
      post_id: posts[0],
      state: 'queued',
      excerpt: 'Post 1',
      accepted_at: oldest,
      sequence: 1,
      channel: { id: setup.channel.id, name: 'News' },
      waiting_for: { rule: 'channel_pause', until: body.paused_until },
    });
    await caller.post(`/posts/${posts[0]}/cancel`).expect(200);
    const later = await waitForOverview(caller, 'eleven that wait', (shown) => networkOf(shown).waiting === 11);
    expect(later.recent[0]).toMatchObject({ kind: 'dismissed', post_id: posts[0] });
  });

  it('wait in the order in which they go; what waits for a person comes last, though it is the oldest', async () => {
    const refused = await PublishingSetup.create(harness);
    const { owner } = refused;
    await addFault(harness, refused, answering(401, 'Unauthorized'));
    const needsPerson = await refused.sendPost({ text: 'Needs a person' });
    await refused.waitForRule(needsPerson, 'needs_attention');
    const paused: string[] = [];
    for (const minutes of [60, 30]) {
      const setup = await PublishingSetup.create(harness, owner);
      await owner.caller.post(`/projects/${setup.project}/pause`, { minutes }).expect(200);
      const post = await setup.sendPost({ text: `For ${minutes} minutes` });
      await setup.waitForRule(post, 'project_pause');
      paused.unshift(post);
    }
    const { waiting, networks } = await waitForOverview(
      owner.caller,
      'three that wait',
      (shown) => shown.waiting.length === 3 && networkOf(shown).waiting === 3,
    );
    expect(waiting.map(({ post_id }) => post_id)).toEqual([...paused, needsPerson]);
    expect(networks[0]).toMatchObject({ waiting: 3, oldest_at: waiting[2]!.accepted_at });
    expect(networks[0]!.next_at).toBe(waiting[0]!.waiting_for!.until);
  });
});

describe('the state of a network', () => {
  it('is slowed while the network asks for a delay, held by a pause even so, and in doubt before both', async () => {
    const limited = await PublishingSetup.create(harness);
    const { owner } = limited;
    /** Waits until the overview, whose counts have a read model of their own, shows as much; returns the network. */
    const networkWith = async (counts: Partial<ReturnType<typeof networkOf>>) =>
      networkOf(
        await waitForOverview(owner.caller, JSON.stringify(counts), (shown) =>
          Object.entries(counts).every(([name, count]) => networkOf(shown)[name as keyof typeof counts] === count),
        ),
      );
    await addFault(harness, limited, answering(429, 'Too Many Requests: retry after 300', { retry_after: 300 }));
    await limited.waitForRule(await limited.sendPost(), 'platform_limit');
    expect((await networkWith({ refused_hour: 1, waiting: 1 })).state).toBe('slowed');
    const paused = await PublishingSetup.create(harness, owner);
    await owner.caller.post(`/projects/${paused.project}/pause`, { minutes: 60 }).expect(200);
    expect((await networkWith({ waiting: 1 })).state).toBe('slowed'); // nothing waits for that pause
    await paused.waitForRule(await paused.sendPost(), 'project_pause');
    expect((await networkWith({ waiting: 2 })).state).toBe('held');
    const doubtful = await PublishingSetup.create(harness, owner);
    await addFault(harness, doubtful, BREAKING_OFF);
    await doubtful.waitForState(await doubtful.sendPost(), 'in_doubt');
    expect((await networkWith({ in_doubt: 1, waiting: 2 })).state).toBe('in_doubt');
  });

  it('is held by a disabled channel with a post, which needs no attention', async () => {
    const setup = await PublishingSetup.create(harness);
    const { caller } = setup.owner;
    await caller.post(`/channels/${setup.channel.id}/pause`, { minutes: 60 }).expect(200);
    await setup.sendPost();
    await caller.patch(`/channels/${setup.channel.id}`, { enabled: false }).expect(200);
    await caller.post(`/channels/${setup.channel.id}/resume`).expect(200);
    const { waiting, attention, ...overview } = await waitForOverview(
      caller,
      'one that waits',
      // The network's next time and the rule are read one after the other.
      (shown) =>
        networkOf(shown).waiting === 1 &&
        networkOf(shown).next_at === null &&
        shown.waiting[0]?.waiting_for?.rule === 'needs_attention',
    );
    expect(networkOf(overview as CurrentOverviewView)).toMatchObject({ state: 'held', waiting: 1, next_at: null });
    expect(waiting[0]!.waiting_for).toMatchObject({ rule: 'needs_attention', until: null });
    expect(attention).toEqual([]); // its owner disabled it
  });
});

describe('the operator', () => {
  it('sees all owners together, one alone, checks, and who waits longest', async () => {
    const [one, other] = [await PublishingSetup.create(harness), await PublishingSetup.create(harness)];
    for (const { owner, channel } of [one, other])
      await owner.caller.post(`/channels/${channel.id}/pause`, { minutes: 60 }).expect(200);
    await one.sendPost();
    for (let i = 0; i < 2; i++) await other.sendPost();
    const operator = operatorCaller(harness);
    const rulesOf = ({ longest }: CurrentOverviewView) =>
      [one, other].map(({ owner }) => longest!.find(({ owner_id }) => owner_id === owner.id)?.rule);
    await waitForOverview(other.owner.caller, 'two that wait', (shown) => networkOf(shown).waiting === 2);
    // The rules come from other read models than the numbers; on a busy machine a check may take longer than its 3 s.
    const all = await waitForOverview(
      operator,
      'why they wait',
      (shown) => rulesOf(shown).every((rule) => rule === 'channel_pause') && shown.checks!.every(({ ok }) => ok),
    );
    expect(all).toMatchObject({ role: 'operator', owner: null });
    expect(networkOf(all).waiting).toBeGreaterThanOrEqual(3);
    const [oneWaits, otherWaits] = [one, other].map(({ owner }) =>
      all.longest!.find(({ owner_id }) => owner_id === owner.id),
    );
    const common = { owner_name: 'Acme', rule: 'channel_pause', platform: 'telegram' };
    expect([oneWaits, otherWaits]).toMatchObject([
      { ...common, posts: 1 },
      { ...common, posts: 2 },
    ]);
    expect(all.longest!.map(({ oldest_at }) => oldest_at)).toEqual(
      all.longest!.map(({ oldest_at }) => oldest_at).toSorted(),
    );
    expect(all.checks!.map(({ name, ok }) => [name, ok])).toEqual([
      ...[['database', true] as const, ['event_store', true] as const, ['discovery', true] as const],
      ...[['read_models', true] as const, ['history', true] as const],
    ]);
    expect(all.checks!.every(({ message }) => message.length > 0)).toBe(true);
    const ofOne = await readOverview(operator, `?owner_id=${one.owner.id}`);
    expect(ofOne).toMatchObject({ role: 'operator', owner: { id: one.owner.id }, longest: null });
    expect(networkOf(ofOne).waiting).toBe(1);
    expect(ofOne.checks).toHaveLength(5);
  });

  it('sees a read model that has stopped', async () => {
    const { pool } = harness.running.infrastructure;
    const failure = { event_id: 'an event', position: '7', type: 'PostAccepted' };
    await pool.query(
      `insert into ops_checkpoint (name, version, code, position, error, failure)
       values ('elsewhere', 1, 1, 0, 'boom', $1)`,
      [failure],
    );
    await pool.query(`insert into ops_projection (name, live_version, last_version) values ('elsewhere', 1, 1)`);
    const operator = operatorCaller(harness);
    const shown = await readOverview(operator);
    expect(shown.attention.at(-1)).toMatchObject({
      code: 'projection_stopped',
      count: 1,
      ids: ['elsewhere'],
      since: expect.stringMatching(/Z$/),
      text: 'The projection elsewhere stopped at event 7 (PostAccepted): boom.',
      action: { label_code: 'view_projection', method: 'GET', path: '/projections/elsewhere' },
      subject: { name: 'elsewhere', position: '7', event_type: 'PostAccepted', message: 'boom' },
    });
    const readModels = await until('the check fails', async () => {
      const check = (await readOverview(operator)).checks!.find(({ name }) => name === 'read_models')!;
      return check.ok ? null : check;
    });
    expect(readModels.degraded).toContain('elsewhere');
    const { caller } = await createOwner(harness);
    expect((await readOverview(caller)).attention).toEqual([]);
    await pool.query(`delete from ops_projection where name = 'elsewhere'`);
    await pool.query(`delete from ops_checkpoint where name = 'elsewhere'`);
  });
});

describe('an owner’s key', () => {
  it('shows that owner alone, and no other one', async () => {
    const [one, other] = [await PublishingSetup.create(harness), await PublishingSetup.create(harness)];
    await addFault(harness, other, answering(400, 'Bad Request'));
    await other.waitForState(await other.sendPost(), 'failed');
    await other.waitForState(await other.sendPost(), 'published');
    await other.owner.caller.post(`/channels/${other.channel.id}/pause`, { minutes: 60 }).expect(200);
    await other.sendPost();
    await waitForOverview(other.owner.caller, 'its failure', ({ attention }) => attention.length === 1);
    const shown = await readOverview(one.owner.caller);
    expect(shown).toEqual({
      ...(await readOverview(one.owner.caller, `?owner_id=${one.owner.id}`)),
      at: shown.at,
      minutes: expect.any(Array),
      day: expect.any(Array),
    });
    expect(shown).toMatchObject({ attention: [], waiting: [], recent: [], checks: null });
    expect(networkOf(shown)).toMatchObject({ published_hour: 0, waiting: 0, refused_hour: 0 });
    expect(shown.minutes.every(({ published, failed }) => published + failed === 0)).toBe(true);
    await one.owner.caller.get(`/overview?owner_id=${other.owner.id}`).expect(404);
  });

  it.each([
    ['?owner_id=no%20id', 422],
    ['?owner_id=own_0000000000000000000000000000000f', 404],
    ['?from=2026-01-01', 422],
  ])('is answered %s with %i', async (query, status) => {
    const { body } = await operatorCaller(harness).get(`/overview${query}`).expect(status);
    expect(body).toMatchObject({ ok: false });
  });
});
