import { channel as channelDecider } from '../../../src/domain/channel/channel.decider.js';
import type { Platform } from '../../../src/domain/channel/channel.events.js';
import { post } from '../../../src/domain/post/post.decider.js';
import type { Position } from '../../../src/event-store/port.js';
import { newId, newUuid } from '../../../src/kernel/ids.js';
import { ChannelClaims } from '../../../src/sagas/publish-due-posts/claiming/channel-claims.js';
import { Schedule } from '../../projections/publish-schedule/timeline.js';

const NOW = 1_800_000_000_000;

let schedule: Schedule;
let claims: ChannelClaims;
beforeAll(async () => {
  schedule = await Schedule.start();
  claims = new ChannelClaims(schedule.on.pool, schedule.on.leases);
});
afterAll(() => schedule.stop());

/** A channel with a post that is due. */
const dueChannel = async (platform: Platform): Promise<string> => {
  const { streams, progress } = schedule.on;
  const [ownerId, channelId, postId, publicationId] = [newId('own'), newId('tgt'), newId('post'), newId('pub')];
  const execution = () => ({
    ...{ actor: 'test', requestId: '', causationId: '', correlationId: '' },
    ...{ commandId: newUuid(), at: NOW },
  });
  const connect = { type: 'ConnectChannel', channelId, ownerId, platform, name: 'News', address: {} } as const;
  await streams.run(channelDecider, channelId, { ...connect, credentialsId: 's', settings: {} }, execution());
  const request = { ip: '127.0.0.1', userAgent: null, route: '', payloadBytes: 0, latencyMs: 0 };
  const data = {
    ...{ postId, acceptedAt: NOW, endpointId: 'ep_1', ownerId, key: null, externalId: null, traceId: null },
    ...{ bodyHash: '', parts: null, request, payload: { text: 'post' } },
    targets: [{ publicationId, channelId, platform, projectId: 'prj_1' }],
  };
  const accepted = await streams.run(post, postId, { type: 'AcceptPost', data }, execution());
  const { position } = (accepted as { after: { position: Position } }).after;
  await progress.waitFor(['publish-schedule'], position);
  return channelId;
};

it('channels are taken for as much room as there is on each network: one that is full keeps none from another', async () => {
  const telegram = [await dueChannel('telegram'), await dueChannel('telegram'), await dueChannel('telegram')];
  const max = await dueChannel('max');
  const worker = schedule.on.leases.workerId!;
  const rooms = [
    { platform: 'telegram', size: 2 },
    { platform: 'max', size: 5 },
  ];
  const taken = await claims.claimDue(worker, NOW, rooms, []);
  expect(taken.filter(({ platform }) => platform === 'telegram')).toHaveLength(2);
  expect(taken).toContainEqual(expect.objectContaining({ channelId: max, platform: 'max' }));

  const held = taken.map(({ channelId }) => channelId);
  expect(await claims.claimDue(worker, NOW, [{ platform: 'max', size: 5 }], held)).toEqual([]);
  const [left] = telegram.filter((id) => !held.includes(id));
  expect(await claims.claimDue(worker, NOW, rooms, [...held, left!])).toEqual([]);
  expect(await claims.claimDue(worker, NOW, rooms, held)).toMatchObject([{ channelId: left, platform: 'telegram' }]);
});

it('a channel that stayed with a worker unknown to it, or not given back, is taken again by that worker alone', async () => {
  const channelId = await dueChannel('ok');
  const rooms = [{ platform: 'ok', size: 5 }];
  const { pool, leases } = schedule.on;
  const presence = await pool.connect(); // another worker's, alive
  await presence.query('select pg_advisory_lock(7001, 1)');
  await presence.query(
    `insert into ops_worker (worker_id, lock_key, until) values ('other', 1, now() + interval '1 day')`,
  );
  const hold = 'insert into ops_lease (name, worker_id) values ($1, $2)';
  await pool.query(hold, [`channel/${channelId}`, leases.workerId]);
  expect(await claims.claimDue('other', NOW, rooms, [])).toEqual([]);

  const [stranded] = await claims.claimDue(leases.workerId!, NOW, rooms, []);
  expect(stranded).toMatchObject({ channelId });
  const [again] = await claims.claimDue(leases.workerId!, NOW, rooms, []); // as after an answer that was lost
  await claims.release(stranded!); // comes late: what is held now is another term
  expect(await claims.claimDue('other', NOW, rooms, [])).toEqual([]);
  await claims.release(again!);
  expect(await claims.claimDue('other', NOW, rooms, [])).toMatchObject([{ channelId }]);
  presence.release(true);
});
