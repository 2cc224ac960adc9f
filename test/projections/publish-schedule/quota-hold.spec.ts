import { channel as channelDecider } from '../../../src/domain/channel/channel.decider.js';
import { owner as ownerDecider, type OwnerCommand } from '../../../src/domain/owner/owner.decider.js';
import { post } from '../../../src/domain/post/post.decider.js';
import { publication } from '../../../src/domain/publication/publication.decider.js';
import type { Position } from '../../../src/event-store/port.js';
import { newId, newUuid } from '../../../src/kernel/ids.js';
import { Schedule } from './timeline.js';

const NOW = 1_800_000_000_000;
const NEXT_MONTH = NOW + 1_000_000_000;

let schedule: Schedule;
beforeAll(async () => (schedule = await Schedule.start()));
afterAll(() => schedule.stop());

/** An owner with a channel, and a post on its way there. */
const setUp = async () => {
  const { streams, progress } = schedule.on;
  const [ownerId, channelId, postId, publicationId] = [newId('own'), newId('tgt'), newId('post'), newId('pub')];
  const done = async (decided: Promise<unknown>): Promise<void> => {
    const { position } = ((await decided) as { after: { position: Position } }).after;
    await progress.waitFor(['publish-schedule'], position);
  };
  const execution = () => ({
    ...{ actor: 'test', requestId: '', causationId: '', correlationId: '' },
    ...{ commandId: newUuid(), at: NOW },
  });
  const owner = (command: OwnerCommand) => done(streams.run(ownerDecider, ownerId, command, execution()));
  await owner({ type: 'RegisterOwner', ownerId, name: 'Ada', plan: 'mini', keyHash: 'a1' });
  const connect = {
    channelId,
    ownerId,
    platform: 'telegram',
    name: 'News',
    address: {},
    credentialsId: 's',
    settings: {},
  };
  await done(streams.run(channelDecider, channelId, { type: 'ConnectChannel', ...connect } as never, execution()));
  const request = { ip: '127.0.0.1', userAgent: null, route: '', payloadBytes: 0, latencyMs: 0 };
  const data = {
    ...{
      postId,
      acceptedAt: NOW,
      endpointId: 'ep_1',
      ownerId,
      key: null,
      externalId: null,
      traceId: null,
      bodyHash: '',
    },
    ...{ parts: null, request, payload: { text: 'post' } },
    targets: [{ publicationId, channelId, platform: 'telegram' as const, projectId: 'prj_1' }],
  };
  await done(streams.run(post, postId, { type: 'AcceptPost', data }, execution()));
  return {
    addPack: () => owner({ type: 'AddPostPack', ownerId, posts: 1 }),
    hold: (ownerRevision: number) => {
      const command = { type: 'Hold', publicationId, postId, channelId, at: NOW, until: NEXT_MONTH } as const;
      return done(streams.run(publication, publicationId, { ...command, ownerId, ownerRevision }, execution()));
    },
    due: async () => (await schedule.queries.upNext(channelId, NOW))!.due,
    nextDue: async () => {
      const text = 'select next_due from publish_schedule.channel where channel_id = $1';
      return Number((await schedule.on.pool.query<{ next_due: bigint }>(text, [channelId])).rows[0]!.next_due);
    },
  };
};

describe('a publication that waits for a post of the month (D-46)', () => {
  it('is due when the month turns', async () => {
    const { hold, due, nextDue } = await setUp();
    await hold(0);
    expect([await due(), await nextDue()]).toEqual([NEXT_MONTH, NEXT_MONTH]);
  });

  it('is due at once when its owner has got a pack', async () => {
    const { hold, addPack, due, nextDue } = await setUp();
    await hold(0);
    await addPack();
    expect([await due(), await nextDue()]).toEqual([0, 0]);
  });

  it('is due at once where the pack came between the judgement and the hold', async () => {
    const { hold, addPack, due, nextDue } = await setUp();
    await addPack();
    await hold(0); // judged by the owner's first event
    expect([await due(), await nextDue()]).toEqual([0, 0]);
    await hold(1);
    expect([await due(), await nextDue()]).toEqual([NEXT_MONTH, NEXT_MONTH]);
  });
});
