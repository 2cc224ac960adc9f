import { channel as channelDecider } from '../../../src/domain/channel/channel.decider.js';
import type { Platform } from '../../../src/domain/channel/channel.events.js';
import { post } from '../../../src/domain/post/post.decider.js';
import type { Position } from '../../../src/event-store/port.js';
import { newId, newUuid } from '../../../src/kernel/ids.js';
import { DueClaims } from '../../../src/sagas/engine/due-work.js';
import { DUE_CHANNELS } from '../../../src/sagas/publish-due-posts/publish-due-posts.js';
import { Schedule } from '../../projections/publish-schedule/timeline.js';

const NOW = 1_800_000_000_000;

let schedule: Schedule;
let claims: DueClaims;
beforeAll(async () => {
  schedule = await Schedule.start();
  claims = new DueClaims(schedule.infrastructure.pool, schedule.infrastructure.leases, DUE_CHANNELS);
});
afterAll(() => schedule.stop());

/** Creates a channel with a post that is due. */
const createDueChannel = async (platform: Platform, ownerId: string = newId('own')): Promise<string> => {
  const { aggregates, progress } = schedule.infrastructure;
  const [channelId, postId, publicationId] = [newId('tgt'), newId('post'), newId('pub')];
  const execution = () => ({
    actor: 'test',
    requestId: '',
    causationId: '',
    correlationId: '',
    clientAddress: null,
    commandId: newUuid(),
    at: NOW,
  });
  const connect = { type: 'ConnectChannel', channelId, ownerId, platform, name: 'News', address: {} } as const;
  await aggregates.execute(channelDecider, channelId, { ...connect, credentialsId: 's', settings: {} }, execution());
  const request = { ip: '127.0.0.1', userAgent: null, route: '', payloadBytes: 0, latencyMs: 0 };
  const data = {
    postId,
    acceptedAt: NOW,
    endpointId: 'ep_1',
    ownerId,
    key: null,
    externalId: null,
    traceId: null,
    bodyHash: '',
    parts: null,
    request,
    payload: { text: 'post' },
    targets: [{ publicationId, channelId, platform, projectId: 'prj_1' }],
  };
  const accepted = await aggregates.execute(post, postId, { type: 'AcceptPost', data }, execution());
  const { position } = (accepted as { aggregate: { position: Position } }).aggregate;
  await progress.waitFor(['publish-schedule'], position, 120_000);
  return channelId;
};

const capacityOf = (group: string, size: number, held: Readonly<Record<string, number>> = {}, full: string[] = []) => ({
  group,
  size,
  full,
  held: new Map(Object.entries(held)),
});

const claim = async (...args: Parameters<DueClaims['claim']>) => (await claims.claim(...args)).claimed;

it('claims due channels up to the free capacity of each network, and a full network takes none from another', async () => {
  const telegram = [
    await createDueChannel('telegram'),
    await createDueChannel('telegram'),
    await createDueChannel('telegram'),
  ];
  const max = await createDueChannel('max');
  const worker = schedule.infrastructure.leases.workerId!;
  const capacity = [capacityOf('telegram', 2), capacityOf('max', 5)];
  const claimed = await claim(worker, NOW, capacity, []);
  expect(claimed.filter(({ group }) => group === 'telegram')).toHaveLength(2);
  expect(claimed).toContainEqual(expect.objectContaining({ key: max, group: 'max' }));

  const held = claimed.map(({ key }) => key);
  expect(await claim(worker, NOW, [capacityOf('max', 5)], held)).toEqual([]);
  const [left] = telegram.filter((id) => !held.includes(id));
  expect(await claim(worker, NOW, capacity, [...held, left!])).toEqual([]);
  expect(await claim(worker, NOW, capacity, held)).toMatchObject([{ key: left, group: 'telegram' }]);
});

it('lets only the registered worker claim a channel again that it failed to release', async () => {
  const channelId = await createDueChannel('ok');
  const capacity = [capacityOf('ok', 5)];
  const { pool, leases } = schedule.infrastructure;
  const presence = await pool.connect(); // of another worker that is alive
  await presence.query('select pg_advisory_lock(7001, 1)');
  await presence.query(
    `insert into ops_worker (worker_id, lock_key, until) values ('other', 1, now() + interval '1 day')`,
  );
  const hold = 'insert into ops_lease (name, worker_id) values ($1, $2)';
  await pool.query(hold, [`channel/${channelId}`, leases.workerId]);
  expect(await claim('other', NOW, capacity, [])).toEqual([]);

  const [stranded] = await claim(leases.workerId!, NOW, capacity, []);
  expect(stranded).toMatchObject({ key: channelId });
  const [again] = await claim(leases.workerId!, NOW, capacity, []); // as after a lost answer
  await claims.release(stranded!); // a late release: the lease is now in another term
  expect(await claim('other', NOW, capacity, [])).toEqual([]);
  await claims.release(again!);
  expect(await claim('other', NOW, capacity, [])).toMatchObject([{ key: channelId }]);
  presence.release(true);
});

it('claims of each owner only its share, so that one with many due channels leaves room for the others', async () => {
  const busy = newId('own');
  const others = [newId('own'), newId('own')].sort();
  for (let i = 0; i < 9; i++) await createDueChannel('vk', busy);
  for (const owner of others) await createDueChannel('vk', owner);
  const worker = schedule.infrastructure.leases.workerId!;
  const owners = async (...args: Parameters<typeof capacityOf>) =>
    (await claim(worker, NOW, [capacityOf(...args)], [])).map(({ owner }) => owner).sort();
  const countOfBusy = (found: readonly string[]): number => found.filter((owner) => owner === busy).length;
  // With nine due channels, it gets at most half of the free slots, and is left out of the next claim.
  expect(countOfBusy(await owners('vk', 8))).toBeLessThanOrEqual(4);
  expect(await owners('vk', 4, { [busy]: 4 }, [busy])).toEqual(others);
  // A claim that finds every owner's channels gives each owner one slot before any owner gets a second.
  const few = await owners('vk', 11, { [busy]: 4 });
  expect(few).toEqual(expect.arrayContaining(others));
  expect(countOfBusy(few)).toBeLessThanOrEqual(3);
  expect(countOfBusy(await owners('vk', 30))).toBe(9);
});
