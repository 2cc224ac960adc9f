// More than 20 s: a network is down for an hour, of 100 ms a minute, and for a day, of 2 ms.
import { setTimeout as sleep } from 'node:timers/promises';
import { until } from '../../e2e/until.js';
import { GatewayHarness, type Platform, type PublishingChannel } from '../publish-due-posts/gateway-harness.js';
import { METHODS } from './take-back-stories.js';

const PLATFORMS: readonly Platform[] = ['telegram', 'vk', 'max', 'ok'];
const MINUTE_MS = 100;

const publishOn = async (harness: GatewayHarness, platform: Platform) => {
  const channel = await harness.createChannel(platform);
  const postId = await channel.publish({ text: 'A wrong price' });
  await channel.waitForState(postId, 'published');
  return { ...channel, postId };
};
const withdraw = async ({ endpoint, postId }: PublishingChannel & { postId: string }): Promise<void> =>
  expect((await endpoint.post(`posts/${postId}/withdraw`, {})).body.withdrawing).toBe(1);
const readWithdrawal = async ({ gateway }: GatewayHarness, postId: string) =>
  (await gateway.manage('GET', `/posts/${postId}`)).publications[0].withdrawal;
const countCalls = async ({ network, chat }: PublishingChannel, method: string): Promise<number> =>
  (await network.listCalls({ method })).items.filter(({ channel }) => channel === chat).length;
const countDeleted = async ({ network, chat }: PublishingChannel): Promise<number> =>
  (await network.listChanges({ channel: chat })).length;

describe('a take-back while a network does not answer', () => {
  let harness: GatewayHarness;
  beforeAll(async () => {
    harness = await GatewayHarness.start({ MINUTE_MS: String(MINUTE_MS) }, undefined, { callTimeoutMs: 1_000 });
  });
  afterAll(() => harness.stop());

  it.concurrent.each(PLATFORMS)('waits for the end of an hour without %s, and sends nothing', async (platform) => {
    const channel = await publishOn(harness, platform);
    const { publish, remove } = METHODS[platform];
    const hour = { mode: 'answer', status: 503, channel: channel.chat, times: null } as const;
    await channel.network.addFault(hour);
    await withdraw(channel);
    await until('a failed try', async () => (await readWithdrawal(harness, channel.postId)).attempts > 0);
    expect(await readWithdrawal(harness, channel.postId)).toMatchObject({ waiting_for: { rule: 'retry' } });
    await sleep(60 * MINUTE_MS);
    expect(await countDeleted(channel)).toBe(0);
    await channel.network.clearFaults();
    await channel.waitForState(channel.postId, 'withdrawn');
    expect([await countDeleted(channel), await countCalls(channel, publish)]).toEqual([1, 1]);
    expect(await countCalls(channel, remove)).toBeGreaterThan(1);
  });
});

describe('a deletion that is not answered', () => {
  let harness: GatewayHarness;
  beforeAll(async () => {
    harness = await GatewayHarness.start({}, undefined, { callTimeoutMs: 1_000 });
  });
  afterAll(() => harness.stop());

  it.concurrent.each(PLATFORMS)('is made again on %s, whether it was carried out or not', async (platform) => {
    for (const mode of ['accept_then_hang', 'hang'] as const) {
      const channel = await publishOn(harness, platform);
      const { publish, remove } = METHODS[platform];
      await channel.network.addFault({ mode, method: remove, channel: channel.chat });
      await withdraw(channel);
      await channel.waitForState(channel.postId, 'withdrawn');
      expect([await countDeleted(channel), await countCalls(channel, publish)]).toEqual([1, 1]);
      expect(await countCalls(channel, remove)).toBe(2);
    }
  });
});

describe('a take-back while a network does not answer for a day', () => {
  let harness: GatewayHarness;
  beforeAll(async () => (harness = await GatewayHarness.start({ MINUTE_MS: '2' })));
  afterAll(() => harness.stop());

  it('is given up, and can be asked for again', async () => {
    const channel = await publishOn(harness, 'vk');
    const fault = { mode: 'answer', status: 503, method: METHODS.vk.remove, channel: channel.chat } as const;
    await channel.network.addFault({ ...fault, times: null });
    await withdraw(channel);
    await channel.waitForState(channel.postId, 'withdraw_failed');
    const { error, remaining } = await readWithdrawal(harness, channel.postId);
    expect([error.code, remaining.length]).toEqual(['gave_up', 1]);
    await channel.network.clearFaults();
    await withdraw(channel);
    await channel.waitForState(channel.postId, 'withdrawn');
    expect(await countDeleted(channel)).toBe(1);
  });
});
