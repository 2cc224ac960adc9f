import { createHmac } from 'node:crypto';
import { iso } from '../../../src/kernel/clock.js';
import { until } from '../../e2e/until.js';
import { type TestChannel, type TestEndpoint, TestGateway } from './gateway.js';

let gateway: TestGateway;
let owner: string;
let channel: TestChannel;
let project: string;
let endpoint: TestEndpoint;

beforeAll(async () => {
  gateway = await TestGateway.start();
  owner = await gateway.createOwner();
  channel = await gateway.createChannel(owner);
  project = await gateway.createProject(owner, [channel]);
});
afterAll(() => gateway.stop());
beforeEach(async () => {
  endpoint = await gateway.createEndpoint(owner, [project]);
});

const inMinutes = (minutes: number): string => iso(Date.now() + minutes * 60_000);
const send = async (body: object): Promise<string> => (await endpoint.post('', body)).body.id;
const list = (query = '') => endpoint.listPosts(query);
const idsOf = ({ body }: Awaited<ReturnType<typeof list>>): string[] => body.items.map(({ id }: { id: string }) => id);

/** Waits until all posts that the endpoint has accepted are listed. */
const waitForPosts = (count: number): Promise<true> =>
  until(`${count} posts are listed`, async () => (await list()).body.items.length === count);

/** Reads a list page by page. */
const readAll = async (query: string): Promise<string[]> => {
  const found: string[] = [];
  for (let cursor: string | null = ''; cursor !== null;) {
    const page = await list(`${query}${cursor && `&cursor=${cursor}`}`);
    expect([page.status, page.body.ok]).toEqual([200, true]);
    found.push(...idsOf(page));
    cursor = page.body.next as string | null;
  }
  return found;
};

it('lists the planned posts of the endpoint, the oldest time first, as their statuses', async () => {
  const late = await send({ text: 'late', publish_at: inMinutes(90), trace_id: 't-late' });
  const [second, third] = [inMinutes(30), inMinutes(60)];
  const ids = [await send({ text: 'b', publish_at: second }), await send({ text: 'c', publish_at: third }), late];
  await send({ text: 'at once' });
  const another = await gateway.createEndpoint(owner, [project]);
  await another.post('', { text: 'of another endpoint', publish_at: second });
  await waitForPosts(4);

  const { status, body } = await list('?state=planned');
  expect([status, body.ok, body.next]).toEqual([200, true, null]);
  expect(body.items.map(({ id }: { id: string }) => id)).toEqual(ids);
  expect(body.items[0]).toEqual((await endpoint.readPost(ids[0]!)).body);
  expect(body.items[0]).toMatchObject({
    publish_at: second,
    released_at: null,
    revision: 1,
    publications: [{ state: 'planned', waiting_for: { rule: 'scheduled', until: second } }],
  });
  expect(JSON.stringify(body)).not.toContain(channel.id);
  expect(await readAll('?state=planned&limit=1')).toEqual(ids);
  expect(await readAll('?state=planned&limit=2')).toEqual(ids);
});

it('lists posts in any other state, and all posts, the newest first', async () => {
  const planned = await send({ text: 'planned', publish_at: inMinutes(30) });
  const ids = [await send({ text: 'one' }), await send({ text: 'two' })];
  await until('both are published', async () => (await readAll('?state=published')).length === 2);
  expect(await readAll('?state=published&limit=1')).toEqual(ids.toReversed());
  expect(await readAll('?limit=2')).toEqual([...ids.toReversed(), planned]);
  expect((await list('?state=failed')).body).toEqual({ ok: true, items: [], next: null });
});

it('puts posts with large payloads on one page, because it shows nothing of them', async () => {
  const metadata = { filler: 'x'.repeat(400_000) };
  const ids: string[] = [];
  for (let n = 0; n < 6; n++) ids.push(await send({ text: 'large', publish_at: inMinutes(30 + n), metadata }));
  await waitForPosts(ids.length);
  expect([idsOf(await list('?state=planned')), idsOf(await list())]).toEqual([ids, ids.toReversed()]);
});

it.each([
  ['?state=waiting', 'state'],
  ['?state=planned&state=queued', 'state'],
  ['?limit=0', 'limit'],
  ['?limit=201', 'limit'],
  ['?limit=ten', 'limit'],
  ['?cursor=nonsense', 'cursor'],
  ['?order=publish_at', 'order'],
])('refuses %s, names the field, and logs it', async (query, field) => {
  const { status, body } = await list(query);
  expect([status, body.code]).toEqual([422, 'invalid_query']);
  expect(body.details).toMatchObject([{ path: field }]);
  const [entry] = await until('the log', async () => {
    const { items } = await gateway.manage('GET', `/endpoints/${endpoint.id}/requests`);
    return items.length === 1 && items;
  });
  expect(entry).toMatchObject({
    route: 'GET /v1/webhooks/{slug}/posts',
    decision: 'rejected_validation',
    http_status: 422,
  });
});

it('refuses the cursor of a list in the other order', async () => {
  for (const text of ['a', 'b']) await send({ text, publish_at: inMinutes(30) });
  await waitForPosts(2);
  const planned = (await list('?state=planned&limit=1')).body.next as string;
  const newest = (await list('?limit=1')).body.next as string;
  for (const query of [`?cursor=${planned}`, `?state=planned&cursor=${newest}`]) {
    const { status, body } = await list(query);
    expect([status, body.code, body.details[0].path]).toEqual([422, 'invalid_query', 'cursor']);
  }
});

it('is authenticated like discovery', async () => {
  expect((await endpoint.listPosts('', { authorization: 'Bearer wrong' })).status).toBe(401);
  const signed = await gateway.createEndpoint(owner, [project], { require_signature: true });
  const at = String(Math.floor(Date.now() / 1_000));
  const signature = createHmac('sha256', signed.secret).update(`GET\n/v1/webhooks/${signed.slug}/posts\n${at}`);
  const headers = { 'x-service-timestamp': at, 'x-service-client-signature': signature.digest('hex') };
  expect((await signed.listPosts('?state=planned', headers)).status).toBe(200);
  expect((await signed.listPosts('?state=planned')).status).toBe(401);
});
