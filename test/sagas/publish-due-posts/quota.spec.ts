import type { NoticeRaised } from '../../../src/domain/notice/notice.events.js';
import type { RecordedEvent } from '../../../src/kernel/events.js';
import { LIMITS_PROFILE } from '../../api/management/publishing-setup.js';
import type { TestChannel } from '../../api/public/gateway.js';
import { until } from '../../e2e/until.js';
import { GatewayHarness, type Publication } from './gateway-harness.js';

/** Lead of the worker's clock in ms: tests advance it by a month. */
let ahead = 0;
let harness: GatewayHarness;
beforeAll(async () => (harness = await GatewayHarness.start({ LIMITS_PROFILE }, { now: () => Date.now() + ahead })));
afterAll(() => harness.stop());
beforeEach(() => (ahead = 0));

/** Creates an owner with two posts a month, and an endpoint that publishes to `count` channels at once. */
const setUp = async (count: number) => {
  const { gateway } = harness;
  const owner = await gateway.createOwner('mini');
  const channels: TestChannel[] = [];
  for (let i = 0; i < count; i++) channels.push(await gateway.createChannel(owner));
  const endpoint = await gateway.createEndpoint(owner, [await gateway.createProject(owner, channels)]);
  const send = async (text = 'post'): Promise<string> => (await endpoint.post('', { text })).body.id;
  const publications = async (postId: string): Promise<Publication[]> =>
    (await gateway.manage('GET', `/posts/${postId}`)).publications;
  const waitForStates = (postId: string, expected: Readonly<Record<string, number>>): Promise<Publication[]> =>
    until(JSON.stringify(expected), async () => {
      const found = await publications(postId);
      const states = found.map(({ state, waiting_for }) => waiting_for?.rule ?? state);
      const counts = Object.fromEntries(
        [...new Set(states)].map((one) => [one, states.filter((s) => s === one).length]),
      );
      return Object.entries(expected).every(([state, n]) => counts[state] === n) && found;
    });
  const readOwner = () => gateway.manage('GET', `/owners/${owner}`);
  return { owner, channels, endpoint, send, waitForStates, readOwner };
};

describe('the monthly quota (D-18, D-46)', () => {
  it('releases the post of a failed publication to a waiting one', async () => {
    const { owner, send, waitForStates, readOwner } = await setUp(2);
    const refused = await harness.createChannel('telegram', { owner_id: owner });
    const slow = { mode: 'answer', status: 400, delay_ms: 2_000, method: 'sendMessage' } as const;
    await refused.network.addFault({ ...slow, channel: refused.chat });
    const first = await refused.publish({ text: 'refused' });
    await refused.waitUntil(first, 'is under way', ({ state }) => state !== 'queued');
    // It has reserved one of the two posts, so one of these two publications must wait for its outcome.
    await waitForStates(await send(), { published: 2 });
    expect((await refused.readPublication(first)).state).toBe('failed');
    expect((await readOwner()).posts_used).toBe(2);
  });

  it('does not hold back a channel’s later posts once there is quota again', async () => {
    const { owner, channels, send, waitForStates } = await setUp(1);
    await harness.gateway.manage('POST', `/channels/${channels[0]!.id}/pause`, { minutes: 10 });
    const ids = [await send('a'), await send('b'), await send('c')];
    await harness.gateway.manage('POST', `/channels/${channels[0]!.id}/resume`);
    ahead += 60_000;
    await waitForStates(ids[0]!, { published: 1 });
    ahead += 60_000;
    await waitForStates(ids[1]!, { published: 1 });
    ahead += 60_000;
    await waitForStates(ids[2]!, { quota: 1 });
    await harness.gateway.manage('POST', `/owners/${owner}/post-packs`, { posts: 1 });
    await waitForStates(ids[2]!, { published: 1 });
    expect(await harness.gateway.readWall(channels[0]!.chatId)).toEqual(['a', 'b', 'c']);
  });

  it('uses one post for each publication; a publication without one waits for a pack, a plan or the next month', async () => {
    const { owner, channels, endpoint, send, waitForStates, readOwner } = await setUp(6);
    const id = await send();
    const found = await waitForStates(id, { published: 2, quota: 4 });
    const { posts_used, posts_left, resets_at } = await readOwner();
    expect([posts_used, posts_left]).toEqual([2, 0]);
    for (const { id: publication, waiting_for } of found.filter(({ state }) => state === 'queued')) {
      const [event] = await harness.gateway.readEvents(`publication-${publication}`);
      expect(event).toMatchObject({ type: 'PublicationHeld', data: { rule: 'quota' } });
      expect(waiting_for).toMatchObject({ rule: 'quota', until: resets_at, event_id: event!.id });
    }
    expect((await endpoint.post('', { text: 'no posts left' })).status).toBe(402);

    await harness.gateway.manage('POST', `/owners/${owner}/post-packs`, { posts: 1 });
    await waitForStates(id, { published: 3, quota: 3 });
    ahead = Date.parse(resets_at) - Date.now();
    await waitForStates(id, { published: 5, quota: 1 });
    await harness.gateway.manage('PATCH', `/owners/${owner}`, { plan: 'business' });
    await waitForStates(id, { published: 6 });
    for (const { chatId } of channels) expect(await harness.gateway.readWall(chatId)).toEqual(['post']);
  });

  it.each([
    ['en', /^At least 80 % of the posts of .* add a post pack/, /^All posts of .* Add a post pack/],
    ['ru', /^Использовано не менее 80 % .* добавьте пакет/, /^Все посты за .* добавьте пакет/],
  ])('tells the owner (%s) once a month at 80 %%, and once when it is used up', async (locale, nearly, usedUp) => {
    const { owner, send, waitForStates, readOwner } = await setUp(1);
    await harness.gateway.manage('PATCH', `/owners/${owner}`, { locale });
    const buy = (posts: number) => harness.gateway.manage('POST', `/owners/${owner}/post-packs`, { posts });
    const publish = async (count: number): Promise<void> => {
      for (let i = 0; i < count; i++) await waitForStates(await send(), { published: 1 });
    };
    const waitForNotices = (count: number) =>
      until(`${count} notices`, async () => {
        const events = await harness.gateway.readAllEvents();
        const raised = events.filter((event): event is RecordedEvent<NoticeRaised> => event.type === 'NoticeRaised');
        const own = raised.map(({ data }) => data).filter(({ ownerId }) => ownerId === owner);
        return own.length >= count && own;
      });
    await buy(3); // five in all
    await publish(4);
    await waitForNotices(1);
    await publish(1);
    const [first, second] = await waitForNotices(2);
    const { resets_at } = await readOwner();
    const month = new Date(Date.parse(resets_at) - 1).toISOString().slice(0, 7);
    expect(first).toMatchObject({ kind: 'quota.nearly_used', subject: { month }, text: expect.stringMatching(nearly) });
    expect(second).toMatchObject({ kind: 'quota.used_up', subject: { month }, text: expect.stringMatching(usedUp) });
    for (const { text } of [first!, second!]) expect(text).toContain(resets_at);
    expect(first!.text).toMatch(/ 4 (of|из) 5\./);

    await buy(1);
    await publish(1); // used up again in the same month
    await buy(2);
    ahead = Date.parse(resets_at) - Date.now();
    await publish(4); // two of the month and two of the pack: at 80 % of four none are left
    expect((await waitForNotices(3)).map(({ kind }) => kind)).toEqual([
      'quota.nearly_used',
      'quota.used_up',
      'quota.used_up',
    ]);
  });

  it('takes nothing from the packs for what a month’s larger plan covers, though a smaller one has followed', async () => {
    const { owner, channels, endpoint, send, waitForStates, readOwner } = await setUp(3);
    await harness.gateway.manage('PATCH', `/owners/${owner}`, { plan: 'pro' });
    await waitForStates(await send(), { published: 3 });
    await harness.gateway.manage('PATCH', `/owners/${owner}`, { plan: 'mini' });
    await harness.gateway.manage('POST', `/owners/${owner}/post-packs`, { posts: 1 });
    const { body } = await endpoint.post('', { text: 'one more', targets: [{ id: channels[0]!.id }] });
    await waitForStates(body.id, { published: 1 });
    expect(await readOwner()).toMatchObject({ posts_used: 4, posts_left: 1 });
  });

  it('tells of a quota that a smaller plan uses up', async () => {
    const { owner, send, waitForStates } = await setUp(3);
    await harness.gateway.manage('PATCH', `/owners/${owner}`, { plan: 'pro' });
    await waitForStates(await send(), { published: 3 });
    await harness.gateway.manage('PATCH', `/owners/${owner}`, { plan: 'mini' });
    const hasNotice = (events: readonly RecordedEvent[]) =>
      events.some(({ type, data }) => type === 'NoticeRaised' && JSON.stringify(data).includes(owner));
    await until('there is a notice', async () => hasNotice(await harness.gateway.readAllEvents()));
  });
});
