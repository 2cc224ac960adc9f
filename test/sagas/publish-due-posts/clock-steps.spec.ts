import { until } from '../../e2e/until.js';
import { MovableClock, PublishingHarness } from './publishing-harness.js';
import type { TestChannel } from './test-channel.js';

const HOUR = 3_600_000;

let harness: PublishingHarness;
beforeAll(async () => (harness = await PublishingHarness.start()));
afterAll(() => harness.stop());

const isPublishing = (channel: TestChannel, id: string) =>
  channel.waitUntil(id, 'is under way', ({ state }) => state === 'publishing');
/** Makes MAX accept a message and lose the answer, and then fail look-ups until the faults are cleared. */
const loseAnswer = async ({ control, chat }: TestChannel): Promise<void> => {
  await control.addFault({ mode: 'accept_then_drop', method: 'POST /messages', channel: chat });
  await control.addFault({ mode: 'answer', status: 503, method: 'GET /messages', channel: chat, times: null });
};
const hasLookedUp = ({ control, chat }: TestChannel) =>
  until('a look-up has failed', async () =>
    (await control.listCalls({ method: 'GET /messages' })).items.some((call) => call.channel === chat),
  );

describe('a system clock that is set by an hour', () => {
  it('on two workers of different clocks: every post goes once, in order', async () => {
    const clocks = [new MovableClock(), new MovableClock()] as const;
    const workers = await Promise.all(clocks.map((clock) => harness.startWorker({ clock })));
    const channels = await Promise.all([harness.createChannel('telegram'), harness.createChannel('vk')]);
    const steps = [
      [HOUR, 0],
      [-2 * HOUR, HOUR],
      [HOUR, -HOUR],
    ] as const;
    const texts: string[] = [];
    for (const [n, step] of steps.entries()) {
      step.forEach((ms, i) => clocks[i]!.forward(ms));
      for (const channel of channels) {
        const ids: string[] = [];
        for (const part of ['a', 'b']) ids.push(await channel.publish({ text: `${n}${part}` }));
        for (const id of ids) await channel.waitForState(id, 'published');
      }
      texts.push(`${n}a`, `${n}b`);
    }
    for (const channel of channels) expect(await channel.readTexts()).toEqual(texts);
    await Promise.all(workers.map((worker) => worker.stop()));
  });

  it('while a send is in doubt: its message is found, and not sent again', async () => {
    const clock = new MovableClock();
    const worker = await harness.startWorker({ clock });
    const channel = await harness.createChannel('max');
    await loseAnswer(channel);
    const id = await channel.publish({ text: 'first' });
    await isPublishing(channel, id);
    await hasLookedUp(channel);
    clock.forward(-HOUR);
    const next = await channel.publish({ text: 'next' });
    await channel.control.clearFaults();
    await channel.waitForState(id, 'published');
    await channel.waitForState(next, 'published');
    expect(await channel.readTexts()).toEqual(['first', 'next']);
    await worker.stop();
  });

  it('on the machine of a worker that dies during a send: another one does not send it again', async () => {
    const fast = new MovableClock();
    fast.forward(HOUR);
    const first = await harness.startWorker({ clock: fast });
    const channel = await harness.createChannel('max');
    await loseAnswer(channel);
    const id = await channel.publish({ text: 'first' });
    await isPublishing(channel, id);
    await until('the message is shown', async () => (await channel.readTexts()).length === 1);
    await first.stop();
    await channel.control.clearFaults();
    const second = await harness.startWorker();
    const next = await channel.publish({ text: 'next' });
    // Its message cannot be distinguished from an older one with the same text, so its owner decides.
    await channel.waitForState(id, 'in_doubt', 'published');
    await channel.waitForState(next, 'published');
    expect(await channel.readTexts()).toEqual(['first', 'next']);
    await second.stop();
  });
});
