import { until } from '../../e2e/until.js';
import type { TestChannel } from '../../api/public/gateway.js';
import { LIMITS_PROFILE } from '../../api/management/line.js';
import { Networks, type Publication } from './networks.js';

/** The worker's clock: a month passes when a test says so. */
let ahead = 0;
let networks: Networks;
beforeAll(async () => (networks = await Networks.start({ LIMITS_PROFILE }, { now: () => Date.now() + ahead })));
afterAll(() => networks.stop());

/** An owner with two posts a month, and a post to so many of its channels at once. */
const setUp = async (count: number) => {
  const { gateway } = networks;
  const owner = await gateway.owner('mini');
  const channels: TestChannel[] = [];
  for (let i = 0; i < count; i++) channels.push(await gateway.channel(owner));
  const endpoint = await gateway.endpoint(owner, [await gateway.project(owner, channels)]);
  const send = async (text = 'post'): Promise<string> => (await endpoint.post('', { text })).body.id;
  const publications = async (postId: string): Promise<Publication[]> =>
    (await gateway.manage('GET', `/posts/${postId}`)).publications;
  const settled = (postId: string, expected: Readonly<Record<string, number>>): Promise<Publication[]> =>
    until(JSON.stringify(expected), async () => {
      const found = await publications(postId);
      const states = found.map(({ state, waiting_for }) => waiting_for?.rule ?? state);
      const counts = Object.fromEntries(
        [...new Set(states)].map((one) => [one, states.filter((s) => s === one).length]),
      );
      return Object.entries(expected).every(([state, n]) => counts[state] === n) && found;
    });
  const owners = () => gateway.manage('GET', `/owners/${owner}`);
  return { owner, channels, endpoint, send, settled, owners };
};

describe('the month’s posts (D-18, D-46)', () => {
  it('are given back by what is not published, to who waits for them', async () => {
    const { owner, send, settled, owners } = await setUp(2);
    const refused = await networks.line('telegram', { owner_id: owner });
    const slow = { mode: 'answer', status: 400, delay_ms: 2_000, method: 'sendMessage' } as const;
    await refused.network.addFault({ ...slow, channel: refused.chat });
    const first = await refused.send({ text: 'refused' });
    await refused.when(first, 'is under way', ({ state }) => state !== 'queued');
    // One of two is set aside for it: of these two, one has to wait for what comes of that.
    await settled(await send(), { published: 2 });
    expect((await refused.publication(first)).state).toBe('failed');
    expect((await owners()).posts_used).toBe(2);
  });

  it('do not stand in the way of what comes behind on the same channel, once there are some again', async () => {
    const { owner, channels, send, settled } = await setUp(1);
    await networks.gateway.manage('POST', `/channels/${channels[0]!.id}/pause`, { minutes: 10 });
    const ids = [await send('a'), await send('b'), await send('c')];
    await networks.gateway.manage('POST', `/channels/${channels[0]!.id}/resume`);
    ahead += 60_000;
    await settled(ids[0]!, { published: 1 });
    ahead += 60_000;
    await settled(ids[1]!, { published: 1 });
    ahead += 60_000;
    await settled(ids[2]!, { quota: 1 });
    await networks.gateway.manage('POST', `/owners/${owner}/post-packs`, { posts: 1 });
    await settled(ids[2]!, { published: 1 });
    expect(await networks.gateway.wall(channels[0]!.chatId)).toEqual(['a', 'b', 'c']);
  });

  it('are used one for each publication; what finds none waits for a pack, a plan, or the next month', async () => {
    const { owner, channels, endpoint, send, settled, owners } = await setUp(6);
    const id = await send();
    const found = await settled(id, { published: 2, quota: 4 });
    const { posts_used, posts_left, resets_at } = await owners();
    expect([posts_used, posts_left]).toEqual([2, 0]);
    for (const { id: publication, waiting_for } of found.filter(({ state }) => state === 'queued')) {
      const [event] = await networks.gateway.events(`publication-${publication}`);
      expect(event).toMatchObject({ type: 'PublicationHeld', data: { rule: 'quota' } });
      expect(waiting_for).toMatchObject({ rule: 'quota', until: resets_at, event_id: event!.id });
    }
    expect((await endpoint.post('', { text: 'nothing is left' })).status).toBe(402);

    await networks.gateway.manage('POST', `/owners/${owner}/post-packs`, { posts: 1 });
    await settled(id, { published: 3, quota: 3 });
    ahead = Date.parse(resets_at) - Date.now();
    await settled(id, { published: 5, quota: 1 });
    await networks.gateway.manage('PATCH', `/owners/${owner}`, { plan: 'business' });
    await settled(id, { published: 6 });
    for (const { chatId } of channels) expect(await networks.gateway.wall(chatId)).toEqual(['post']);
  });
});
