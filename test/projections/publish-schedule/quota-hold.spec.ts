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

/** Creates an owner with a channel and a post that is queued for it. */
const setUp = async () => {
  const { aggregates, progress } = schedule.infrastructure;
  const [ownerId, channelId, postId, publicationId] = [newId('own'), newId('tgt'), newId('post'), newId('pub')];
  const waitForSchedule = async (decided: Promise<unknown>): Promise<void> => {
    const { position } = ((await decided) as { aggregate: { position: Position } }).aggregate;
    await progress.waitFor(['publish-schedule'], position, 120_000);
  };
  const commandContext = () => ({
    actor: 'test',
    requestId: '',
    causationId: '',
    correlationId: '',
    clientAddress: null,
    commandId: newUuid(),
    at: NOW,
  });
  const owner = (command: OwnerCommand) =>
    waitForSchedule(aggregates.execute(ownerDecider, ownerId, command, commandContext()));
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
  await waitForSchedule(
    aggregates.execute(channelDecider, channelId, { type: 'ConnectChannel', ...connect } as never, commandContext()),
  );
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
    targets: [{ publicationId, channelId, platform: 'telegram' as const, projectId: 'prj_1' }],
  };
  await waitForSchedule(aggregates.execute(post, postId, { type: 'AcceptPost', data }, commandContext()));
  return {
    addPack: () => owner({ type: 'AddPostPack', ownerId, posts: 1 }),
    hold: (ownerRevision: number) => {
      const command = {
        type: 'HoldPublication',
        publicationId,
        postId,
        channelId,
        at: NOW,
        until: NEXT_MONTH,
      } as const;
      return waitForSchedule(
        aggregates.execute(publication, publicationId, { ...command, ownerId, ownerRevision }, commandContext()),
      );
    },
    due: async () => (await schedule.queries.readQueue(channelId, NOW))!.due,
    nextDue: async () => {
      const text = 'select next_due from publish_schedule.channel where channel_id = $1';
      return Number(
        (await schedule.infrastructure.pool.query<{ next_due: bigint }>(text, [channelId])).rows[0]!.next_due,
      );
    },
  };
};

describe('a publication that waits for the monthly quota (D-46)', () => {
  it('is due when the next month begins', async () => {
    const { hold, due, nextDue } = await setUp();
    await hold(0);
    expect([await due(), await nextDue()]).toEqual([NEXT_MONTH, NEXT_MONTH]);
  });

  it('is due immediately once its owner has bought a pack', async () => {
    const { hold, addPack, due, nextDue } = await setUp();
    await hold(0);
    await addPack();
    expect([await due(), await nextDue()]).toEqual([0, 0]);
  });

  it('is due immediately if the pack was bought between the quota check and the hold', async () => {
    const { hold, addPack, due, nextDue } = await setUp();
    await addPack();
    await hold(0); // the quota check had seen only the owner's first event
    expect([await due(), await nextDue()]).toEqual([0, 0]);
    await hold(1);
    expect([await due(), await nextDue()]).toEqual([NEXT_MONTH, NEXT_MONTH]);
  });
});
