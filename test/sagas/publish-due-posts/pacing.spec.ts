import sharp from 'sharp';
import { TestHost } from '../../media/test-host.js';
import { GatewayHarness, VK_COMMUNITY_TOKEN } from './gateway-harness.js';

let harness: GatewayHarness;
let host: TestHost;
/** URL of a photo. */
let url: string;
beforeAll(async () => {
  harness = await GatewayHarness.start({ PACING: 'on', ALLOW_PRIVATE_ADDRESSES: '127.0.0.1/32' });
  host = await TestHost.start();
  const photo = await sharp({ create: { width: 60, height: 40, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer();
  url = host.serve('/photo.jpg', photo, { headers: { 'content-type': 'image/jpeg' } });
});
afterAll(async () => {
  await harness.stop();
  await host.stop();
});

const readKeys = async (prefix: string): Promise<string[]> => {
  const text = 'select key from ops_pace where starts_with(key, $1)';
  return (await harness.gateway.pool.query<{ key: string }>(text, [prefix])).rows.map(({ key }) => key);
};

/** Reads the number of turns that calls under a key have taken. */
const readTurns = async (key: string): Promise<number | undefined> => {
  const text = 'select cardinality(slots) as taken from ops_pace where key = $1';
  return (await harness.gateway.pool.query<{ taken: number }>(text, [key])).rows[0]?.taken;
};

it('shares an account’s rate limit among its owner’s channels and a chat’s among the chat’s; no key contains a credential', async () => {
  const owner_id = await harness.gateway.createOwner();
  const createChannel = (credentials: object = {}) => harness.createChannel('telegram', { owner_id, credentials });
  const channels = [await createChannel(), await createChannel()];
  channels.push(await createChannel({ chat_id: channels[0]!.chat }));
  for (const channel of channels) await channel.waitForState(await channel.publish({ text: 'hello' }), 'published');
  expect(await readKeys('account/telegram/')).toHaveLength(1);
  expect(await readKeys('chat/telegram/')).toHaveLength(2);
  expect((await readKeys('')).join()).not.toContain('t'.repeat(35));
});

it('lets each step wait for its own turn, and names no visible step during a wait', async () => {
  const channel = await harness.createChannel('telegram');
  const text = 'word '.repeat(300).trim(); // too long for a caption: a separate message
  const { id } = await channel.waitForState(
    await channel.publish({ text, media: [{ type: 'photo', url }] }),
    'published',
  );
  expect(await channel.readWall()).toHaveLength(2);
  const events = await harness.gateway.readEvents(`publication-${id}`);
  expect(events.map(({ type, data }) => [type, (data as { sending?: string | null }).sending])).toEqual([
    ['PublicationStarted', null],
    ['PublicationStepCompleted', null],
    ['PublicationStepStarted', expect.any(String)],
    ['PublicationStepCompleted', null],
    ['PublicationStepStarted', 'message'],
    ['PublicationSucceeded', undefined],
  ]);
});

it('shares one rate limit among calls with the same token: uploads for two communities by one user', async () => {
  const owner_id = await harness.gateway.createOwner();
  const access = (token: string) => ({ owner_id, credentials: { access_token: `${VK_COMMUNITY_TOKEN}-${token}` } });
  const channels = [await harness.createChannel('vk', access('a')), await harness.createChannel('vk', access('b'))];
  for (const channel of channels) await channel.waitForState(await channel.publish({ text: 'hello' }), 'published');
  const media = [{ type: 'photo', url }];
  for (const channel of channels) await channel.waitForState(await channel.publish({ media }), 'published');
  expect(await readKeys('account/vk/')).toHaveLength(3);
});

it('paces look-ups too (D-25), so that many unconfirmed sends cause no flood', async () => {
  const before = new Set(await readKeys('account/max/'));
  const channel = await harness.createChannel('max', { credentials: { access_token: 'max-token-for-look-ups' } });
  const [key] = (await readKeys('account/max/')).filter((one) => !before.has(one));
  // The calls of the new channel's test were paced as well.
  expect(await readTurns(key!)).toBe(3);
  await channel.network.addFault({ mode: 'accept_then_drop', method: 'POST /messages', channel: channel.chat });
  await channel.waitForState(await channel.publish({ text: 'found' }), 'published');
  expect(await readTurns(key!)).toBe(5); // the message and the look-up
});
