// Work before and after a backup, and what a gateway shows after the restore (D-80).
import { setTimeout as sleep } from 'node:timers/promises';
import type { Gateway } from '../support/gateway-process.js';
import { postIdOf, publish } from './client.js';
import { createManagementClient, type E2eHarness, type Network } from './e2e-harness.js';
import type { Endpoint, ManagementClient } from './management-client.js';
import { Random } from './random.js';
import { until } from './until.js';

const LONG = Boolean(process.env.TEST_LONG);
export const random = new Random();
/** How often a gateway is killed while it recovers. */
export const KILLS = LONG ? 8 : 2;
/** Time until the first planned posts are due: longer than everything until the backup is made and they are changed. */
const SOON_MS = 30_000;

export type Settings = Readonly<Record<string, string>>;

interface Recovery {
  readonly state: 'none' | 'held';
  readonly restored_at: string | null;
  readonly noticed_by: string | null;
  readonly lost_events: number | null;
  readonly from: string | null;
  readonly until: string | null;
  readonly planned: number;
  readonly in_doubt: number;
}

export const later = (ms: number): string => new Date(Date.now() + ms).toISOString();

export const accept = async (gateway: Gateway, endpoint: Endpoint, payload: object): Promise<string> => {
  const answer = await publish(gateway.url, endpoint, payload);
  expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 200 });
  return postIdOf(answer);
};

export const isPublished = async (manage: ManagementClient, id: string): Promise<boolean> =>
  (await manage.findPost(id)).publications.every(({ state }) => state === 'published');

export const readTexts = async ({ control }: Network): Promise<readonly string[]> =>
  (await control.readLedger()).map(({ text }) => String(text)).sort();

export const readRecovery = (manage: ManagementClient): Promise<Recovery> => manage.get<Recovery>('/recovery');

export const readDegraded = async ({ url }: Gateway): Promise<readonly string[]> => {
  const { degraded } = (await (await fetch(`${url}/readyz`)).json()) as { degraded: { name: string }[] };
  return degraded.map(({ name }) => name);
};

/** Waits until what waited before a restore is held. */
export const waitUntilMarked = async (gateway: Gateway): Promise<void> => {
  const manage = createManagementClient(gateway);
  // Nothing can be confirmed before.
  await until('what waited is marked', async () => Boolean(await manage.post('/recovery/confirm')));
};

/** Settles what is held, once the look-ups have ended. */
export const settle = (gateway: Gateway, choice: object): Promise<{ planned: number; in_doubt: number }> =>
  until('what is held is settled', () => createManagementClient(gateway).post('/recovery/confirm', choice));

/** Work before a backup: published, queued behind a pause, planned for soon and for later, and waiting for approval. */
export const workBefore = async (gateway: Gateway, dueInMs = SOON_MS) => {
  const manage = createManagementClient(gateway);
  const { endpoints } = await manage.seed(2, [[0], [1]]);
  const [endpoint, slow] = endpoints as [Endpoint, Endpoint];
  const done = await accept(gateway, endpoint, { text: 'done' });
  await until('it is published', () => isPublished(manage, done));
  await manage.post(`/channels/${slow.channels[0]!.id}/pause`, { minutes: 60 });
  const queued = await accept(gateway, slow, { text: 'queued' });
  const soonMs = Date.now() + dueInMs;
  const soon = new Date(soonMs).toISOString();
  const plan = (text: string, at: string) => accept(gateway, endpoint, { text, publish_at: at });
  const planned = await plan('planned', soon);
  const cancelled = await plan('cancelled', soon);
  const revised = await plan('before its revision', soon);
  const future = [await plan('future 1', later(3_600_000)), await plan('future 2', later(3_600_000))];
  const cancelledLater = await plan('cancelled for later', later(3_600_000));
  return { endpoint, slow, soonMs, done, queued, planned, cancelled, revised, future, cancelledLater };
};

/** Work after a backup, which the restore undoes. */
export const workAfter = async (
  gateway: Gateway,
  {
    endpoint,
    slow,
    soonMs,
    queued,
    planned,
    cancelled,
    revised,
    cancelledLater,
  }: Awaited<ReturnType<typeof workBefore>>,
): Promise<void> => {
  const manage = createManagementClient(gateway);
  await manage.post(`/posts/${cancelled}/cancel`);
  await manage.post(`/posts/${cancelledLater}/cancel`);
  const body = JSON.stringify({ text: 'after its revision', publish_at: new Date(soonMs).toISOString() });
  const changed = await fetch(`${gateway.url}${endpoint.path}/posts/${revised}`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${endpoint.token}`, 'content-type': 'application/json' },
    body,
  });
  expect({ status: changed.status, body: await changed.text() }).toMatchObject({ status: 200 });
  await manage.post(`/channels/${slow.channels[0]!.id}/resume`);
  for (const id of [queued, planned, revised]) await until(`${id} is published`, () => isPublished(manage, id));
  const lost = await accept(gateway, endpoint, { text: 'accepted after the backup' });
  await until('it is published', () => isPublished(manage, lost));
};

export const ON_WALL = ['accepted after the backup', 'after its revision', 'done', 'planned', 'queued'];

export const setUp = async (harness: E2eHarness, more: Settings = {}) => {
  const telegram = await harness.startTelegram();
  const database = await harness.createDatabase();
  const settings: Settings = {
    ...database,
    DATA_DIR: await harness.createFolder(),
    TELEGRAM_API_URL: telegram.url,
    MINUTE_MS: '1000',
    ...more,
  };
  return { telegram, database, settings };
};

/** Starts a gateway, kills it a few times while it recovers, and starts it again. */
export const startWithKills = async (harness: E2eHarness, settings: Settings): Promise<Gateway> => {
  for (let kill = 0; kill < KILLS; kill++) {
    // In turn, during the start, which begins the recovery, and afterwards, while posts are marked.
    const isEarly = kill % 2 === 0;
    const program = isEarly ? await harness.spawnGateway(settings) : (await harness.startGateway(settings)).program;
    await sleep(random.below(isEarly ? 6_000 : 1_500));
    await program.killAll();
  }
  return harness.startGateway(settings);
};

/** Nothing is published twice, nothing cancelled is published, new posts are, and one call settles what is held. */
export const expectRecovered = async (
  gateway: Gateway,
  telegram: Network,
  { endpoint, future }: Awaited<ReturnType<typeof workBefore>>,
  expected: Partial<Recovery>,
): Promise<void> => {
  const manage = createManagementClient(gateway);
  await waitUntilMarked(gateway);
  const recovery = await readRecovery(manage);
  expect(recovery).toMatchObject({ state: 'held', ...expected });
  expect(await readDegraded(gateway)).toContain('recovery');
  const fresh = await accept(gateway, endpoint, { text: 'new' });
  await until('it is published', () => isPublished(manage, fresh));
  expect(await readTexts(telegram)).toEqual([...ON_WALL, 'new'].sort());
  for (const id of future) {
    const { publications } = await manage.findPost(id);
    expect(publications).toMatchObject([{ state: 'planned', waiting_for: { rule: 'restored', until: null } }]);
  }
  await manage.patch(`/posts/${future[0]!}`, { publish_at: later(7_200_000) });
  expect((await manage.findPost(future[0]!)).publications).toMatchObject([{ waiting_for: { rule: 'scheduled' } }]);
  expect((await readRecovery(manage)).planned).toBe(recovery.planned - 1);

  const settled = await settle(gateway, { planned: 'cancel', in_doubt: 'dismiss' });
  expect(settled).toEqual({ planned: recovery.planned - 1, in_doubt: recovery.in_doubt });
  expect(await readRecovery(manage)).toMatchObject({ state: 'none', planned: 0, in_doubt: 0 });
  expect((await manage.findPost(future[0]!)).publications).toMatchObject([{ state: 'planned' }]);
  await until('it is not degraded', async () => !(await readDegraded(gateway)).includes('recovery'));
  expect(await readTexts(telegram)).toEqual([...ON_WALL, 'new'].sort());
};
