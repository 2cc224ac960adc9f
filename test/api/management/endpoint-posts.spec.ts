import { until } from '../../e2e/until.js';
import {
  type Caller,
  createChannel,
  type CreatedEndpoint,
  createEndpoint,
  createOwner,
  createProject,
  type ManagementHarness,
  operatorCaller,
  startHarness,
  type TestOwner,
} from './management-harness.js';
import { LIMITS_PROFILE } from './publishing-setup.js';

interface LoggedRequest {
  readonly route: string;
  readonly decision: string;
  readonly reason: string | null;
  readonly http_status: number;
  readonly post_id: string | null;
}

const POSTS = 'POST /manage/v1/endpoints/{id}/posts';

describe('a post with a management key', () => {
  let harness: ManagementHarness;
  let owner: TestOwner;
  let project: string;
  let endpoint: CreatedEndpoint;

  beforeAll(async () => {
    harness = await startHarness({ LIMITS_PROFILE, MEDIA_PROBE: 'off' });
    owner = await createOwner(harness);
    project = await createProject(owner, [(await createChannel(owner)).id]);
    endpoint = await createEndpoint(owner, [project], { min_interval: 0 });
  });
  afterAll(() => harness?.stop());

  const publish = (
    caller: Caller,
    { id }: Pick<CreatedEndpoint, 'id'>,
    payload: object,
    headers: Readonly<Record<string, string>> = {},
  ) => caller.post(`/endpoints/${id}/posts`, payload, headers);
  /** Reads the log, the newest entry first, once it has the entry of the last request. */
  const readLog = (
    { id }: Pick<CreatedEndpoint, 'id'>,
    isLast: (newest: LoggedRequest) => boolean,
    { caller } = owner,
  ): Promise<readonly LoggedRequest[]> =>
    until('the last request is in the log', async () => {
      const { items } = (await caller.get(`/endpoints/${id}/requests`).expect(200)).body;
      return items.length > 0 && isLast(items[0]) && items;
    });

  it('is answered and published like a post of the endpoint’s client', async () => {
    const { body, headers } = await publish(owner.caller, endpoint, { text: 'Hello', trace_id: 't-1' }).expect(200);
    expect(body).toEqual({ ok: true, id: expect.stringMatching(/^post_/), trace_id: 't-1', queued_targets: 1 });
    expect(headers['content-type']).toBe('application/json; charset=utf-8');
    const published = await until('the post is published', async () => {
      const post = (await owner.caller.get(`/posts/${body.id}`).expect(200)).body;
      return post.publications[0].state === 'published' ? post : null;
    });
    expect(published).toMatchObject({ endpoint_id: endpoint.id, payload: { text: 'Hello' } });
  });

  it.each(['owner', 'operator'])('is recorded as one by the %s', async (role) => {
    const caller = role === 'owner' ? owner.caller : operatorCaller(harness);
    const { id } = (await publish(caller, endpoint, { text: `By the ${role}` }).expect(200)).body;
    const actor = role === 'owner' ? `owner:${owner.id}` : 'operator';
    const { body } = await owner.caller.get(`/history/post/${id}`).expect(200);
    expect(body.events[0]).toMatchObject({ type: 'PostAccepted', actor, ip: expect.any(String) });
    const [logged] = await readLog(endpoint, ({ post_id }) => post_id === id);
    expect(logged).toMatchObject({ route: POSTS, decision: 'accepted', http_status: 200, post_id: id });
  });

  it('takes effect once with an Idempotency-Key, which the endpoint’s client shares', async () => {
    const key = { 'idempotency-key': 'once' };
    const first = await publish(owner.caller, endpoint, { text: 'Once' }, key).expect(200);
    const repeat = await publish(owner.caller, endpoint, { text: 'Once' }, key).expect(202);
    expect(repeat.text).toBe(first.text);
    expect(repeat.headers['idempotency-payload-mismatch']).toBeUndefined();
    const other = await publish(operatorCaller(harness), endpoint, { text: 'Another' }, key).expect(202);
    expect(other.text).toBe(first.text);
    expect(other.headers['idempotency-payload-mismatch']).toBe('true');
    const byClient = await fetch(`${harness.url}/v1/webhooks/${endpoint.slug}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${endpoint.token}`, 'content-type': 'application/json', ...key },
      body: JSON.stringify({ text: 'Once' }),
    });
    expect([byClient.status, await byClient.text()]).toEqual([202, first.text]);
    const [last, mismatch, replay] = await readLog(endpoint, ({ route }) => route !== POSTS);
    expect(last).toMatchObject({ route: 'POST /v1/webhooks/{slug}', decision: 'accepted_idempotent_replay' });
    expect(mismatch).toMatchObject({ decision: 'accepted_idempotent_replay', reason: 'payload_mismatch' });
    expect(replay).toMatchObject({ route: POSTS, decision: 'accepted_idempotent_replay', post_id: first.body.id });
  });

  it('needs neither signature nor timestamp, and no address of the allowlist', async () => {
    const guarded = await createEndpoint(owner, [project], {
      min_interval: 0,
      require_signature: true,
      require_timestamp: true,
      ip_allowlist: ['203.0.113.7'],
    });
    await publish(owner.caller, guarded, { text: 'Hello' }).expect(200);
    await owner.caller.post(`/endpoints/${guarded.id}/sandbox`, { text: 'Hello' }).expect(200);
  });

  it('works with the present slug of an endpoint', async () => {
    const rotated = await createEndpoint(owner, [project], { min_interval: 0 });
    await publish(owner.caller, rotated, { text: 'Before' }).expect(200);
    await owner.caller.post(`/endpoints/${rotated.id}/rotate-slug`).expect(200);
    await publish(owner.caller, rotated, { text: 'After' }).expect(200);
  });

  it('is checked like every post', async () => {
    const broken = await publish(owner.caller, endpoint, { text: 1, media: 'none' }).expect(422);
    expect(broken.body).toMatchObject({ ok: false, code: 'invalid_payload' });
    expect(broken.body.details.map(({ path }: { path: string }) => path)).toEqual(['text', 'media']);
    const unknown = await publish(owner.caller, endpoint, { text: 'Hi', targets: [{ id: 'tgt_other' }] }).expect(422);
    expect(unknown.body.code).toBe('invalid_targets');
    const media = await owner.caller.post(`/endpoints/${endpoint.id}/posts`, undefined, {
      'content-type': 'text/plain',
    });
    expect([media.status, media.body.code]).toEqual([415, 'unsupported_media_type']);
    const [, second] = await readLog(endpoint, ({ http_status }) => http_status === 415);
    expect(second).toMatchObject({ route: POSTS, decision: 'rejected_validation', http_status: 422 });
  });

  it('may be as large as over /v1', async () => {
    const metadata = { note: 'x'.repeat(600_000) };
    const { id } = (await publish(owner.caller, endpoint, { text: 'Large', metadata }).expect(200)).body;
    const { body } = await owner.caller.get(`/posts/${id}`).expect(200);
    expect(body.payload.metadata).toEqual(metadata);
  });

  it('counts against the limits and the month’s quota', async () => {
    const mini = await createOwner(harness, 'mini');
    const target = await createProject(mini, [(await createChannel(mini)).id]);
    const slow = await createEndpoint(mini, [target], { min_interval: 60 });
    await publish(mini.caller, slow, { text: 'First' }).expect(200);
    const soon = await publish(mini.caller, slow, { text: 'Too soon' }).expect(429);
    expect(soon.body.code).toBe('rate_limited');
    expect(Number(soon.headers['retry-after'])).toBeGreaterThan(0);
    const fast = await createEndpoint(mini, [target], { min_interval: 0 });
    await publish(operatorCaller(harness), fast, { text: 'Second' }).expect(200);
    await until('the quota is used up', async () => {
      const { status, body } = await publish(mini.caller, fast, { text: 'Third' });
      return status === 402 && body.code === 'quota_exhausted';
    });
    const [tooSoon] = await readLog(slow, ({ decision }) => decision !== 'accepted', mini);
    expect(tooSoon).toMatchObject({ route: POSTS, decision: 'rejected_rate_limit', reason: 'min_interval' });
  });

  it('is refused by a test endpoint, whose sandbox works', async () => {
    const test = await createEndpoint(owner, [project], { mode: 'test', min_interval: 0 });
    const { body } = await publish(owner.caller, test, { text: 'Hello' }).expect(403);
    expect(body).toMatchObject({ ok: false, code: 'test_endpoint' });
    const preview = await owner.caller.post(`/endpoints/${test.id}/sandbox`, { text: 'Hello' }).expect(200);
    expect(preview.body.ok).toBe(true);
    const log = await readLog(test, () => true);
    expect(log).toEqual([
      expect.objectContaining({ route: POSTS, decision: 'rejected_auth', reason: 'test_endpoint', http_status: 403 }),
    ]);
  });

  it('is refused by a disabled endpoint as over /v1', async () => {
    const disabled = await createEndpoint(owner, [project], { min_interval: 0 });
    await owner.caller.post(`/endpoints/${disabled.id}/disable`).expect(200);
    const { body } = await publish(owner.caller, disabled, { text: 'Hello' }).expect(403);
    expect(body).toMatchObject({ code: 'endpoint_disabled' });
    const preview = await owner.caller.post(`/endpoints/${disabled.id}/sandbox`, { text: 'Hello' }).expect(403);
    expect(preview.body.code).toBe('endpoint_disabled');
    expect(await readLog(disabled, () => true)).toEqual([
      expect.objectContaining({ route: POSTS, decision: 'rejected_paused', http_status: 403 }),
    ]);
  });

  it('is 404 for another owner’s endpoint, one that is gone and one that never was', async () => {
    const stranger = await createOwner(harness);
    const gone = await createEndpoint(owner, [project]);
    await owner.caller.delete(`/endpoints/${gone.id}`).expect(204);
    const calls: readonly (readonly [Caller, string])[] = [
      [stranger.caller, endpoint.id],
      [owner.caller, gone.id],
      [operatorCaller(harness), 'ep_none'],
    ];
    for (const [caller, id] of calls)
      for (const route of ['posts', 'sandbox']) {
        const { body } = await caller.post(`/endpoints/${id}/${route}`, { text: 'Hello' }).expect(404);
        expect(body.code).toBe('not_found');
      }
  });
});

describe('the sandbox with a management key', () => {
  let harness: ManagementHarness;
  let owner: TestOwner;

  beforeAll(async () => {
    harness = await startHarness({ MEDIA_PROBE: 'off' });
    owner = await createOwner(harness, 'free');
  });
  afterAll(() => harness?.stop());

  it('answers as /v1/sandbox/test does, is not logged, and uses the same daily quota', async () => {
    const project = await createProject(owner, [(await createChannel(owner)).id]);
    const endpoint = await createEndpoint(owner, [project], { mode: 'test' });
    const viaToken = async (payload: object) => {
      const answer = await fetch(`${harness.url}/v1/sandbox/test`, {
        method: 'POST',
        headers: { authorization: `Bearer ${endpoint.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(payload),
      });
      const { request_id: _, ...body } = (await answer.json()) as Record<string, unknown>;
      return { status: answer.status, body };
    };
    const viaKey = async (payload: object) => {
      const answer = await owner.caller.post(`/endpoints/${endpoint.id}/sandbox`, payload);
      const { request_id: _, ...body } = answer.body as Record<string, unknown>;
      return { status: answer.status, body };
    };
    for (const payload of [{ text: 'Hello <b>you</b>' }, { text: 5 }, { text: 'Hi', targets: [{ id: 'tgt_none' }] }])
      expect(await viaKey(payload)).toEqual(await viaToken(payload));
    expect((await owner.caller.get(`/endpoints/${endpoint.id}/requests`).expect(200)).body.items).toEqual([]);
    expect((await owner.caller.get('/posts').expect(200)).body.items).toEqual([]);
    const { limits } = (await owner.caller.get(`/owners/${owner.id}`).expect(200)).body;
    for (let used = 6; used < limits.sandbox_daily; used++) await viaToken({ text: 'Hello' });
    expect(await viaKey({ text: 'Hello' })).toMatchObject({ status: 429, body: { code: 'rate_limited' } });
  });
});

describe('a post with a management key under maintenance', () => {
  let harness: ManagementHarness;
  beforeAll(async () => {
    harness = await startHarness({ MAINTENANCE: 'on' });
  });
  afterAll(() => harness?.stop());

  it('is 503, and reading goes on', async () => {
    const owner = await createOwner(harness);
    const endpoint = await createEndpoint(owner, []);
    const { body } = await owner.caller.post(`/endpoints/${endpoint.id}/posts`, { text: 'Hello' }).expect(503);
    expect(body.code).toBe('maintenance');
    const logged = await until('it is in the log', async () => {
      const { body: log } = await owner.caller.get(`/endpoints/${endpoint.id}/requests`).expect(200);
      return log.items[0];
    });
    expect(logged).toMatchObject({ decision: 'rejected_disabled' });
  });
});
