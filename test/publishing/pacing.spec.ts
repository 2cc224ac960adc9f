import sharp from 'sharp';
import { TestHost } from '../media/test-host.js';
import { Networks } from './networks.js';

let networks: Networks;
let host: TestHost;
beforeAll(async () => {
  networks = await Networks.start({ PACING: 'on', ALLOW_PRIVATE_ADDRESSES: '127.0.0.1/32' });
  host = await TestHost.start();
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
  const photo = await sharp({ create: { width: 60, height: 40, channels: 3, background: 'teal' } })
    .jpeg()
    .toBuffer();
  const url = host.serve('/photo.jpg', photo, { headers: { 'content-type': 'image/jpeg' } });
  const text = 'word '.repeat(300).trim(); // too long for a caption: a message of its own
  const { id } = await line.inState(await line.send({ text, media: [{ type: 'photo', url }] }), 'published');
  expect(await line.wall()).toHaveLength(2);
  const events = await networks.gateway.events(`publication-${id}`);
  expect(events.map(({ type, data }) => [type, (data as { sending?: string | null }).sending])).toEqual([
    ['PublicationStarted', null],
    ['PublicationStepDone', null],
    ['PublicationSendBegan', expect.any(String)],
    ['PublicationStepDone', null],
    ['PublicationSendBegan', 'message'],
    ['PublicationSucceeded', undefined],
  ]);
});
