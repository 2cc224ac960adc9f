import { until } from '../../e2e/until.js';
import { GatewayHarness, type Publication } from './gateway-harness.js';

/** Channels of the busy owner: more than one owner's publications may start at the same time. */
const MANY = 40;

let harness: GatewayHarness;
beforeAll(async () => {
  // Long enough that no call times out during the test.
  harness = await GatewayHarness.start({ PACING: 'off' }, undefined, { callTimeoutMs: 600_000 });
});
afterAll(() => harness.stop());

it('a publication that waits for its network keeps no other one of its owner from getting ready (D-68)', async () => {
  const { gateway, controls } = harness;
  const owner_id = await gateway.createOwner();
  const channels: { id: string; chatId: string }[] = [];
  for (let i = 0; i < MANY; i++) channels.push(await gateway.createChannel(owner_id));
  const endpoint = await gateway.createEndpoint(owner_id, [await gateway.createProject(owner_id, channels)]);
  for (const { chatId } of channels)
    await controls.telegram.addFault({ mode: 'hang', method: 'sendMessage', channel: chatId, times: 1 });
  const victim = await harness.createChannel('telegram', {
    credentials: { bot_token: `1000:${'t'.repeat(35)}`, chat_id: '-1009999999' },
  });
  const publishText = async (): Promise<void> =>
    victim.waitForState(await victim.publish({ text: 'from another owner' }), 'published').then(() => undefined);

  await publishText(); // from now on two owners are active, which bounds both
  const { body } = await endpoint.post('', { text: 'to a network that hangs' });
  const readStates = async (): Promise<string[]> => {
    const { publications } = await gateway.manage('GET', `/posts/${body.id}`);
    return (publications as Publication[]).map(({ state }) => state);
  };
  await until('all of them call the network', async () =>
    (await readStates()).every((state) => state === 'publishing'),
  );
  await publishText();
  expect(new Set(await readStates())).toEqual(new Set(['publishing']));
});
