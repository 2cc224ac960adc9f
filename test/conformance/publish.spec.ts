import { until } from '../e2e/until.js';
import { type TestChannel, type TestEndpoint, TestGateway } from '../api/public/gateway.js';

let gateway: TestGateway;
let owner: string;
let [news, sport, other]: TestChannel[] = [];
let projects: string[];
beforeAll(async () => {
  gateway = await TestGateway.start();
  owner = await gateway.owner();
  news = await gateway.channel(owner, 'News');
  sport = await gateway.channel(owner, 'Sport');
  other = await gateway.channel(owner, 'Other');
  projects = [
    await gateway.project(owner, [news, sport]),
    await gateway.project(owner, [sport]),
    await gateway.project(owner, [other]),
  ];
});
afterAll(() => gateway.stop());

const all = (): string[] => projects.slice(0, 2);
const listed = async ({ id }: TestEndpoint): Promise<{ id: string }[]> =>
  (await gateway.manage('GET', `/posts?endpoint_id=${id}`)).items as { id: string }[];

/** An endpoint's posts, once all that was accepted so far is listed: a post of another endpoint's, sent now, is. */
const postsOf = async (endpoint: TestEndpoint): Promise<{ id: string }[]> => {
  const marker = await gateway.endpoint(owner, all());
  await marker.post('', { text: 'marker' });
  await until('the marker is listed', async () => (await listed(marker)).length === 1);
  return listed(endpoint);
};

describe('the publish response (publish-api.md: Publish response; D-10)', () => {
  it('is ok, id, trace_id and queued_targets, and nothing else', async () => {
    const endpoint = await gateway.endpoint(owner, [projects[0]!]);
    const { status, headers, body } = await endpoint.post('', { text: 'a', trace_id: 'trace-7' });
    expect(status).toBe(200);
    expect(body).toEqual({ ok: true, id: expect.stringMatching(/^post_\w+$/), trace_id: 'trace-7', queued_targets: 2 });
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(headers.get('x-request-id')).toMatch(/^req_/);
  });

  it('has trace_id null where none was sent', async () => {
    const endpoint = await gateway.endpoint(owner, [projects[0]!]);
    expect((await endpoint.post('', { text: 'a' })).body).toMatchObject({ trace_id: null });
  });

  it('counts a channel of two projects once (D-27)', async () => {
    const endpoint = await gateway.endpoint(owner, all());
    expect((await endpoint.post('', { text: 'a' })).body).toMatchObject({ queued_targets: 2 });
  });

  it('has an id that a client cannot choose, nor the request’s (D-11)', async () => {
    const endpoint = await gateway.endpoint(owner, all());
    const { headers } = await endpoint.post('', { text: 'a', id: 'post_mine' }, { 'x-request-id': 'req_mine' });
    expect(headers.get('x-request-id')).not.toBe('req_mine');
  });

  it('is 202 with the same bytes where the key was seen before (D-9)', async () => {
    const endpoint = await gateway.endpoint(owner, all());
    const first = await endpoint.post('', { text: 'a' }, { 'idempotency-key': 'once' });
    const again = await endpoint.post('', { text: 'a' }, { 'idempotency-key': 'once' });
    expect([first.status, again.status]).toEqual([200, 202]);
    expect(again.body).toEqual(first.body);
    expect(await postsOf(endpoint)).toHaveLength(1);
  });
});

describe('targets (publish-api.md: Publish payload; POST /v1/webhooks/{slug}, 1)', () => {
  it('restrict the post to those that are named', async () => {
    const endpoint = await gateway.endpoint(owner, all());
    const { body } = await endpoint.post('', { text: 'a', targets: [{ id: sport!.id }] });
    const post = await gateway.manage('GET', `/posts/${body.id}`);
    expect(body.queued_targets).toBe(1);
    expect(post.publications.map((p: { target_id: string }) => p.target_id)).toEqual([sport!.id]);
  });

  it('that are empty are all', async () => {
    const endpoint = await gateway.endpoint(owner, all());
    expect((await endpoint.post('', { text: 'a', targets: [] })).body).toMatchObject({ queued_targets: 2 });
  });

  it('that match in part go to those that match', async () => {
    const endpoint = await gateway.endpoint(owner, all());
    const targets = [{ id: 'tgt_nobody' }, { id: news!.id }, { id: other!.id }];
    expect((await endpoint.post('', { text: 'a', targets })).body).toMatchObject({ queued_targets: 1 });
  });

  it.each<[whose: string, id: () => string]>([
    ['nobody’s', () => 'tgt_nobody'],
    ['another project’s', () => other!.id],
  ])('that match nothing, %s, are 422 invalid_targets, and no post is created', async (_, id) => {
    const endpoint = await gateway.endpoint(owner, all());
    const { status, body } = await endpoint.post('', { text: 'a', targets: [{ id: id() }] });
    expect({ status, code: body.code, ok: body.ok }).toEqual({ status: 422, code: 'invalid_targets', ok: false });
    expect(await postsOf(endpoint)).toEqual([]);
  });
});

describe('an endpoint with no project (publish-api.md: POST /v1/webhooks/{slug}, 2; D-10)', () => {
  it('answers 200 in silence, and creates no post', async () => {
    const endpoint = await gateway.endpoint(owner, []);
    const { status, body } = await endpoint.post('', { text: 'a', trace_id: 't' });
    expect(status).toBe(200);
    expect(body).toEqual({ ok: true, id: null, trace_id: 't', queued_targets: 0 });
    expect(await postsOf(endpoint)).toEqual([]);
  });

  it('still judges what it is sent', async () => {
    const endpoint = await gateway.endpoint(owner, []);
    expect((await endpoint.post('', { text: 7 })).status).toBe(422);
  });
});

describe('what a post keeps (publish-api.md: Post)', () => {
  it('metadata is stored as it was sent', async () => {
    const endpoint = await gateway.endpoint(owner, all());
    const metadata = { a: [1, 'two', null, { three: 3.5 }], ключ: '😀', empty: {} };
    const { body } = await endpoint.post('', { text: 'a', metadata });
    const post = await gateway.manage('GET', `/posts/${body.id}`);
    expect(post.payload.metadata).toEqual(metadata);
  });
});

describe('batches (publish-api.md: What the service does, 3)', () => {
  it('are not supported: an array of posts is 422', async () => {
    const endpoint = await gateway.endpoint(owner, all());
    expect((await endpoint.post('', [{ text: 'a' }, { text: 'b' }])).status).toBe(422);
  });
});
