// More than 20 s: it simulates hours of load.
import { mkdir, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '../../src/config/logger.js';
import { createPool } from '../../src/postgres/pool.js';
import { loadTestSettings } from '../support/settings.js';
import { postIdOf, publish } from './client.js';
import { createManagementClient, e2eTest, type Network } from './e2e-harness.js';
import type { Channel, Endpoint, ManagementClient } from './management-client.js';
import { Random } from './random.js';
import { findGrowth, SoakSampler } from './soak-samples.js';
import { until } from './until.js';

const LONG = Boolean(process.env.TEST_LONG);
/** Length of the soak in seconds, and the number of simulated hours in it. */
const [SECONDS, HOURS] = LONG ? [Number(process.env.SOAK_SECONDS ?? 1_260), 24] : [10, 2];
const SAMPLE_MS = (SECONDS * 1_000) / (LONG ? 84 : 10);
/** Length of a simulated hour. */
const HOUR_MS = (SECONDS * 1_000) / HOURS;
/**
 * A pause-minute: far shorter than a minute of such an hour, since the posts that a pause holds go out one each minute.
 */
const MINUTE_MS = 20;
const CHANNELS = 6;
const ENDPOINTS = [[0], [1, 2], [3], [4, 5]];
const CLIENTS_EACH = LONG ? 4 : 2;
const NETWORK_DELAY_MS = 5;
/** Pause of a client between two posts: none at full load. */
const THINK_MS = LONG ? 0 : 25;
/** Longest time in a long run until the last post has ended: its attempts alone may take six minutes (D-20). */
const DRAIN_MS = LONG ? 900_000 : undefined;
/** Publications that may wait before clients pause: full load is what can be published, not what can be accepted. */
const MAX_WAITING = 1_000;

interface Life {
  readonly url: string;
  readonly manage: ManagementClient;
  readonly telegram: Network;
  readonly endpoints: readonly Endpoint[];
  readonly random: Random;
  readonly isOver: () => boolean;
  readonly isBehind: () => boolean;
}

/** Sends one post after the other, numbered, and repeats some of them. */
const runClient = async (
  { url, isOver, isBehind, random }: Life,
  endpoint: Endpoint,
  name: string,
  sampler: SoakSampler,
) => {
  let count = 0;
  while (!isOver()) {
    if (isBehind()) {
      await sleep(20);
      continue;
    }
    const text = `${name} ${++count}`;
    const startedAt = performance.now();
    let answer = await publish(url, endpoint, { text }, { 'idempotency-key': text });
    for (; answer.status === 503; await sleep(50))
      answer = await publish(url, endpoint, { text }, { 'idempotency-key': text });
    expect([200, 202]).toContain(answer.status);
    sampler.addPost(performance.now() - startedAt);
    if (THINK_MS > 0) await sleep(THINK_MS);
    if (random.below(20) > 0) continue;
    const again = await publish(url, endpoint, { text }, { 'idempotency-key': text });
    expect([again.status, postIdOf(again)]).toEqual([202, postIdOf(answer)]);
  }
  return count;
};

/** Once for each simulated hour, does what owners, their clients and the networks do besides posting. */
const runHours = async ({ url, manage, telegram, endpoints, random, isOver }: Life): Promise<void> => {
  const anyOf = <T>(list: readonly T[]): T => list[random.below(list.length)]!;
  const { items: projects } = await manage.get<{ items: { id: string }[] }>('/projects');
  for (let hour = 0; !isOver(); hour++) {
    const endpoint = anyOf(endpoints);
    const { id: channelId } = anyOf(endpoint.channels);
    await manage.post(`/channels/${channelId}/pause`, { minutes: 60 });
    await manage.post(`/projects/${anyOf(projects).id}/pause`, { minutes: 60 });
    await manage.post(`/endpoints/${endpoint.id}/rotate-secret`, { overlap_minutes: 10 });
    await manage.patch(`/endpoints/${endpoint.id}`, { name: `Hour ${hour}` });
    for (const refused of ['{', '{"text":7}', '{"text":""}'])
      expect((await publish(url, endpoint, refused)).status).toBeGreaterThanOrEqual(400);
    expect((await publish(url, { ...endpoint, token: 'service_live_wrong' }, { text: 'x' })).status).toBe(401);
    // Only one fault each: a channel that the network refuses several times pauses for minutes (D-20), and so do its clients.
    const fault = { mode: 'answer', status: anyOf([429, 500, 502]), body: {}, times: 1 } as const;
    await telegram.control.addFault({ ...fault, channel: anyOf(endpoint.channels).chatId });
    await manage.get('/posts?limit=50');
    await sleep(HOUR_MS / 2);
    await manage.post(`/channels/${channelId}/resume`);
    for (const { id } of projects) await manage.post(`/projects/${id}/resume`);
    await sleep(HOUR_MS / 2);
  }
};

/** Waits until a channel's posts have ended, and compares receipts and wall (security.md: L1, L2, L3). */
const auditChannel = async (
  manage: ManagementClient,
  { control }: Network,
  channel: Channel,
  count: number,
): Promise<number> => {
  const receipts = await until(`the receipts of ${channel.chatId} show all outcomes`, async () => {
    const found = await manage.listReceipts(channel.id);
    return found.length >= count && !found.some(({ state }) => state === 'queued' || state === 'publishing') && found;
  });
  const wall = await control.readLedger({ channel: channel.chatId });
  const inDoubt = receipts.filter(({ state }) => state !== 'published').map(({ state }) => state);
  expect(inDoubt.filter((state) => state !== 'in_doubt')).toEqual([]);
  expect(receipts.map(({ sequence }) => sequence)).toEqual(receipts.map((_, i) => i + 1));
  const published = receipts.filter(({ state }) => state === 'published');
  expect(wall.map(({ message_id }) => message_id)).toEqual(published.flatMap(({ message_ids }) => message_ids));
  const latest = new Map<string, number>();
  for (const { text } of wall) {
    const [, client, number] = /^(.*) (\d+)$/.exec(text)!;
    // A post that is in doubt is missing on the wall.
    expect({ client, isLater: Number(number) > (latest.get(client!) ?? 0) }).toEqual({ client, isLater: true });
    latest.set(client!, Number(number));
  }
  return receipts.length;
};

describe('a long life under load', () => {
  const random = new Random();
  e2eTest(
    `loses nothing and stays the same size: ${HOURS} hours in ${SECONDS} s (seed ${random.seed})`,
    async (harness) => {
      const telegram = await harness.startTelegram();
      const database = await harness.createDatabase();
      const settings = {
        ...database,
        DATA_DIR: await harness.createFolder(),
        TELEGRAM_API_URL: telegram.url,
        MINUTE_MS: String(MINUTE_MS),
      };
      const both = await harness.startGateway(settings);
      const { endpoints, channels } = await createManagementClient(both).seed(CHANNELS, ENDPOINTS);
      await both.program.terminate();
      const api = await harness.startGateway({ ...settings, ROLES: 'api' });
      const worker = await harness.startGateway({ ...settings, ROLES: 'worker' });
      await telegram.control.setDelay(NETWORK_DELAY_MS);

      const logger = createLogger(loadTestSettings({ LOG_LEVEL: 'fatal' }));
      const pool = createPool(database.DATABASE_URL, { max: 1, applicationName: 'soak', logger });
      harness.addCleanup(() => pool.end());
      const sampler = new SoakSampler(pool, { api: api.program.pid, worker: worker.program.pid });
      const endsAt = performance.now() + SECONDS * 1_000;
      const manage = createManagementClient(api);
      let waiting = 0;
      const life: Life = {
        url: api.url,
        manage,
        telegram,
        endpoints,
        random,
        isOver: () => performance.now() >= endsAt,
        isBehind: () => waiting > MAX_WAITING,
      };
      const watching = (async () => {
        for (; !life.isOver(); await sleep(250)) waiting = await sampler.countWaiting();
      })();
      const sampling = (async () => {
        // A busy machine may take fewer in the given time than are compared.
        for (; !life.isOver() || sampler.samples.length < 3; await sleep(SAMPLE_MS)) await sampler.takeSample();
      })();
      const clients = endpoints.flatMap((endpoint, e) =>
        Array.from({ length: CLIENTS_EACH }, (_, c) => runClient(life, endpoint, `client ${e}.${c}`, sampler)),
      );
      const [counts] = await Promise.all([Promise.all(clients), runHours(life), sampling, watching]);
      await telegram.control.clearFaults();
      if (LONG) {
        await mkdir('reports', { recursive: true });
        await writeFile('reports/soak.json', JSON.stringify({ hours: HOURS, samples: sampler.samples }));
      }
      await until('all publications have ended', async () => (await sampler.countWaiting()) === 0, DRAIN_MS);
      await sampler.takeSample();

      let accepted = 0;
      const countOf = (e: number) => counts.slice(e * CLIENTS_EACH, (e + 1) * CLIENTS_EACH).reduce((a, b) => a + b, 0);
      for (const [c, channel] of channels.entries())
        accepted += await auditChannel(
          manage,
          telegram,
          channel,
          countOf(ENDPOINTS.findIndex((list) => list.includes(c))),
        );
      expect(accepted).toBe(ENDPOINTS.reduce((sum, list, e) => sum + list.length * countOf(e), 0));
      expect(sampler.samples.length).toBeGreaterThan(3);
      if (LONG) expect(findGrowth(sampler.samples.slice(0, -1))).toEqual([]);
    },
    LONG ? (SECONDS + 1_800) * 1_000 : undefined,
  );
});
