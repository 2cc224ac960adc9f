import { GatewayHarness } from './gateway-harness.js';

let harness: GatewayHarness;
beforeAll(async () => {
  harness = await GatewayHarness.start();
});
afterAll(() => harness.stop());

describe('a post with silent: true', () => {
  it.each([
    ['telegram', 'sendMessage', { disable_notification: true }],
    ['vk', 'wall.post', { mute_notifications: '1' }],
  ] as const)('is sent quietly on %s', async (platform, method, quiet) => {
    const channel = await harness.createChannel(platform);
    const { total } = await channel.network.listCalls({ method });
    await channel.waitForState(await channel.publish({ text: 'Hush', silent: true }), 'published');
    const { items } = await channel.network.listCalls({ method, after: total });
    expect(items.at(-1)).toMatchObject({ request: quiet });
  });

  it('says so where the network has nothing of the kind', async () => {
    const channel = await harness.createChannel('max');
    const postId = await channel.publish({ text: 'Hush', silent: true });
    await channel.waitForState(postId, 'published');
    const { publications } = await harness.gateway.manage('GET', `/posts/${postId}`);
    expect(publications).toMatchObject([{ warnings: [{ code: 'silent_ignored' }] }]);
  });

  it('is refused with another type, and in overrides', async () => {
    const { endpoint } = await harness.createChannel('ok');
    for (const body of [
      { text: 'a', silent: 'yes' },
      { text: 'a', overrides: { ok: { silent: true } } },
    ])
      expect((await endpoint.post('', body)).status).toBe(422);
  });
});
