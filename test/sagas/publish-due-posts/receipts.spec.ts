import { Networks } from './networks.js';

let networks: Networks;
beforeAll(async () => (networks = await Networks.start()));
afterAll(() => networks.stop());

it('receipts are whole: every accepted publication has its number, whatever became of it (D-37)', async () => {
  const line = await networks.line('ok', { settings: { buttons: 'drop' } });
  const meets = (mode: 'answer' | 'accept_then_drop', body?: object) =>
    line.network.addFault({ mode, method: 'mediatopic.post', channel: line.chat, status: 200, body });
  const ids: string[] = [];
  const send = async (payload: object, state: string): Promise<void> => {
    ids.push(await line.send(payload));
    await line.inState(ids.at(-1)!, state);
  };
  await send({ text: 'first' }, 'published');
  await send({ buttons: [[{ text: 'Dropped', url: 'https://example.com/' }]] }, 'filtered');
  await meets('answer', { error_code: 100, error_msg: 'PARAM' });
  await send({ text: 'refused' }, 'failed');
  await meets('accept_then_drop');
  await send({ text: 'in doubt' }, 'in_doubt');
  await meets('accept_then_drop');
  await send({ text: 'let be' }, 'in_doubt');
  await networks.gateway.manage('POST', `/publications/${(await line.publication(ids[4]!)).id}/dismiss`);
  await networks.gateway.manage('POST', `/channels/${line.channelId}/pause`, { minutes: 10 });
  ids.push(await line.send({ text: 'waits' }));
  await line.inState(ids.at(-1)!, 'queued');

  const { items } = await networks.gateway.manage('GET', `/channels/${line.channelId}/receipts`);
  expect(items.map(({ sequence, post_id }: Record<string, unknown>) => [sequence, post_id])).toEqual(
    ids.map((id, i) => [i + 1, id]),
  );
  const states = items.map(({ state }: { state: string }) => state);
  expect(states).toEqual(['published', 'filtered', 'failed', 'in_doubt', 'dismissed', 'queued']);
  const [first] = await line.wall();
  for (const { state, message_ids, published_at } of items) {
    expect(message_ids).toEqual(state === 'published' ? [first!.message_id] : []);
    expect(published_at === null).toBe(state !== 'published');
  }
});
