import { GatewayHarness } from './gateway-harness.js';

let harness: GatewayHarness;
beforeAll(async () => (harness = await GatewayHarness.start()));
afterAll(() => harness.stop());

it('numbers every accepted publication without gaps, whatever its outcome (D-37)', async () => {
  const channel = await harness.createChannel('ok', { settings: { buttons: 'drop' } });
  const addFault = (mode: 'answer' | 'accept_then_drop', body?: object) =>
    channel.network.addFault({ mode, method: 'mediatopic.post', channel: channel.chat, status: 200, body });
  const ids: string[] = [];
  const publish = async (payload: object, state: string): Promise<void> => {
    ids.push(await channel.publish(payload));
    await channel.waitForState(ids.at(-1)!, state);
  };
  await publish({ text: 'first' }, 'published');
  await publish({ buttons: [[{ text: 'Dropped', url: 'https://example.com/' }]] }, 'filtered');
  await addFault('answer', { error_code: 100, error_msg: 'PARAM' });
  await publish({ text: 'refused' }, 'failed');
  await addFault('accept_then_drop');
  await publish({ text: 'in doubt' }, 'in_doubt');
  await addFault('accept_then_drop');
  await publish({ text: 'dismissed' }, 'in_doubt');
  await harness.gateway.manage('POST', `/publications/${(await channel.readPublication(ids[4]!)).id}/dismiss`);
  await harness.gateway.manage('POST', `/channels/${channel.channelId}/pause`, { minutes: 10 });
  ids.push(await channel.publish({ text: 'waits' }));
  await channel.waitForState(ids.at(-1)!, 'queued');

  const { items } = await harness.gateway.manage('GET', `/channels/${channel.channelId}/receipts`);
  expect(items.map(({ sequence, post_id }: Record<string, unknown>) => [sequence, post_id])).toEqual(
    ids.map((id, i) => [i + 1, id]),
  );
  const states = items.map(({ state }: { state: string }) => state);
  expect(states).toEqual(['published', 'filtered', 'failed', 'in_doubt', 'dismissed', 'queued']);
  const [first] = await channel.readWall();
  for (const { state, message_ids, published_at } of items) {
    expect(message_ids).toEqual(state === 'published' ? [first!.message_id] : []);
    expect(published_at === null).toBe(state !== 'published');
  }
});
