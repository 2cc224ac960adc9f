import { channel as channelDecider } from '../../src/domain/channel/channel.decider.js';
import type { Platform } from '../../src/domain/channel/channel.events.js';
import { post } from '../../src/domain/post/post.decider.js';
import type { Position } from '../../src/event-store/port.js';
import { newId, newUuid } from '../../src/kernel/ids.js';
import { ChannelClaims } from '../../src/sagas/publish-due-posts/channel-claims.js';
import { Schedule } from '../projections/timeline.js';

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
  expect(taken).toContainEqual({ channelId: max, platform: 'max' });

  expect(await claims.claimDue(worker, NOW, [{ platform: 'max', size: 5 }], [])).toEqual([]);
  const held = taken.map(({ channelId }) => channelId);
  const [left] = telegram.filter((id) => !held.includes(id));
  expect(await claims.claimDue(worker, NOW, rooms, [left!])).toEqual([]);
  expect(await claims.claimDue(worker, NOW, rooms, [])).toEqual([{ channelId: left, platform: 'telegram' }]);
});
