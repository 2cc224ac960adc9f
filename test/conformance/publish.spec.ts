import { type Answer, type TestChannel, type TestEndpoint, TestGateway } from '../api/public/gateway.js';
import { until } from '../e2e/until.js';

let gateway: TestGateway;
let owner: string;
let [news, sport, other]: TestChannel[] = [];
let projects: string[];
beforeAll(async () => {
  gateway = await TestGateway.start();
  owner = await gateway.createOwner();
  news = await gateway.createChannel(owner, 'News');
  sport = await gateway.createChannel(owner, 'Sport');
  other = await gateway.createChannel(owner, 'Other');
  projects = [
    await gateway.createProject(owner, [news, sport]),
    await gateway.createProject(owner, [sport]),
    await gateway.createProject(owner, [other]),
  ];
});
afterAll(() => gateway.stop());

/** Reads a post as soon as the read model has it. */
const readPost = (id: string): Promise<Answer['body']> =>
  until(`${id} is shown`, () => gateway.manage('GET', `/posts/${id}`));
const sharedProjects = (): string[] => projects.slice(0, 2);
const listPosts = async ({ id }: TestEndpoint): Promise<{ id: string }[]> =>
  (await gateway.manage('GET', `/posts?endpoint_id=${id}`)).items as { id: string }[];

/**
 * Lists an endpoint's posts after the read model has caught up: waits until a post that
 * another endpoint accepts now is listed.
 */
const waitForPosts = async (endpoint: TestEndpoint): Promise<{ id: string }[]> => {
  const marker = await gateway.createEndpoint(owner, sharedProjects());
  await marker.post('', { text: 'marker' });
  await until('the marker is listed', async () => (await listPosts(marker)).length === 1);
  return listPosts(endpoint);
};

describe('the publish response (publish-api.md: Publish response; D-10)', () => {
  it('is ok, id, trace_id and queued_targets, and nothing else', async () => {
    const endpoint = await gateway.createEndpoint(owner, [projects[0]!]);
    const { status, headers, body } = await endpoint.post('', { text: 'a', trace_id: 'trace-7' });
    expect(status).toBe(200);
    expect(body).toEqual({ ok: true, id: expect.stringMatching(/^post_\w+$/), trace_id: 'trace-7', queued_targets: 2 });
    expect(headers.get('content-type')).toMatch(/^application\/json/);
    expect(headers.get('x-request-id')).toMatch(/^req_/);
  });

  it('has trace_id null if none was sent', async () => {
    const endpoint = await gateway.createEndpoint(owner, [projects[0]!]);
    expect((await endpoint.post('', { text: 'a' })).body).toMatchObject({ trace_id: null });
  });

  it('counts a channel of two projects once (D-27)', async () => {
    const endpoint = await gateway.createEndpoint(owner, sharedProjects());
    expect((await endpoint.post('', { text: 'a' })).body).toMatchObject({ queued_targets: 2 });
  });

  it('has ids that a client cannot choose, neither the post’s nor the request’s (D-11)', async () => {
    const endpoint = await gateway.createEndpoint(owner, sharedProjects());
    const { headers } = await endpoint.post('', { text: 'a', id: 'post_mine' }, { 'x-request-id': 'req_mine' });
    expect(headers.get('x-request-id')).not.toBe('req_mine');
  });

  it('is 202 with the same bytes for a known key (D-9)', async () => {
    const endpoint = await gateway.createEndpoint(owner, sharedProjects());
    const first = await endpoint.post('', { text: 'a' }, { 'idempotency-key': 'once' });
    const again = await endpoint.post('', { text: 'a' }, { 'idempotency-key': 'once' });
    expect([first.status, again.status]).toEqual([200, 202]);
    expect(again.body).toEqual(first.body);
    expect(await waitForPosts(endpoint)).toHaveLength(1);
  });
});

describe('targets (publish-api.md: Publish payload; POST /v1/webhooks/{slug}, 1)', () => {
  it('restrict the post to the named channels', async () => {
    const endpoint = await gateway.createEndpoint(owner, sharedProjects());
    const { body } = await endpoint.post('', { text: 'a', targets: [{ id: sport!.id }] });
    const post = await readPost(body.id);
    expect(body.queued_targets).toBe(1);
    expect(post.publications.map((p: { target_id: string }) => p.target_id)).toEqual([sport!.id]);
  });

  it('are all channels if the list is empty', async () => {
    const endpoint = await gateway.createEndpoint(owner, sharedProjects());
    expect((await endpoint.post('', { text: 'a', targets: [] })).body).toMatchObject({ queued_targets: 2 });
  });

  it('that match in part restrict the post to those that match', async () => {
    const endpoint = await gateway.createEndpoint(owner, sharedProjects());
    const targets = [{ id: 'tgt_unknown' }, { id: news!.id }, { id: other!.id }];
    expect((await endpoint.post('', { text: 'a', targets })).body).toMatchObject({ queued_targets: 1 });
  });

  it.each<[whose: string, id: () => string]>([
    ['an unknown id', () => 'tgt_unknown'],
    ['a channel of another project', () => other!.id],
  ])('of which none matches, %s, are rejected with 422 invalid_targets, and no post is created', async (_, id) => {
    const endpoint = await gateway.createEndpoint(owner, sharedProjects());
    const { status, body } = await endpoint.post('', { text: 'a', targets: [{ id: id() }] });
    expect({ status, code: body.code, ok: body.ok }).toEqual({ status: 422, code: 'invalid_targets', ok: false });
    expect(await waitForPosts(endpoint)).toEqual([]);
  });
});

describe('an endpoint with no project (publish-api.md: POST /v1/webhooks/{slug}, 2; D-10)', () => {
  it('answers 200, and creates no post', async () => {
    const endpoint = await gateway.createEndpoint(owner, []);
    const { status, body } = await endpoint.post('', { text: 'a', trace_id: 't' });
    expect(status).toBe(200);
    expect(body).toEqual({ ok: true, id: null, trace_id: 't', queued_targets: 0 });
    expect(await waitForPosts(endpoint)).toEqual([]);
  });

  it('still checks the body', async () => {
    const endpoint = await gateway.createEndpoint(owner, []);
    expect((await endpoint.post('', { text: 7 })).status).toBe(422);
  });
});

describe('a stored post (publish-api.md: Post)', () => {
  it('has its metadata as it was sent', async () => {
    const endpoint = await gateway.createEndpoint(owner, sharedProjects());
    const metadata = { a: [1, 'two', null, { three: 3.5 }], ключ: '😀', empty: {} };
    const { body } = await endpoint.post('', { text: 'a', metadata });
    const post = await readPost(body.id);
    expect(post.payload.metadata).toEqual(metadata);
  });
});

describe('batches (publish-api.md: What the service does, 3)', () => {
  it('are not supported: an array of posts is rejected with 422', async () => {
    const endpoint = await gateway.createEndpoint(owner, sharedProjects());
    expect((await endpoint.post('', [{ text: 'a' }, { text: 'b' }])).status).toBe(422);
  });
});
