import { type PauseScope, PauseTargets, ResumeTargets } from '../../src/commands/pause.js';
import { PlannedPosts } from '../../src/commands/post/planned-posts.js';
import { CancelPublications, DismissPublication, ResendPublication } from '../../src/commands/publication.js';
import { catalogue } from '../../src/domain/catalogue.js';
import { channel, type ChannelCommand } from '../../src/domain/channel/channel.decider.js';
import { endpoint, type EndpointCommand } from '../../src/domain/endpoint/endpoint.decider.js';
import { owner, type OwnerCommand } from '../../src/domain/owner/owner.decider.js';
import { project, type ProjectCommand } from '../../src/domain/project/project.decider.js';
import { webhookOutput, type WebhookOutputCommand } from '../../src/domain/webhook-output/webhook-output.decider.js';
import { AggregateStore } from '../../src/event-store/aggregate-store.js';
import { type CommandContext, EventCodec } from '../../src/event-store/codec.js';
import { type Decider, type DomainEvent, ownerActor } from '../../src/kernel/events.js';
import { isRejection } from '../../src/kernel/result.js';
import { type PostPlaces, PostStories } from '../../src/projections/posts/post-details.queries.js';
import { MemoryEventStore, MemoryLog } from '../support/memory-event-store.js';

const VICTIM = 'own_victim';
const OTHER = 'own_other';
const SETTINGS = {
  name: 'News',
  projectIds: [],
  minInterval: 0,
  requireSignature: false,
  requireTimestamp: false,
  ipAllowlist: [],
  verboseDiscovery: false,
  requiresApproval: false,
};
const ADDRESS = { chat_id: '-100' };

let log: MemoryLog;
let aggregates: AggregateStore;
let commandCount = 0;
const actingAs = (actor: string): CommandContext => ({
  actor,
  requestId: 'req_1',
  causationId: 'req_1',
  correlationId: 'req_1',
  clientAddress: null,
  commandId: `command-${++commandCount}`,
  at: 1_000,
});

const createChannel: ChannelCommand = {
  type: 'ConnectChannel',
  channelId: 'tgt_1',
  ownerId: VICTIM,
  platform: 'telegram',
  name: 'News',
  address: ADDRESS,
  credentialsId: 'sec_1',
  settings: {},
};
const createProject: ProjectCommand = {
  type: 'CreateProject',
  projectId: 'prj_1',
  ownerId: VICTIM,
  name: 'News',
  channelIds: [],
  processing: {},
};
const createEndpoint: EndpointCommand = {
  type: 'CreateEndpoint',
  endpointId: 'ep_1',
  ownerId: VICTIM,
  slug: 's',
  mode: 'live',
  tokenHash: 'aa',
  signingSecretId: 'sec_2',
  settings: SETTINGS,
};
const createOutput: WebhookOutputCommand = {
  type: 'CreateOutput',
  outputId: 'whk_1',
  ownerId: VICTIM,
  projectId: 'prj_1',
  url: 'https://shop.example/',
  kinds: ['test.ping'],
  signingSecretId: 'sec_3',
};
const registerOwner: OwnerCommand = {
  type: 'RegisterOwner',
  ownerId: VICTIM,
  name: 'Acme',
  plan: 'pro',
  keyHash: 'aa',
};

beforeEach(async () => {
  log = new MemoryLog();
  aggregates = new AggregateStore(new MemoryEventStore({ log }), new EventCodec(catalogue));
  await aggregates.execute(owner, VICTIM, registerOwner, actingAs('operator'));
  await aggregates.execute(channel, 'tgt_1', createChannel, actingAs(ownerActor(VICTIM)));
  await aggregates.execute(project, 'prj_1', createProject, actingAs(ownerActor(VICTIM)));
  await aggregates.execute(endpoint, 'ep_1', createEndpoint, actingAs(ownerActor(VICTIM)));
  await aggregates.execute(webhookOutput, 'whk_1', createOutput, actingAs(ownerActor(VICTIM)));
});

type AnyDecider = Decider<unknown, unknown, DomainEvent, string>;

const CHANGES: readonly (readonly [AnyDecider, string, { readonly type: string }])[] = [
  [channel, 'tgt_1', { type: 'ChangeChannel', channelId: 'tgt_1', name: 'Mine' }],
  [channel, 'tgt_1', { type: 'MoveChannel', channelId: 'tgt_1', address: { chat_id: '-200' } }],
  [project, 'prj_1', { type: 'ChangeProject', projectId: 'prj_1', name: 'Mine' }],
  [endpoint, 'ep_1', { type: 'ChangeEndpoint', endpointId: 'ep_1', settings: { name: 'Mine' } }],
  [endpoint, 'ep_1', { type: 'RotateToken', endpointId: 'ep_1', tokenHash: 'bb' }],
  [endpoint, 'ep_1', { type: 'RotateSlug', endpointId: 'ep_1', slug: 't', at: 1_000 }],
  [
    endpoint,
    'ep_1',
    { type: 'RotateSigningSecret', endpointId: 'ep_1', signingSecretId: 'sec_9', previousUntil: 0 } as { type: string },
  ],
  [endpoint, 'ep_1', { type: 'DisableEndpoint', endpointId: 'ep_1', by: 'owner', reason: 'x' } as { type: string }],
  [webhookOutput, 'whk_1', { type: 'ChangeOutput', outputId: 'whk_1', url: 'https://mine.example/' }],
  [webhookOutput, 'whk_1', { type: 'RotateOutputSecret', outputId: 'whk_1', signingSecretId: 's', previousUntil: 0 }],
  [webhookOutput, 'whk_1', { type: 'DisableOutput', outputId: 'whk_1', by: 'owner', reason: 'x' }],
  [webhookOutput, 'whk_1', { type: 'DeleteOutput', outputId: 'whk_1' }],
  [owner, VICTIM, { type: 'ChangeOwner', ownerId: VICTIM, name: 'Mine' } as { type: string }],
  [owner, VICTIM, { type: 'RotateOwnerKey', ownerId: VICTIM, keyHash: 'bb' } as { type: string }],
  [owner, VICTIM, { type: 'SetNoticeChat', ownerId: VICTIM, chatId: '-1', secretId: 's' } as { type: string }],
  [owner, VICTIM, { type: 'AddPostPack', ownerId: VICTIM, posts: 5 } as { type: string }],
  [owner, VICTIM, { type: 'DeleteOwner', ownerId: VICTIM } as { type: string }],
  [channel, 'tgt_1', { type: 'DeleteChannel', channelId: 'tgt_1' } as { type: string }],
  [project, 'prj_1', { type: 'DeleteProject', projectId: 'prj_1' } as { type: string }],
  [endpoint, 'ep_1', { type: 'DeleteEndpoint', endpointId: 'ep_1' } as { type: string }],
] as never;

describe('an owner’s command on another owner’s aggregate', () => {
  it.each(CHANGES.map((change) => [change[2].type, ...change] as const))(
    'is rejected and changes nothing: %s',
    async (_, decider, id, command) => {
      const before = log.events.length;
      const foreign = await aggregates.execute(decider, id, command, actingAs(ownerActor(OTHER)));
      expect(foreign).toMatchObject({ rejection: 'not_found' });
      expect(log.events).toHaveLength(before);
      const own = await aggregates.execute(decider, id, command, actingAs(ownerActor(VICTIM)));
      expect(isRejection(own)).toBe(false);
      expect(log.events).toHaveLength(before + 1);
    },
  );

  it('is rejected if the caller holds an outdated copy of the aggregate', async () => {
    const known = { state: null, revision: -1n, position: -1n, hash: '' };
    const [, decider, id, command] = ['', ...CHANGES[0]!] as const;
    const before = log.events.length;
    const foreign = await aggregates.execute(decider, id, command, actingAs(ownerActor(OTHER)), known);
    expect(foreign).toMatchObject({ rejection: 'not_found' });
    expect(log.events).toHaveLength(before);
  });

  const creations = [
    ['channel', channel, 'tgt_2', { ...createChannel, channelId: 'tgt_2' }],
    ['project', project, 'prj_2', { ...createProject, projectId: 'prj_2' }],
    ['endpoint', endpoint, 'ep_2', { ...createEndpoint, endpointId: 'ep_2' }],
    ['webhook output', webhookOutput, 'whk_2', { ...createOutput, outputId: 'whk_2' }],
    ['owner', owner, 'own_2', { ...registerOwner, ownerId: 'own_2' }],
  ] as unknown as readonly (readonly [string, AnyDecider, string, unknown])[];
  it.each(creations)('is rejected if it creates a resource for another owner: %s', async (_, decider, id, command) => {
    const before = log.events.length;
    const context = actingAs(ownerActor(OTHER));
    const foreign = await aggregates.execute(decider, id, command, context);
    expect(foreign).toMatchObject({ rejection: 'not_found' });
    expect(log.events).toHaveLength(before);
  });

  // The calls are rejected before it asks the database.
  const noPlaces = { find: () => Promise.resolve(null) } as unknown as PostPlaces;
  const createStories = () => new PostStories(noPlaces, aggregates.store, aggregates.codec);
  const ids = { publicationId: 'pub_1', postId: 'post_1', channelId: 'tgt_1' };
  const pause = (scope: PauseScope) => (context: CommandContext) =>
    new PauseTargets(aggregates, 60_000).execute(context, scope, { source: 'management' });
  const resume = (scope: Parameters<ResumeTargets['execute']>[1]) => (context: CommandContext) =>
    new ResumeTargets(aggregates).execute(context, scope);

  it.each([
    ['the pause of a project', pause({ projects: { ids: ['prj_1'], minutes: 5 } })],
    ['the pause of a channel', pause({ channels: { ids: ['tgt_1'], minutes: 5 } })],
    ['the pause of a channel that does not exist', pause({ channels: { ids: ['tgt_none'], minutes: 5 } })],
    ['the end of a project’s pause', resume({ projectIds: ['prj_1'] })],
    ['the end of a channel’s pause', resume({ channelIds: ['tgt_1'] })],
    [
      'the repetition of a publication',
      (context: CommandContext) =>
        new ResendPublication(aggregates, createStories(), {
          isErased: async () => false,
        } as unknown as PostPlaces).execute(context, ids),
    ],
    [
      'the dismissal of a publication',
      (context: CommandContext) => new DismissPublication(aggregates, createStories()).execute(context, ids),
    ],
    [
      'the cancellation of publications',
      (context: CommandContext) =>
        new CancelPublications(aggregates, createStories(), noPlaces, new PlannedPosts(aggregates)).execute(context, [
          ids,
        ]),
    ],
  ])('is rejected before its own stream is read: %s', async (_, execute) => {
    const scopes = { projects: { ids: ['prj_1'], minutes: 9 }, channels: { ids: ['tgt_1'], minutes: 9 } };
    await pause(scopes)(actingAs('operator'));
    const before = log.events.length;
    expect(await execute(actingAs(ownerActor(OTHER)))).toMatchObject({ rejection: 'not_found' });
    expect(log.events).toHaveLength(before);
  });

  it.each([
    ['its owner', actingAs(ownerActor(VICTIM))],
    ['the operator', actingAs('operator')],
  ])('is one that %s may execute', async (_, context) => {
    for (const execute of [
      pause({ projects: { ids: ['prj_1'], minutes: 5 }, channels: { ids: ['tgt_1'], minutes: 5 } }),
      resume({ projectIds: ['prj_1'], channelIds: ['tgt_1'] }),
    ]) {
      const before = log.events.length;
      const each = { ...context, commandId: `command-${++commandCount}` };
      expect(isRejection(await execute(each))).toBe(false);
      expect(log.events).toHaveLength(before + 2);
    }
  });
});
