import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../e2e/until.js';
import { whileHeld } from '../../support/held-projection.js';
import { GatewayHarness } from './gateway-harness.js';

let harness: GatewayHarness;
beforeAll(async () => (harness = await GatewayHarness.start()));
afterAll(() => harness.stop());

/** Longer than a worker waits for the schedule before it releases a channel and claims it again. */
const LATE_MS = 13_000;

it('keeps the time that a network names although the schedule does not show it yet (D-20)', async () => {
  const channel = await harness.createChannel('telegram');
  const calls = async (): Promise<number> =>
    (await channel.network.listCalls({ method: 'sendMessage' })).items.filter((call) => call.channel === channel.chat)
      .length;
  const body = { ok: false, error_code: 429, description: 'Too Many Requests', parameters: { retry_after: 3_600 } };
  await channel.network.addFault({ mode: 'answer', status: 429, body, method: 'sendMessage', channel: channel.chat });
  await channel.network.setDelay(1_000);
  const id = await channel.publish({ text: 'later' });
  await until('the network is called', async () => (await calls()) === 1);
  const { connectionString } = harness.gateway.pool.options;
  await whileHeld(connectionString, 'publish-schedule', async () => {
    await sleep(LATE_MS);
    expect(await calls()).toBe(1);
  });
  const { attempts } = await channel.waitUntil(
    id,
    'waits after an attempt',
    ({ waiting_for: wait, attempts: [attempt] }) => wait?.rule === 'platform_limit' && Boolean(attempt?.outcome),
  );
  expect(attempts).toHaveLength(1);
});
