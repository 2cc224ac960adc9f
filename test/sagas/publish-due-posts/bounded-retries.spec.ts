import { Networks } from './networks.js';

let networks: Networks;
beforeAll(async () => (networks = await Networks.start()));
afterAll(() => networks.stop());

/** For how long a publication was put off each time, ms. */
const waitsOf = async (publication: string): Promise<number[]> =>
  (await networks.gateway.events(`publication-${publication}`))
    .filter(({ type }) => type === 'PublicationPostponed')
    .map(({ data }) => (data as { retryAt: number; at: number }).retryAt - (data as { at: number }).at);

it('a chat that is said to have moved to where it is fails: it is not sent there for ever (D-20)', async () => {
  const line = await networks.line('telegram');
  const body = {
    ...{ ok: false, error_code: 400, description: 'Bad Request: group chat was upgraded to a supergroup chat' },
    parameters: { migrate_to_chat_id: Number(line.chat) },
  };
  await line.network.addFault({
    mode: 'answer',
    status: 400,
    body,
    method: 'sendMessage',
    channel: line.chat,
    times: null,
  });
  const { attempts } = await line.inState(await line.send({ text: 'round and round' }), 'failed');
  expect(attempts).toMatchObject([
    {
      outcome: 'failed',
      error: { code: 'channel_moved', category: 'channel', platform_says: expect.stringContaining('supergroup') },
    },
  ]);
});

it('a wait that a network asks for and does not name grows, though it is no failed attempt (D-20)', async () => {
  const line = await networks.line('max');
  await line.network.addFault({ mode: 'answer', status: 429, method: 'POST /messages', channel: line.chat, times: 2 });
  const id = await line.send({ text: 'slower' });
  const { id: publication } = await line.when(id, 'waits for the second time', ({ attempts, waiting_for }) => {
    return attempts.length === 2 && waiting_for?.rule === 'platform_limit';
  });
  const waits = await waitsOf(publication);
  expect(waits[0]).toBeLessThan(3_000);
  expect(waits[1]).toBeGreaterThan(7_000);
});

it('a wait that a network implies grows with its own kind alone (networks.md §3: 1, 2, 4 … s)', async () => {
  const line = await networks.line('max');
  const fault = { method: 'POST /messages', channel: line.chat } as const;
  const slow = { mode: 'answer', status: 429, headers: { 'retry-after': '1' }, times: 2 } as const;
  await line.network.addFault({ ...fault, ...slow });
  const body = { code: 'attachment.not.ready', message: 'Not yet' };
  await line.network.addFault({ ...fault, mode: 'answer', status: 400, body, times: 2 });
  const { id } = await line.inState(await line.send({ text: 'at last' }), 'published');
  expect(await waitsOf(id)).toEqual([1_000, 1_000, 1_000, 2_000]);
});

it('two chats that are said to have moved to each other: it is not sent to and fro for ever (D-20)', async () => {
  const line = await networks.line('telegram');
  const there = '-1009990077';
  await line.network.ask('POST', 'chats', { chat_id: line.chat, migrated_to: Number(there) });
  await line.network.ask('POST', 'chats', { chat_id: there, migrated_to: Number(line.chat) });
  const { attempts } = await line.inState(await line.send({ text: 'to and fro' }), 'failed');
  expect(attempts).toHaveLength(5);
  expect(attempts.at(-1)).toMatchObject({ outcome: 'failed', error: { code: 'channel_moved', category: 'channel' } });
});
