import sharp from 'sharp';
import { TestHost } from '../../media/test-host.js';
import { Networks, VK_COMMUNITY_TOKEN } from './networks.js';

let networks: Networks;
let host: TestHost;
/** Of a photo. */
let url: string;
beforeAll(async () => {
  networks = await Networks.start({ PACING: 'on', ALLOW_PRIVATE_ADDRESSES: '127.0.0.1/32' });
  host = await TestHost.start();
  const photo = await sharp({ create: { width: 60, height: 40, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer();
  url = host.serve('/photo.jpg', photo, { headers: { 'content-type': 'image/jpeg' } });
});
afterAll(async () => {
  await networks.stop();
  await host.stop();
});

const namesOf = async (prefix: string): Promise<string[]> => {
  const text = 'select key from ops_pace where starts_with(key, $1)';
  return (await networks.gateway.pool.query<{ key: string }>(text, [prefix])).rows.map(({ key }) => key);
};

it('one account’s channels share its budget, one chat’s channels share the chat’s; no name tells a credential', async () => {
  const lines = [await networks.line('telegram'), await networks.line('telegram')];
  lines.push(await networks.line('telegram', { credentials: { chat_id: lines[0]!.chat } }));
  for (const line of lines) await line.inState(await line.send({ text: 'hello' }), 'published');
  expect(await namesOf('account/telegram/')).toHaveLength(1);
  expect(await namesOf('chat/telegram/')).toHaveLength(2);
  expect((await namesOf('')).join()).not.toContain('t'.repeat(35));
});

it('each step waits for its own turn, and a wait is never in doubt: nothing is on its way meanwhile', async () => {
  const line = await networks.line('telegram');
  const text = 'word '.repeat(300).trim(); // too long for a caption: a message of its own
  const { id } = await line.inState(await line.send({ text, media: [{ type: 'photo', url }] }), 'published');
  expect(await line.wall()).toHaveLength(2);
  const events = await networks.gateway.events(`publication-${id}`);
  expect(events.map(({ type, data }) => [type, (data as { sending?: string | null }).sending])).toEqual([
    ['PublicationStarted', null],
    ['PublicationStepCompleted', null],
    ['PublicationStepStarted', expect.any(String)],
    ['PublicationStepCompleted', null],
    ['PublicationStepStarted', 'message'],
    ['PublicationSucceeded', undefined],
  ]);
});

it('what is made with the same token shares its pace: uploads for two communities with one user’s', async () => {
  const access = (token: string) => ({ credentials: { access_token: `${VK_COMMUNITY_TOKEN}-${token}` } });
  const lines = [await networks.line('vk', access('a')), await networks.line('vk', access('b'))];
  for (const line of lines) await line.inState(await line.send({ text: 'hello' }), 'published');
  expect(await namesOf('account/vk/')).toHaveLength(2);
  const media = [{ type: 'photo', url }];
  for (const line of lines) await line.inState(await line.send({ media }), 'published');
  expect(await namesOf('account/vk/')).toHaveLength(3);
});

it('a look at what a network has takes its turn as well (D-25): many doubts at once are no flood', async () => {
  const line = await networks.line('max', { credentials: { access_token: 'max-token-of-doubts' } });
  const before = new Set(await namesOf('account/max/'));
  await line.network.addFault({ mode: 'accept_then_drop', method: 'POST /messages', channel: line.chat });
  await line.inState(await line.send({ text: 'found' }), 'published');
  const [name] = (await namesOf('account/max/')).filter((one) => !before.has(one));
  const text = 'select cardinality(turns) as taken from ops_pace where key = $1';
  const { rows } = await networks.gateway.pool.query<{ taken: number }>(text, [name]);
  expect(rows).toEqual([{ taken: 2 }]); // the message, and the look
});
