import { postIdOf, publish } from './client.js';
import { createManagementClient, shareHarness } from './e2e-harness.js';
import type { Channel, Endpoint, Publication } from './management-client.js';
import { until } from './until.js';

const MINUTE_MS = 400;

interface PausedChannel {
  readonly id: string;
  readonly paused_until: string | null;
}

describe('a pause of a channel (D-21)', () => {
  const test = shareHarness(async (harness) => {
    const telegram = await harness.startTelegram();
    const gateway = await harness.startGateway({
      ...(await harness.createDatabase()),
      DATA_DIR: await harness.createFolder(),
      TELEGRAM_API_URL: telegram.url,
      MINUTE_MS: String(MINUTE_MS),
    });
    const manage = createManagementClient(gateway);
    const seeded = await manage.seed(4, [[0], [1], [2], [3]]);
    const wall = async ({ chatId }: Channel) =>
      (await telegram.control.readLedger({ channel: chatId })).map(({ text }) => text);
    const post = async (endpoint: Endpoint, text: string): Promise<string> => {
      const answer = await publish(gateway.url, endpoint, { text });
      expect(answer.status).toBe(200);
      return postIdOf(answer);
    };
    const findPublication = async (id: string): Promise<Publication> => (await manage.findPost(id)).publications[0]!;
    return { manage, ...seeded, wall, post, findPublication };
  });

  /** Returns the start of the first attempt of each post, by the gateway's clock. */
  const readStartTimes = async (ids: readonly string[], findPublication: (id: string) => Promise<Publication>) =>
    Promise.all(ids.map(async (id) => Date.parse((await findPublication(id)).attempts[0]!.started_at)));

  test('holds the channel, and resuming publishes the backlog in order, a minute apart', async (context) => {
    const { manage, channels, endpoints, wall, post, findPublication } = context;
    const [channel, other] = [channels[0]!, channels[1]!];
    const paused = await manage.post<PausedChannel>(`/channels/${channel.id}/pause`, { minutes: 1_440 });
    expect(Date.parse(paused.paused_until!)).toBeGreaterThan(Date.now());

    const texts = ['one', 'two', 'three', 'four'];
    const ids: string[] = [];
    for (const text of texts) ids.push(await post(endpoints[0]!, text));
    const elsewhere = await post(endpoints[1]!, 'elsewhere');
    await until('the other channel publishes', async () => (await findPublication(elsewhere)).state === 'published');
    expect(await wall(other)).toEqual(['elsewhere']);
    // The rule comes from another read model than the state.
    await until('all wait for the pause', async () => {
      const waiting = await Promise.all(ids.map(findPublication));
      expect(waiting.map(({ state, waiting_for }) => [state, waiting_for?.rule])).toEqual(
        Array(4).fill(['queued', 'channel_pause']),
      );
      return true;
    });
    expect(await wall(channel)).toEqual([]);

    const resumed = await manage.post<PausedChannel>(`/channels/${channel.id}/resume`);
    expect(resumed.paused_until).toBeNull();
    const after = await post(endpoints[0]!, 'after the pause');
    await until('all are published', async () => (await findPublication(after)).state === 'published');
    expect(await wall(channel)).toEqual([...texts, 'after the pause']);
    const starts = await readStartTimes(ids, findPublication);
    for (const [i, start] of starts.slice(1).entries()) expect(start - starts[i]!).toBeGreaterThanOrEqual(MINUTE_MS);
  });

  test('that expires releases the backlog in the same way', async (context) => {
    const { manage, channels, endpoints, wall, post, findPublication } = context;
    const channel = channels[2]!;
    const { paused_until } = await manage.post<PausedChannel>(`/channels/${channel.id}/pause`, { minutes: 100 }); // 40 s: it must not end before all are accepted
    const texts = ['one', 'two', 'three'];
    const ids: string[] = [];
    for (const text of texts) ids.push(await post(endpoints[2]!, text));
    await until('all are published', async () => (await findPublication(ids[2]!)).state === 'published');
    expect(await wall(channel)).toEqual(texts);
    const starts = await readStartTimes(ids, findPublication);
    expect(starts[0]).toBeGreaterThanOrEqual(Date.parse(paused_until!));
    for (const [i, start] of starts.slice(1).entries()) expect(start - starts[i]!).toBeGreaterThanOrEqual(MINUTE_MS);
  });

  test('is never shortened by another pause', async ({ manage, channels }) => {
    const channel = channels[3]!;
    const long = await manage.post<PausedChannel>(`/channels/${channel.id}/pause`, { minutes: 1_000 });
    const short = await manage.post<PausedChannel>(`/channels/${channel.id}/pause`, { minutes: 1 });
    expect(short.paused_until).toBe(long.paused_until);
  });
});
