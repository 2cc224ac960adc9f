import { POSTS } from '../../../src/projections/posts/posts.tables.js';
import { until } from '../../e2e/until.js';
import { EventStream } from '../../support/event-stream.js';
import {
  createEndpoint,
  createOwner,
  type ManagementHarness,
  OPERATOR_KEY,
  operatorCaller,
  startHarness,
} from './management-harness.js';
import { LIMITS_PROFILE, PublishingSetup } from './publishing-setup.js';

/** An interval so short that tests need not wait for it. */
const OPTIONS = { commentMs: 50 };

describe('the stream of changes', () => {
  let harness: ManagementHarness;
  const opened: EventStream[] = [];

  beforeAll(async () => {
    harness = await startHarness({ LIMITS_PROFILE, CORS_ORIGINS: 'https://console.example' }, { streams: OPTIONS });
  });
  afterEach(() => opened.splice(0).forEach((stream) => stream.close()));
  afterAll(() => harness?.stop());

  const open = async (key: string, headers: Readonly<Record<string, string>> = {}, query = '') => {
    const stream = await EventStream.open(`${harness.url}/manage/v1/stream${query}`, key, headers);
    opened.push(stream);
    return stream;
  };
  const call = (key: string, headers: Readonly<Record<string, string>> = {}, query = '', method = 'GET') =>
    fetch(`${harness.url}/manage/v1/stream${query}`, {
      method,
      headers: { authorization: `Bearer ${key}`, ...headers },
    });

  /** Creates a set-up, and waits until the streams have passed it: a new stream then tells only of what follows. */
  const createKnownSetup = async (): Promise<PublishingSetup> => {
    const all = await open(OPERATOR_KEY);
    const setup = await PublishingSetup.create(harness);
    await all.waitForChange('endpoint', setup.endpoint.id);
    return setup;
  };

  it('tells of a post and of its publication, as soon as the views show them', async () => {
    const setup = await PublishingSetup.create(harness);
    const stream = await open(setup.owner.caller.key);
    const post = await setup.sendPost();
    const change = await stream.waitForChange('post', post);
    const { pool } = harness.running.infrastructure;
    const { rows } = await pool.query(`select from ${POSTS}.post where post_id = $1`, [post]);
    expect(rows).toHaveLength(1);
    const { body } = await setup.owner.caller.get(`/history/post/${post}`).expect(200);
    expect(change.id).toBe(body.events[0].position);
    const publication = (await setup.readPublication(post)).id;
    await stream.waitForChange('publication', publication);
    for (const { data } of stream.changesOf('publication', publication)) expect(data.ids).toContain(post);
    await setup.waitForState(post, 'published');
  });

  it('tells of every kind of thing', async () => {
    const stream = await open(OPERATOR_KEY);
    const setup = await PublishingSetup.create(harness);
    const { owner, channel, project, endpoint } = setup;
    const hooks = { project_id: project, url: 'https://hooks.invalid/mine' };
    const output = (await owner.caller.post('/webhook-outputs', hooks).expect(201)).body.id;
    const delivery = (await owner.caller.post(`/webhook-outputs/${output}/test`).expect(201)).body.id;
    await owner.caller.post(`/channels/${channel.id}/pause`, { minutes: 1 }).expect(200);
    await owner.caller.post(`/projects/${project}/pause`, { minutes: 1 }).expect(200);
    await owner.caller.post(`/endpoints/${endpoint.id}/posts`, { text: 1 }).expect(422);
    const expected = [
      ['owner', owner.id],
      ['channel', channel.id],
      ['project', project],
      ['endpoint', endpoint.id],
      ['channel-pause', channel.id],
      ['project-pause', project],
      ['webhook-output', output],
      ['delivery', delivery],
      ['request-log', endpoint.id],
    ] as const;
    for (const [kind, id] of expected) await stream.waitForChange(kind, id);
  });

  it('tells of what is deleted, and of its publications', async () => {
    const setup = await PublishingSetup.create(harness);
    const { caller } = setup.owner;
    await caller.post(`/channels/${setup.channel.id}/pause`, { minutes: 60 }).expect(200);
    const post = await setup.sendPost();
    const publication = (await setup.readPublication(post)).id;
    const stream = await open(caller.key);
    await caller.delete(`/channels/${setup.channel.id}?cascade=true`).expect(204);
    await stream.waitForChange('channel', setup.channel.id);
    await stream.waitForChange('publication', publication);
  });

  it('resumes after the last event that a reader has received', async () => {
    const setup = await PublishingSetup.create(harness);
    const stream = await open(setup.owner.caller.key);
    const first = await setup.sendPost();
    const { id } = await stream.waitForChange('post', first);
    stream.close();
    const missed = [await setup.sendPost(), await setup.sendPost()];
    const resumed = await open(setup.owner.caller.key, { 'last-event-id': id! });
    for (const post of missed) await resumed.waitForChange('post', post);
    const next = await setup.sendPost();
    await resumed.waitForChange('post', next);
    expect(resumed.changesOf('post', first)).toEqual([]);
    const ids = resumed.events.map((event) => BigInt(event.id!));
    expect(ids).toEqual([...new Set(ids)].sort((a, b) => Number(a - b)));
    expect(ids[0]).toBeGreaterThan(BigInt(id!));
  });

  it('resumes before the first event as well, because the stream sends the position first', async () => {
    const setup = await createKnownSetup();
    const stream = await open(setup.owner.caller.key);
    stream.close();
    expect(stream.events).toEqual([]);
    const post = await setup.sendPost();
    const resumed = await open(setup.owner.caller.key, { 'last-event-id': stream.lastId });
    await resumed.waitForChange('post', post);
  });

  it('asks a reader of another log to read everything again', async () => {
    const setup = await createKnownSetup();
    const stream = await open(setup.owner.caller.key, { 'last-event-id': '999999999999999999999' });
    const id = stream.events[0]!.id!;
    expect(stream.events).toEqual([{ event: 'change', id, data: { kind: 'reset', ids: [] } }]);
    expect(id).toMatch(/^\d+$/);
    // Comments with newer positions may have arrived since, because the log has grown.
    expect(BigInt(id)).toBeLessThanOrEqual(BigInt(stream.lastId));
    const post = await setup.sendPost();
    await stream.waitForChange('post', post);
  });

  it('shows an owner nothing of others, and the operator all or one owner’s', async () => {
    const [one, other] = [await PublishingSetup.create(harness), await PublishingSetup.create(harness)];
    const streams = {
      one: await open(one.owner.caller.key),
      named: await open(one.owner.caller.key, {}, `?owner_id=${one.owner.id}`),
      operator: await open(OPERATOR_KEY),
      ofOther: await open(OPERATOR_KEY, {}, `?owner_id=${other.owner.id}`),
    };
    const theirs = await other.sendPost();
    await streams.operator.waitForChange('post', theirs);
    await streams.ofOther.waitForChange('post', theirs);
    const mine = await one.sendPost();
    for (const stream of [streams.one, streams.named, streams.operator]) await stream.waitForChange('post', mine);
    for (const stream of [streams.one, streams.named]) {
      const ids = stream.events.flatMap(({ data }) => data.ids);
      expect(ids).not.toContain(theirs);
      expect(ids).not.toContain(other.channel.id);
    }
    expect(streams.ofOther.changesOf('post', mine)).toEqual([]);
    const missed = await open(one.owner.caller.key, { 'last-event-id': streams.one.events[0]!.id! });
    await one.sendPost().then((post) => missed.waitForChange('post', post));
    expect(missed.changesOf('post', theirs)).toEqual([]);
    expect((await call(one.owner.caller.key, {}, `?owner_id=${other.owner.id}`)).status).toBe(404);
  });

  it('refuses what it does not understand', async () => {
    const { caller } = await createOwner(harness);
    expect((await call('wrong')).status).toBe(401);
    expect((await call(OPERATOR_KEY, {}, '?owner_id=own_none')).status).toBe(404);
    const query = await call(caller.key, {}, '?owner=mine');
    expect([query.status, (await query.json()) as object]).toMatchObject([422, { code: 'invalid' }]);
    for (const id of ['x', '-1', '1.5', '9'.repeat(40)]) {
      const answer = await call(caller.key, { 'last-event-id': id });
      const details = [{ path: 'Last-Event-ID', code: 'wrong_format' }];
      expect([answer.status, await answer.json()]).toMatchObject([422, { code: 'invalid', details }]);
    }
  });

  it('works through proxies, from pages of allowed origins and with HEAD', async () => {
    const { caller } = await createOwner(harness);
    const { response } = await open(caller.key, { origin: 'https://console.example' });
    expect(Object.fromEntries(response.headers)).toMatchObject({
      'content-type': 'text/event-stream',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'access-control-allow-origin': 'https://console.example',
      'x-request-id': expect.stringMatching(/^req_/),
    });
    const head = await call(caller.key, {}, '', 'HEAD');
    expect([head.status, head.headers.get('content-type'), await head.text()]).toEqual([200, 'text/event-stream', '']);
  });

  it('sends comments, with the position that the reader has reached', async () => {
    const stream = await open((await createOwner(harness)).caller.key);
    const setup = await PublishingSetup.create(harness);
    const { id } = await (await open(OPERATOR_KEY)).waitForChange('post', await setup.sendPost());
    await until('several comments', () => stream.comments.length > 2 && BigInt(stream.lastId) >= BigInt(id!));
    expect(stream.events).toEqual([]);
  });

  it('is open five times for an owner, and says so to a sixth', async () => {
    const { caller } = await createOwner(harness);
    const streams = await Promise.all(Array.from({ length: 5 }, () => open(caller.key)));
    const sixth = await call(caller.key);
    expect(sixth.status).toBe(429);
    expect(sixth.headers.get('retry-after')).not.toBeNull();
    const problem = (await sixth.json()) as { code: string; errors: string[] };
    expect(problem).toMatchObject({ code: 'too_many_streams', errors: [expect.stringContaining('5 change streams')] });
    await open((await createOwner(harness)).caller.key); // of another owner
    streams[0]!.close();
    await until('another may be opened', () => open(caller.key));
  });

  it('is open for many owners in a process, and tells all of a change', async () => {
    const streams = await Promise.all(Array.from({ length: 120 }, () => open(OPERATOR_KEY)));
    const { id } = await createOwner(harness);
    await Promise.all(streams.map((stream) => stream.waitForChange('owner', id)));
  });

  it('ends when the owner’s key is replaced, and goes on with the new key', async () => {
    const owner = await createOwner(harness);
    const { lastId: before } = await open(OPERATOR_KEY);
    const [stream, ofOperator] = [await open(owner.caller.key), await open(OPERATOR_KEY, {}, `?owner_id=${owner.id}`)];
    await operatorCaller(harness).post(`/owners/${owner.id}/rotate-key`).expect(200);
    const { body } = await operatorCaller(harness).post(`/owners/${owner.id}/rotate-key`).expect(200);
    await stream.waitForEnd();
    expect(stream.events.at(-1)).toMatchObject({ event: 'bye', data: { reason: 'key_revoked' } });
    expect((await call(owner.caller.key)).status).toBe(401);
    const renewed = await open(body.key, { 'last-event-id': before });
    const endpoint = await createEndpoint({ id: owner.id, caller: Object.assign(owner.caller, { key: body.key }) }, []);
    await renewed.waitForChange('endpoint', endpoint.id);
    await ofOperator.waitForChange('endpoint', endpoint.id);
    await operatorCaller(harness).delete(`/owners/${owner.id}`).expect(204);
    await renewed.waitForEnd();
    expect(renewed.events.at(-1)).toMatchObject({ event: 'bye', data: { reason: 'key_revoked' } });
  });

  it('says goodbye when the process stops, which it does not hold up', async () => {
    const stopped = await startHarness();
    const stream = await EventStream.open(`${stopped.url}/manage/v1/stream`, OPERATOR_KEY);
    await stopped.stop();
    await stream.waitForEnd();
    expect(stream.events.at(-1)).toMatchObject({ event: 'bye', data: { reason: 'shutdown' } });
  });
});
