import { GatewayHarness } from './gateway-harness.js';

let harness: GatewayHarness;
beforeAll(async () => (harness = await GatewayHarness.start()));
afterAll(() => harness.stop());

/** Reads the waits of a publication's postponements, in ms. */
const readWaits = async (publication: string): Promise<number[]> =>
  (await harness.gateway.readEvents(`publication-${publication}`))
    .filter(({ type }) => type === 'PublicationPostponed')
    .map(({ data }) => (data as { retryAt: number; at: number }).retryAt - (data as { at: number }).at);

it.concurrent('fails a post if the network reports a move to the chat’s present address (D-20)', async () => {
  const channel = await harness.createChannel('telegram');
  const body = {
    ok: false,
    error_code: 400,
    description: 'Bad Request: group chat was upgraded to a supergroup chat',
    parameters: { migrate_to_chat_id: Number(channel.chat) },
  };
  await channel.network.addFault({
    mode: 'answer',
    status: 400,
    body,
    method: 'sendMessage',
    channel: channel.chat,
    times: null,
  });
  const { attempts } = await channel.waitForState(await channel.publish({ text: 'moved to itself' }), 'failed');
  expect(attempts).toMatchObject([
    {
      outcome: 'failed',
      error: { code: 'channel_moved', category: 'channel', platform_says: expect.stringContaining('supergroup') },
    },
  ]);
});

it.concurrent(
  'increases a wait that the network asks for without a time, although it is no failed attempt (D-20)',
  async () => {
    const channel = await harness.createChannel('max');
    // Never succeeds: the second wait may be over before the test sees it.
    await channel.network.addFault({
      mode: 'answer',
      status: 429,
      method: 'POST /messages',
      channel: channel.chat,
      times: null,
    });
    const id = await channel.publish({ text: 'slower' });
    const { id: publication } = await channel.waitUntil(
      id,
      'waits for the second time',
      ({ attempts, waiting_for }) => {
        return attempts.length >= 2 && waiting_for?.rule === 'platform_limit';
      },
    );
    const waits = await readWaits(publication);
    expect(waits[0]).toBeLessThan(3_000);
    expect(waits[1]).toBeGreaterThan(7_000);
  },
);

it.concurrent(
  'increases an implied wait with the waits of its own kind only (networks.md §3: 1, 2, 4 … s)',
  async () => {
    const channel = await harness.createChannel('max');
    const fault = { method: 'POST /messages', channel: channel.chat } as const;
    const slow = { mode: 'answer', status: 429, headers: { 'retry-after': '1' }, times: 2 } as const;
    await channel.network.addFault({ ...fault, ...slow });
    const body = { code: 'attachment.not.ready', message: 'Not yet' };
    await channel.network.addFault({ ...fault, mode: 'answer', status: 400, body, times: 2 });
    const { id } = await channel.waitForState(await channel.publish({ text: 'at last' }), 'published');
    expect(await readWaits(id)).toEqual([1_000, 1_000, 1_000, 2_000]);
  },
);

it.concurrent('stops retrying between two chats that are reported to have moved to each other (D-20)', async () => {
  const channel = await harness.createChannel('telegram');
  const there = '-1009990077';
  await channel.network.request('POST', 'chats', { chat_id: channel.chat, migrated_to: Number(there) });
  await channel.network.request('POST', 'chats', { chat_id: there, migrated_to: Number(channel.chat) });
  const { attempts } = await channel.waitForState(await channel.publish({ text: 'to and fro' }), 'failed');
  expect(attempts).toHaveLength(5);
  expect(attempts.at(-1)).toMatchObject({ outcome: 'failed', error: { code: 'channel_moved', category: 'channel' } });
});
