// More than 20 s: posts are planned, changed, cancelled, approved and published before and after a backup.
import { setTimeout as sleep } from 'node:timers/promises';
import { backUpDatabase } from '../support/database-backup.js';
import type { Gateway } from '../support/gateway-process.js';
import { postIdOf, publish } from './client.js';
import { concurrentE2eTest, createManagementClient, type E2eHarness, type Network } from './e2e-harness.js';
import type { Endpoint, ManagementClient } from './management-client.js';
import { Random } from './random.js';
import { readRecovery, settle, setUp, startWithKills, waitUntilMarked } from './restore-scenario.js';
import { until } from './until.js';

const LONG = Boolean(process.env.TEST_LONG);
const ROUNDS = LONG ? 10 : 1;
const POSTS = LONG ? 300 : 40;
const ACTIONS = LONG ? 300 : 40;
/** Posts planned for soon are due within this time: some before the backup, most after it. */
const SOON_MS = LONG ? 60_000 : 25_000;
const HOUR_MS = 3_600_000;

interface Work {
  readonly random: Random;
  readonly endpoints: readonly Endpoint[];
  readonly ids: string[];
}

type State = 'planned' | 'queued' | 'publishing' | 'published' | 'failed' | 'in_doubt' | 'filtered' | 'dismissed';

const stateOf = async (manage: ManagementClient, id: string): Promise<State | null> => {
  const post = await manage.findPost(id).catch(() => null);
  return (post?.publications[0]?.state as State | undefined) ?? null;
};

/** Accepts posts of all kinds: for now, behind a pause, for soon, for later, and such that need approval. */
const acceptPosts = async (gateway: Gateway, { random, endpoints, ids }: Work, count: number): Promise<void> => {
  for (let n = 0; n < count; n++) {
    const endpoint = endpoints[random.below(endpoints.length)]!;
    const kind = random.below(3);
    const inMs = kind === 1 ? 1_000 + random.below(SOON_MS) : HOUR_MS + random.below(HOUR_MS);
    const publish_at = kind === 0 ? undefined : new Date(Date.now() + inMs).toISOString();
    const answer = await publish(gateway.url, endpoint, { text: `#${ids.length}#`, publish_at });
    expect({ status: answer.status, body: answer.body }).toMatchObject({ status: 200 });
    ids.push(postIdOf(answer));
  }
};

/** Does what people and clients do with posts, whatever has become of them meanwhile. */
const actOnPosts = async (gateway: Gateway, { random, ids }: Work, count: number): Promise<void> => {
  const manage = createManagementClient(gateway);
  const refused = (): null => null;
  for (let n = 0; n < count; n++) {
    const number = random.below(ids.length);
    const id = ids[number]!;
    const { revision } = (await manage.get<{ revision: number }>(`/posts/${id}`)) ?? {};
    const at = new Date(Date.now() + random.below(2 * HOUR_MS)).toISOString();
    const actions = [
      () => manage.post(`/posts/${id}/cancel`),
      () => manage.post(`/posts/${id}/cancel`),
      () => manage.patch(`/posts/${id}`, { publish_at: at }),
      () => manage.patch(`/posts/${id}`, { publish_at: null }),
      () => manage.post(`/posts/${id}/approve`, { revision }),
      () => manage.post(`/posts/${id}/reject`, { reason: 'no' }),
    ];
    await actions[random.below(actions.length)]!().catch(refused);
  }
};

const readWall = async ({ control }: Network): Promise<readonly string[]> =>
  (await control.readLedger()).map(({ text }) => String(text)).sort();

const twice = (wall: readonly string[]): readonly string[] => wall.filter((text, n) => text === wall[n - 1]);

/** Waits until nothing goes on: every post is published, cancelled, or planned for later. */
const waitUntilCalm = async (gateway: Gateway, ids: readonly string[]): Promise<ReadonlyMap<string, State>> => {
  const manage = createManagementClient(gateway);
  const states = new Map<string, State>();
  for (const id of ids)
    states.set(
      id,
      await until(`${id} is calm`, async () => {
        const post = await manage.findPost(id);
        const [one] = post.publications;
        const isWaiting = one!.state === ('planned' as string) && one!.waiting_for?.rule !== 'scheduled';
        const isFuture =
          one!.state === ('planned' as string) && Date.parse(one!.waiting_for?.until ?? '') > Date.now() + SOON_MS;
        const isOver = ['published', 'dismissed', 'in_doubt'].includes(one!.state);
        return (isOver || isWaiting || isFuture) && one!.state;
      }),
    );
  return states;
};

/** Which store is restored, from a backup that was made while the gateway worked. */
type Restored = 'PostgreSQL' | 'KurrentDB beside a newer PostgreSQL' | 'KurrentDB and PostgreSQL';

const playRound = async (harness: E2eHarness, restored: Restored, random: Random): Promise<void> => {
  const server = restored === 'PostgreSQL' ? null : await harness.startEventStore();
  const { telegram, database, settings } = await setUp(
    harness,
    server ? { EVENT_STORE_URL: server.connectionString } : {},
  );
  let gateway = await harness.startGateway(settings);
  let manage = createManagementClient(gateway);
  const { endpoints, channels } = await manage.seed(3, [[0], [1]]);
  const reviewed = await manage.seed(1, [[0]], { requires_approval: true });
  const work: Work = { random, endpoints: [...endpoints, ...reviewed.endpoints], ids: [] };
  await manage.post(`/channels/${channels[1]!.id}/pause`, { minutes: 60 });
  await acceptPosts(gateway, work, POSTS);
  await actOnPosts(gateway, work, ACTIONS / 4);

  const known = work.ids.length;
  const storeBackup = await server?.backUp();
  const backup =
    restored === 'KurrentDB beside a newer PostgreSQL' ? null : await backUpDatabase(database.DATABASE_URL);
  if (backup) harness.addCleanup(() => backup.drop());
  await until('the gateway answers', () => readRecovery(manage));
  await actOnPosts(gateway, work, ACTIONS);
  await manage.post(`/channels/${channels[1]!.id}/resume`);
  await acceptPosts(gateway, work, POSTS / 4);
  await sleep(SOON_MS);
  const before = await waitUntilCalm(gateway, work.ids);
  const wall = await readWall(telegram);
  expect(twice(wall)).toEqual([]);
  await sleep(1_100); // the newest event is noted once a second
  await gateway.program.killAll();
  await backup?.restore();
  if (server) await server.restore(storeBackup!);

  gateway = await startWithKills(harness, settings);
  manage = createManagementClient(gateway);
  await waitUntilMarked(gateway);
  expect(await readWall(telegram)).toEqual(wall);
  const recovery = await readRecovery(manage);
  const ids = work.ids.slice(0, known);
  const held = new Map<string, State>();
  for (const id of ids) {
    const post = await manage.findPost(id);
    const { state, waiting_for } = post.publications[0]!;
    if (state === 'in_doubt' || waiting_for?.rule === 'restored') held.set(id, state);
  }
  expect(held.size).toBe(recovery.planned + recovery.in_doubt);
  const planned = random.below(2) === 0 ? 'keep' : 'cancel';
  const in_doubt = random.below(2) === 0 ? 'resend' : 'dismiss';
  if (held.size > 0) {
    const { planned: planCount, in_doubt: doubtCount } = recovery;
    expect(await settle(gateway, { planned, in_doubt })).toEqual({ planned: planCount, in_doubt: doubtCount });
  }
  expect(await readRecovery(manage)).toMatchObject({ state: 'none', planned: 0, in_doubt: 0 });

  // What is sent again is exactly what a person asked for; nothing else is sent.
  const after = await waitUntilCalm(gateway, ids);
  for (const [id, state] of held)
    expect({ id, state: after.get(id), was: state }).toEqual({
      id,
      was: state,
      state:
        state === 'in_doubt'
          ? in_doubt === 'resend'
            ? 'published'
            : 'dismissed'
          : planned === 'cancel'
            ? 'dismissed'
            : expect.stringMatching(/^(planned|published)$/),
    });
  const allowed = new Set(
    [...held]
      .filter(([, state]) => (state === 'in_doubt' ? in_doubt === 'resend' : planned === 'keep'))
      .map(([id]) => `#${work.ids.indexOf(id)}#`),
  );
  const finalWall = await readWall(telegram);
  expect(twice(finalWall).filter((text) => !allowed.has(text))).toEqual([]);
  const cancelled = [...before].filter(([, state]) => state === 'dismissed').map(([id]) => `#${work.ids.indexOf(id)}#`);
  expect(finalWall.filter((text) => cancelled.includes(text) && !allowed.has(text))).toEqual([]);
  expect(await stateOf(manage, ids[0]!)).not.toBeNull();
};

describe('an hour of mixed work, a backup, more work, and a restore that is killed at random moments', () => {
  for (const restored of ['PostgreSQL', 'KurrentDB beside a newer PostgreSQL', 'KurrentDB and PostgreSQL'] as const)
    for (let round = 0; round < ROUNDS; round++) {
      const random = new Random(process.env.SEED === undefined ? undefined : Number(process.env.SEED) + round);
      concurrentE2eTest(
        `${restored}: nothing twice, nothing cancelled, and one action settles the rest (seed ${random.seed})`,
        (harness) => playRound(harness, restored, random),
        LONG ? 1_800_000 : 600_000,
      );
    }
});
