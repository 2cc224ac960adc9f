// More than 20 s: the schedule is held back twice, longer than a worker waits for it.
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../e2e/until.js';
import { whileHeld } from '../../support/held-projection.js';
import { GatewayHarness, type Publication, type PublishingChannel } from './gateway-harness.js';

let harness: GatewayHarness;
beforeAll(async () => (harness = await GatewayHarness.start()));
afterAll(() => harness.stop());

/** Longer than a worker waits for the schedule before it releases a channel and claims it again. */
const LATE_MS = 13_000;

/** Makes the network refuse the next post to a channel, and ask to wait. */
const askToWait = ({ network, chat }: PublishingChannel, retry_after: number): Promise<void> => {
  const body = { ok: false, error_code: 429, description: 'Too Many Requests', parameters: { retry_after } };
  return network.addFault({ mode: 'answer', status: 429, body, method: 'sendMessage', channel: chat });
};
const countCalls = async ({ network, chat }: PublishingChannel): Promise<number> =>
  (await network.listCalls({ method: 'sendMessage' })).items.filter((call) => call.channel === chat).length;
const waitForAttempts = (channel: PublishingChannel, id: string, count: number): Promise<Publication> =>
  channel.waitUntil(
    id,
    `waits after attempt ${count}`,
    ({ waiting_for: wait, attempts }) =>
      wait?.rule === 'platform_limit' && attempts.length >= count && Boolean(attempts.at(-1)?.outcome),
  );
/** Runs an action while the schedule shows no later event. */
const whileLate = (action: () => Promise<void>): Promise<void> =>
  whileHeld(harness.gateway.pool.options.connectionString, 'publish-schedule', action);

it('keeps the time that a network names although the schedule does not show it yet (D-20)', async () => {
  const channel = await harness.createChannel('telegram');
  await askToWait(channel, 3_600);
  await channel.network.setDelay(1_000);
  const id = await channel.publish({ text: 'later' });
  await until('the network is called', async () => (await countCalls(channel)) === 1);
  await whileLate(async () => {
    await sleep(LATE_MS);
    expect(await countCalls(channel)).toBe(1);
  });
  expect((await waitForAttempts(channel, id, 1)).attempts).toHaveLength(1);
});

it('keeps it after a second attempt as well, while the schedule shows the time of the first', async () => {
  const channel = await harness.createChannel('telegram');
  await channel.network.setDelay(0);
  await askToWait(channel, 4);
  await askToWait(channel, 3_600);
  const id = await channel.publish({ text: 'later' });
  await waitForAttempts(channel, id, 1);
  await whileLate(async () => {
    await until('the network is called again', async () => (await countCalls(channel)) === 2);
    await sleep(LATE_MS);
    expect(await countCalls(channel)).toBe(2);
  });
  expect((await waitForAttempts(channel, id, 2)).attempts).toHaveLength(2);
});
