import { iso } from '../../../src/kernel/clock.js';
import { type TestChannel, type TestEndpoint, TestGateway } from '../../api/public/gateway.js';
import { until } from '../../e2e/until.js';
import { damageStream } from '../../support/damaged-publication.js';

let gateway: TestGateway;
let ownerId: string;
let channels: TestChannel[];
let endpoint: TestEndpoint;
/** Lead of the worker's clock, in ms. */
let ahead = 0;

beforeAll(async () => {
  gateway = await TestGateway.start({}, { now: () => Date.now() + ahead });
  ownerId = await gateway.createOwner();
});
afterAll(() => gateway.stop());

beforeEach(async () => {
  channels = [await gateway.createChannel(ownerId), await gateway.createChannel(ownerId)];
  endpoint = await gateway.createEndpoint(ownerId, [await gateway.createProject(ownerId, channels)]);
});

const inMinutes = (minutes: number): string => iso(Date.now() + ahead + minutes * 60_000);
const plan = async (text: string, publish_at: string, more: object = {}): Promise<string> => {
  const answer = await endpoint.post('', { text, publish_at, ...more });
  expect([answer.status, answer.body.state]).toEqual([200, 'planned']);
  return answer.body.id;
};
const readPost = (id: string) => until(`${id} is shown`, () => gateway.manage('GET', `/posts/${id}`));
const wall = () => gateway.readWall(channels[0]!.chatId);

it('publishes a post at its time, not before, and holds no other post back', async () => {
  const at = inMinutes(10);
  const answer = await endpoint.post('', { text: 'later', publish_at: at, trace_id: 't' });
  expect(answer.body).toEqual({
    ok: true,
    id: expect.any(String),
    trace_id: 't',
    queued_targets: 2,
    publish_at: at,
    state: 'planned',
  });
  await endpoint.post('', { text: 'now' });
  await gateway.waitForText(channels[0]!.chatId, 'now');
  const planned = await readPost(answer.body.id);
  expect(planned).toMatchObject({ publish_at: at, released_at: null, approval: null, revision: 1 });
  expect(planned.publications[0]).toMatchObject({
    state: 'planned',
    sequence: null,
    waiting_for: { rule: 'scheduled', until: at, blocked_by: null },
  });
  expect((await endpoint.readPost(answer.body.id)).body).toMatchObject({
    publish_at: at,
    released_at: null,
    publications: [{ state: 'planned', waiting_for: { rule: 'scheduled' } }, {}],
  });
  ahead += 600_000;
  await gateway.waitForText(channels[0]!.chatId, 'later');
  expect(await wall()).toEqual(['now', 'later']);
  const released = await until('the release is shown', async () => {
    const post = await readPost(answer.body.id);
    return post.released_at && post;
  });
  expect(Date.parse(released.released_at)).toBeGreaterThanOrEqual(Date.parse(at));
  expect(released.publications.map(({ sequence }: { sequence: number }) => sequence)).toEqual([2, 2]);
});

it('repeats the answer to a planned post', async () => {
  const body = { text: 'once', publish_at: inMinutes(30), external_id: 'planned-1' };
  const [first, second] = [await endpoint.post('', body), await endpoint.post('', body)];
  expect([second.status, second.body]).toEqual([202, first.body]);
});

it.each([
  ['2020-01-01T00:00:00Z', 'publish_at_past'],
  ['2199-01-01T00:00:00Z', 'publish_at_too_far'],
  ['tomorrow', 'invalid_publish_at'],
  [17, 'invalid_publish_at'],
])('refuses publish_at %j as %s, in the sandbox too', async (publish_at, code) => {
  for (const answer of [
    await endpoint.post('', { text: 'x', publish_at }),
    await endpoint.sandbox({ text: 'x', publish_at }),
  ])
    expect([answer.status, answer.body.code, answer.body.details[0].path]).toEqual([422, code, 'publish_at']);
});

it('publishes at once what is planned for the last five minutes', async () => {
  const answer = await endpoint.post('', { text: 'just now', publish_at: inMinutes(-4 - ahead / 60_000) });
  expect(answer.body).toEqual({ ok: true, id: expect.any(String), trace_id: null, queued_targets: 2 });
  await gateway.waitForText(channels[0]!.chatId, 'just now');
});

it('shows in the sandbox for when a post would be planned', async () => {
  const publish_at = inMinutes(30);
  const { body } = await endpoint.sandbox({ text: 'x', publish_at });
  expect(body).toMatchObject({ ok: true, would_create_post: true, publish_at });
});

it('releases overdue posts in the order of publish_at, then of acceptance', async () => {
  const [late, early] = [inMinutes(20), inMinutes(15)];
  await plan('d', late);
  await plan('e', late);
  await plan('a', early);
  await plan('b', early);
  await plan('c', inMinutes(17));
  ahead += 30 * 60_000;
  await gateway.waitForText(channels[0]!.chatId, 'e');
  expect(await wall()).toEqual(['a', 'b', 'c', 'd', 'e']);
});

it('never publishes what was cancelled, and cancels what is planned for a deleted channel', async () => {
  const ids = [await plan('gone', inMinutes(5)), await plan('half', inMinutes(6))];
  const cancelled = await gateway.manage('POST', `/posts/${ids[0]}/cancel`, {});
  expect(cancelled).toMatchObject({ cancelled: 2, publications: [{ state: 'dismissed' }, { state: 'dismissed' }] });
  const again = await gateway.callManagement('POST', `/posts/${ids[0]}/cancel`, {});
  expect([again.status, again.body.code]).toEqual([409, 'wrong_state']);
  expect(again.body.errors).toEqual(['This post has no planned publications left to cancel.']);
  await gateway.callManagement('DELETE', `/channels/${channels[1]!.id}?cascade=true`);
  const half = await readPost(ids[1]!);
  expect(half.publications.map(({ state }: { state: string }) => state)).toEqual(['planned', 'dismissed']);
  ahead += 10 * 60_000;
  await gateway.waitForText(channels[0]!.chatId, 'half');
  expect(await wall()).toEqual(['half']);
  expect((await readPost(ids[0]!)).released_at).toBeNull();
});

it('lists a calendar, page by page', async () => {
  const times = [40, 20, 30].map(inMinutes);
  for (const time of times) await plan(`at ${time}`, time);
  const path = `/posts?endpoint_id=${endpoint.id}&state=planned&order=publish_at`;
  const first = await gateway.manage('GET', `${path}&limit=2`);
  const second = await gateway.manage('GET', `${path}&limit=2&cursor=${first.next}`);
  const shown = [...first.items, ...second.items].map((post: { publish_at: string }) => post.publish_at);
  expect(shown).toEqual(times.toSorted());
  expect(second.next).toBeNull();
  const some = await gateway.manage('GET', `${path}&since=${times[2]}&until=${times[0]}`);
  expect(some.items.map((post: { publish_at: string }) => post.publish_at)).toEqual([times[2]]);
});

it('releases the posts behind one whose events are damaged', async () => {
  const [damaged] = [await plan('damaged', inMinutes(10)), await plan('behind', inMinutes(11))];
  await readPost(damaged); // the read model shows it now
  await damageStream(gateway.infrastructure, (await gateway.findPostPlace(damaged))!.stream);
  ahead += 11 * 60_000;
  await gateway.waitForText(channels[0]!.chatId, 'behind');
  expect(await wall()).toEqual(['behind']);
});

it('shows a planned post in its history, and lets its key be used again', async () => {
  const id = await plan('story', inMinutes(1), { external_id: 'story' });
  ahead += 60_000;
  await until('the release', async () => (await readPost(id)).released_at);
  const { state, events } = await gateway.manage('GET', `/history/post/${id}`);
  expect(events.map(({ type }: { type: string }) => type)).toEqual(['PostAccepted', 'PostReleased']);
  expect(state).toMatchObject({ id, state: 'released', payload: { text: 'story' } });
  const again = await endpoint.post('', { text: 'other', external_id: 'story' });
  expect([again.status, again.body.id]).toEqual([202, id]);
});
