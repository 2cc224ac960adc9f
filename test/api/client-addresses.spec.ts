import { publication as decider, type PublicationCommand } from '../../src/domain/publication/publication.decider.js';
import { RESTORED } from '../../src/domain/publication/publication.events.js';
import type { RecordedEvent } from '../../src/kernel/events.js';
import { newUuid } from '../../src/kernel/ids.js';
import { until } from '../e2e/until.js';
import { png } from '../media/make-images.js';
import { listChangingRoutes } from './management/changing-routes.js';
import { type Answer, OPERATOR_KEY, type TestChannel, type TestEndpoint, TestGateway } from './public/gateway.js';

/** Address from which the tests connect: the proxy's, where it is trusted. */
const OWN = '127.0.0.1';

/** Routes that only ask, without changing anything. */
const WITHOUT_EVENTS: ReadonlySet<string> = new Set([
  'POST /channels/:id/test',
  'POST /posts/:id/statistics',
  'POST /projections/:name/retry',
  'POST /projects/:id/preview',
  'POST /endpoints/:id/sandbox',
  'POST /history/archive',
  'POST /history/verify',
  'POST /owners/:id/erase-content',
  'POST /secrets/reseal',
  'POST /projections/:name/verify',
  'POST /projections/:name/rebuild',
]);

/**
 * The events of an import keep the addresses that they came with; uploads, which take no JSON, have a test of their own;
 * drafts and sign-ins are not in the log.
 */
const NOT_CALLED = /^POST \/(history\/import|media)$|^\w+ \/(drafts|sessions)\b/;

/** Everything that the calls below act on. */
interface Setup {
  readonly owner: string;
  readonly channel: TestChannel;
  /** A channel that needs attention. */
  readonly refused: TestChannel;
  readonly project: string;
  readonly endpoint: TestEndpoint;
  /** Publications that have failed. */
  readonly publications: readonly [string, string];
  /** A publication that was published twice. */
  readonly twice: string;
  /** Posts whose publications are queued. */
  readonly queued: readonly [QueuedPost, QueuedPost, QueuedPost, QueuedPost];
  /** A post that is planned for a later time. */
  readonly planned: string;
  /** The endpoint that accepted it. */
  readonly planning: string;
  /** Posts that wait for approval. */
  readonly pending: readonly [string, string];
  /** A webhook output, and a delivery to it that has failed. */
  readonly output: string;
  readonly delivery: string;
  /** An uploaded file. */
  readonly media: string;
  readonly key: string;
  /** An owner and its resources, which are deleted. */
  readonly deleted: Pick<Setup, 'owner' | 'channel' | 'project' | 'endpoint'>;
}

interface QueuedPost {
  readonly post: string;
  readonly publication: string;
}

/** A call that changes something: its route, the path and the body. */
type Call = readonly [route: string, path: string, body?: object];

const managementCalls = ({
  owner,
  channel,
  refused,
  project,
  endpoint,
  publications,
  twice,
  queued,
  planned,
  planning,
  pending,
  output,
  delivery,
  media,
  key,
  deleted,
}: Setup): readonly Call[] => {
  const credentials = { bot_token: `1000:${'t'.repeat(35)}`, chat_id: '-1009' };
  const on = (route: string, id: string, body?: object): Call => [route, route.split(' ')[1]!.replace(':id', id), body];
  return [
    ['POST /owners', '/owners', { name: 'Ada', plan: 'pro' }],
    on('PATCH /owners/:id', owner, { name: 'Ada L.' }),
    on('POST /owners/:id/post-packs', owner, { posts: 5 }),
    on('POST /owners/:id/rotate-key', owner),
    on('POST /owners/:id/erase-content', owner, { before: '2026-01-01T00:00:00Z' }),
    ['POST /channels', '/channels', { owner_id: owner, platform: 'telegram', name: 'More', credentials }],
    on('PATCH /channels/:id', channel.id, { name: 'News 2' }),
    on('POST /channels/:id/pause', channel.id, { minutes: 5 }),
    on('POST /channels/:id/resume', channel.id),
    on('POST /channels/:id/retry', refused.id),
    on('POST /channels/:id/test', channel.id),
    ['POST /projects', '/projects', { owner_id: owner, name: 'More', channel_ids: [channel.id] }],
    on('PATCH /projects/:id', project, { name: 'Project 2' }),
    on('POST /projects/:id/preview', project, { text: 'Hello' }),
    on('POST /projects/:id/pause', project, { minutes: 5 }),
    on('POST /projects/:id/resume', project),
    ['POST /endpoints', '/endpoints', { owner_id: owner, project_ids: [project], mode: 'live', min_interval: 60 }],
    ['POST /endpoints/console', '/endpoints/console', { owner_id: owner, project_ids: [project] }],
    on('PATCH /endpoints/:id', endpoint.id, { name: 'Endpoint 2' }),
    on('POST /endpoints/:id/disable', endpoint.id),
    on('POST /endpoints/:id/enable', endpoint.id),
    on('POST /endpoints/:id/posts', endpoint.id, { text: 'Hello' }),
    on('POST /endpoints/:id/sandbox', endpoint.id, { text: 'Hello' }),
    on('POST /endpoints/:id/rotate-token', endpoint.id),
    on('POST /endpoints/:id/rotate-slug', endpoint.id),
    on('POST /endpoints/:id/rotate-secret', endpoint.id, { overlap_minutes: 5 }),
    on('POST /publications/:id/resend', publications[0]),
    on('POST /publications/:id/dismiss', publications[1]),
    on('POST /publications/:id/dismiss-duplicate', twice),
    ['POST /recovery/confirm', '/recovery/confirm', { owner_id: owner, in_doubt: 'dismiss' }],
    on('POST /publications/:id/cancel', queued[0].publication),
    on('POST /posts/:id/cancel', queued[1].post),
    on('POST /publications/:id/withdraw', queued[2].publication),
    on('POST /posts/:id/withdraw', queued[3].post),
    on('POST /posts/:id/statistics', queued[3].post),
    on('POST /posts/:id/approve', pending[0], { revision: 1 }),
    on('POST /posts/:id/reject', pending[1], { reason: 'A typo.' }),
    on('PATCH /posts/:id', planned, { publish_at: inAnHour() }),
    on('PUT /posts/:id/payload', planned, { text: 'Hello', publish_at: inAnHour() }),
    on('PUT /posts/:id/content', planned, { text: 'Edited' }),
    on('POST /endpoints/:id/cancel-planned', planning),
    ['POST /webhook-outputs', '/webhook-outputs', { project_id: project, url: 'https://hooks.invalid/' }],
    on('PATCH /webhook-outputs/:id', output, { kinds: ['post.completed'] }),
    on('POST /webhook-outputs/:id/disable', output),
    on('POST /webhook-outputs/:id/enable', output),
    on('POST /webhook-outputs/:id/rotate-secret', output),
    on('POST /webhook-outputs/:id/test', output),
    on('POST /webhook-outputs/:id/retry-failed', output, { since: '2020-01-01T00:00:00Z' }),
    on('POST /deliveries/:id/retry', delivery),
    on('DELETE /webhook-outputs/:id', output),
    on('DELETE /media/:id', media),
    ['POST /keys', '/keys', { owner_id: owner, name: 'Ann', scopes: ['read'] }],
    on('PATCH /keys/:id', key, { name: 'Anna' }),
    on('POST /keys/:id/rotate', key),
    on('DELETE /keys/:id', key),
    ['POST /history/archive', '/history/archive', { before: '2020-01-01T00:00:00Z' }],
    ['POST /history/verify', '/history/verify'],
    ['POST /secrets/reseal', '/secrets/reseal'],
    ['POST /projections/:name/verify', '/projections/audit/verify'],
    ['POST /projections/:name/rebuild', '/projections/request-log/rebuild'],
    ['POST /projections/:name/promote', '/projections/posts/promote'],
    ['POST /projections/:name/rollback', '/projections/posts/rollback'],
    ['POST /projections/:name/discard', '/projections/webhook-deliveries/discard'],
    ['POST /projections/:name/retry', '/projections/stopped-once/retry'],
    ['POST /projections/:name/skip', '/projections/stopped-twice/skip', { reason: 'damaged' }],
    ['POST /sagas/:name/skip', '/sagas/stopped/skip', { reason: 'damaged' }],
    ['DELETE /channels/:id', `/channels/${deleted.channel.id}?cascade=true`],
    ['DELETE /projects/:id', `/projects/${deleted.project}?cascade=true`],
    on('DELETE /endpoints/:id', deleted.endpoint.id),
    on('DELETE /owners/:id', deleted.owner),
  ];
};

describe.each([
  ['behind a trusted proxy', { TRUSTED_PROXIES: OWN }, (forwarded: string) => forwarded],
  ['without one, whatever it claims', {}, () => OWN],
])('the address of a client %s', (_, env, seenAs) => {
  let gateway: TestGateway;
  let setup: Setup;
  let calls = 0;
  beforeAll(async () => {
    gateway = await TestGateway.start({ LIMITS_PROFILE: 'A', ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8', ...env });
    setup = await setUp(gateway);
  });
  afterAll(() => gateway.stop());

  /** Makes a call from a new address. Returns the answer and the events that the call itself caused. */
  const callFrom = async (call: (headers: Record<string, string>) => Promise<Answer>) => {
    const address = `203.0.113.${++calls}`;
    const answer = await call({ 'x-forwarded-for': address });
    const requestId = answer.headers.get('x-request-id');
    const all = await gateway.readAllEvents();
    const caused = all.filter((event) => event.causationId === requestId && event.type !== 'RequestsLogged');
    return { answer, caused, address: seenAs(address) };
  };

  const manageFrom = (method: string, path: string, body?: object) =>
    callFrom((headers) => gateway.callManagement(method, path, body, headers));

  it('is in the events of every changing route of the management API', async () => {
    const all = managementCalls(setup);
    const routes = listChangingRoutes().filter((route) => !NOT_CALLED.test(route));
    expect(all.map(([route]) => route).toSorted()).toEqual(routes.toSorted());
    for (const [route, path, body] of all) {
      const { answer, caused, address } = await manageFrom(route.split(' ')[0]!, path, body);
      expect({ route, ok: answer.status < 300 }).toEqual({ route, ok: true });
      // The address is erased with everything of the owner, which may have happened by now (D-100).
      const from = addressesOf(caused).filter((each) => each !== null || route !== 'DELETE /owners/:id');
      const isErased = route === 'DELETE /owners/:id' && from.length === 0;
      expect({ route, from }).toEqual({ route, from: WITHOUT_EVENTS.has(route) || isErased ? [] : [address] });
    }
  });

  it('is in the events of uploads', async () => {
    const { answer, caused, address } = await callFrom(async (headers) => {
      const { answer } = await upload(gateway, setup.owner, headers, 9);
      return { status: answer.status, headers: answer.headers, body: null };
    });
    expect([answer.status, addressesOf(caused)]).toEqual([201, [address]]);
  });

  it('is in the events of publishing and of pauses', async () => {
    const endpoint = await gateway.createEndpoint(setup.owner, [setup.project], { min_interval: 60 });
    for (const [route, body] of [
      ['', { text: 'from where' }],
      ['temp-pause', { project_minutes: 1, target_minutes: 1 }],
      ['temp-resume', {}],
    ] as const) {
      const { answer, caused, address } = await callFrom((headers) => endpoint.post(route, body, headers));
      expect({ route, status: answer.status }).toEqual({ route, status: 200 });
      expect({ route, from: addressesOf(caused) }).toEqual({ route, from: [address] });
    }
  });

  it('is in the event with which the gateway disables the endpoint of a client that violates the limits', async () => {
    const endpoint = await gateway.createEndpoint(setup.owner, [setup.project], { min_interval: 60 });
    // All at once, so that the interval cannot end between two of them on a busy machine.
    const posts = Array.from({ length: 6 }, (_, i) =>
      callFrom((headers) => endpoint.post('', { text: `${i}` }, headers)),
    );
    const disabled: { from: unknown; address: string }[] = [];
    for (const { caused, address } of await Promise.all(posts)) {
      const events = caused.filter(({ type }) => type === 'EndpointDisabled');
      if (events.length > 0) disabled.push({ from: addressesOf(events), address });
    }
    expect(disabled).toHaveLength(1);
    expect(disabled[0]!.from).toEqual([disabled[0]!.address]);
  });

  it('is in the event with which a change of plan disables endpoints, or in the cause of that event', async () => {
    const owner = await gateway.createOwner();
    const { id } = await gateway.createEndpoint(owner, [], { min_interval: 60 });
    const { answer, caused, address } = await manageFrom('PATCH', `/owners/${owner}`, { plan: 'free' });
    expect(addressesOf(caused)).toEqual([address]);
    const planChanged = caused.find(({ type }) => type === 'OwnerPlanChanged')!;
    const disabled = (await gateway.readAllEvents()).filter(
      ({ type, stream }) => type === 'EndpointDisabled' && stream === `endpoint-${id}`,
    );
    // The saga that completes a change of plan may be faster than the request: its cause is the event, which has the address.
    const byRequest = { causationId: answer.headers.get('x-request-id'), clientAddress: address };
    const bySaga = { causationId: planChanged.id, clientAddress: null };
    expect(disabled).toHaveLength(1);
    const { causationId, clientAddress } = disabled[0]!;
    expect([byRequest, bySaga]).toContainEqual({ causationId, clientAddress });
  });

  it('is in no event of the gateway’s own work', async () => {
    const own = (await gateway.readAllEvents()).filter(({ type }) =>
      /^(Publication(Started|Failed)|Notice)/.test(type),
    );
    expect(own.length).toBeGreaterThan(0);
    expect(addressesOf(own)).toEqual([null]);
  });
});

const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

/** Lists the addresses in events, each once. */
const addressesOf = (events: readonly RecordedEvent[]): readonly (string | null)[] => [
  ...new Set(events.map(({ clientAddress }) => clientAddress)),
];

const setUp = async (gateway: TestGateway): Promise<Setup> => {
  const owner = await gateway.createOwner();
  const channel = await gateway.createChannel(owner);
  const project = await gateway.createProject(owner, [channel]);
  const failed = async (): Promise<string> => {
    const endpoint = await gateway.createEndpoint(owner, [project], { min_interval: 60 });
    const { body } = await endpoint.post('', { text: 'refused' });
    return until('it has failed', async () => {
      const { publications } = await gateway.manage('GET', `/posts/${body.id}`);
      return publications[0].state === 'failed' && publications[0].id;
    });
  };
  const paused = await gateway.createChannel(owner);
  await gateway.manage('POST', `/channels/${paused.id}/pause`, { minutes: 60 });
  const pausedProject = await gateway.createProject(owner, [paused]);
  const held = async (): Promise<QueuedPost> => {
    const endpoint = await gateway.createEndpoint(owner, [pausedProject], { min_interval: 60 });
    const { body } = await endpoint.post('', { text: 'held' });
    // A reader waits for the read model, but only for two seconds.
    const { publications } = await until('the post is shown', () => gateway.manage('GET', `/posts/${body.id}`));
    return { post: body.id as string, publication: publications[0].id };
  };
  await gateway.telegram.addFault({
    mode: 'answer',
    status: 400,
    body: { ok: false, error_code: 400, description: 'Bad Request' },
    channel: channel.chatId,
    times: null,
  });
  const publications = [await failed(), await failed()] as const;
  const queued = [await held(), await held(), await held(), await held()] as const;
  await holdRestored(gateway, owner, await held(), paused.id);
  const twice = await publishTwice(gateway, owner);
  const endpoint = await gateway.createEndpoint(owner, [project], { min_interval: 60 });
  const planning = await gateway.createEndpoint(owner, [project], { min_interval: 60 });
  const planned = (await planning.post('', { text: 'later', publish_at: inAnHour() })).body.id as string;
  const ask = async () => {
    const asking = await gateway.createEndpoint(owner, [project], { min_interval: 60, requires_approval: true });
    return (await asking.post('', { text: 'May I?' })).body.id as string;
  };
  const pending = [await ask(), await ask()] as const;
  const refused = await createRefusedChannel(gateway, owner);
  for (const name of ['stopped-once', 'stopped-twice']) await createStoppedProjection(gateway, name);
  await createStoppedSaga(gateway, 'stopped');
  for (const name of ['posts', 'webhook-deliveries']) await buildCandidate(gateway, name);
  const leaving = await gateway.createOwner();
  const [theirs, more] = [await gateway.createChannel(leaving), await gateway.createChannel(leaving)];
  const ofTheirs = await gateway.createProject(leaving, [theirs, more]);
  const deleted = {
    owner: leaving,
    channel: theirs,
    project: ofTheirs,
    endpoint: await gateway.createEndpoint(leaving, [ofTheirs], { min_interval: 60 }),
  };
  const webhooks = await createFailedDelivery(gateway, project);
  const posts = { publications, twice, queued, planned, planning: planning.id, pending };
  const { id: media } = await upload(gateway, owner, {});
  const { id: key } = await gateway.manage('POST', '/keys', { owner_id: owner, name: 'Leo', scopes: ['post'] });
  return { owner, channel, refused, project, endpoint, deleted, media, key, ...posts, ...webhooks };
};

/** Uploads a small photo for an owner. */
const upload = async (gateway: TestGateway, owner: string, more: Record<string, string>, width = 8) => {
  const headers = { authorization: `Bearer ${OPERATOR_KEY}`, 'content-type': 'image/png', ...more };
  const body = png(width, 8) as unknown as string;
  const answer = await fetch(`${gateway.url}/manage/v1/media?owner_id=${owner}`, { method: 'POST', headers, body });
  return { answer, id: ((await answer.json()) as { readonly id: string }).id };
};

/** Decides about a publication like a worker or a saga. */
const decide = async (gateway: TestGateway, command: PublicationCommand): Promise<void> => {
  const origin = { actor: 'system', requestId: 'r', causationId: 'r', correlationId: 'r', clientAddress: null };
  const context = { commandId: newUuid(), at: Date.now(), ...origin };
  await gateway.aggregates.execute(decider, command.publicationId, command, context);
};

/** Marks a queued publication as one that may have been published before events were lost (D-80). */
const holdRestored = async (
  gateway: TestGateway,
  owner: string,
  { post, publication }: QueuedPost,
  channel: string,
) => {
  const ids = { publicationId: publication, postId: post, channelId: channel };
  const error = { code: RESTORED, category: 'unknown', source: 'telegram', message: 'Events were lost.' } as const;
  await decide(gateway, { type: 'MarkRestored', at: Date.now(), error, ...ids });
  await until('it is held', async () => (await gateway.manage('GET', `/recovery?owner_id=${owner}`)).in_doubt === 1);
};

/** Publishes a post, and reports it once more, as a worker does that slept through its lease (D-84). */
const publishTwice = async (gateway: TestGateway, owner: string): Promise<string> => {
  const channel = await gateway.createChannel(owner);
  const project = await gateway.createProject(owner, [channel]);
  const endpoint = await gateway.createEndpoint(owner, [project], { min_interval: 60 });
  const { body } = await endpoint.post('', { text: 'twice' });
  const read = async () => (await gateway.manage('GET', `/posts/${body.id}`)).publications[0];
  await until('it is published', async () => (await read()).state === 'published');
  const { id: publicationId } = await read();
  const late = { attempt: 1, at: Date.now(), messageIds: ['999'], urls: [], warnings: [] };
  const ids = { publicationId, postId: body.id as string, channelId: channel.id };
  await decide(gateway, { type: 'MarkPublished', ...late, ...ids });
  await until('the duplicate is shown', async () => (await read()).duplicates.length > 0);
  return publicationId;
};

/** Creates a webhook output whose server refuses connections. */
const createFailedDelivery = async (gateway: TestGateway, project_id: string) => {
  const { id: output } = await gateway.manage('POST', '/webhook-outputs', { project_id, url: 'http://127.0.0.1:9/' });
  const { id: delivery } = await gateway.manage('POST', `/webhook-outputs/${output}/test`);
  await until('an attempt has failed', async () => {
    const { attempts } = await gateway.manage('GET', `/deliveries/${delivery}`);
    return attempts.length > 0;
  });
  return { output, delivery };
};

/** Rebuilds a projection and leaves its candidate to be decided about. */
const buildCandidate = async (gateway: TestGateway, name: string): Promise<void> => {
  const { id } = await gateway.manage('POST', `/projections/${name}/rebuild`, { promote: 'manual' });
  await until('the candidate is level', async () => (await gateway.manage('GET', `/jobs/${id}`)).state === 'done');
};

/** Creates a projection that no program fills, and that has stopped at an event. */
const createStoppedProjection = async (gateway: TestGateway, name: string): Promise<void> => {
  const { pool } = gateway.infrastructure;
  await pool.query(
    `insert into ops_checkpoint (name, version, code, position, error, failure) values ($1, 1, 1, 0, 'boom', $2)`,
    [name, { event_id: `event of ${name}`, position: '1', type: 'PostAccepted' }],
  );
  await pool.query('insert into ops_projection (name, live_version, last_version) values ($1, 1, 1)', [name]);
};

/** Creates a saga that no program runs, and that has stopped at an event. */
const createStoppedSaga = async ({ infrastructure: { pool } }: TestGateway, name: string): Promise<void> => {
  await pool.query(
    `insert into ops_checkpoint (name, version, code, position, error, failure) values ($1, 1, 1, 0, 'boom', $2)`,
    [`saga/${name}`, { event_id: newUuid(), position: '1', type: 'PostAccepted', at: null }],
  );
};

/** Creates a channel that needs attention: its chat does not exist. */
const createRefusedChannel = async (gateway: TestGateway, owner: string): Promise<TestChannel> => {
  const channel = await gateway.createChannel(owner);
  await gateway.telegram.request('POST', 'chats', { chat_id: channel.chatId, state: 'missing' });
  const project = await gateway.createProject(owner, [channel]);
  const endpoint = await gateway.createEndpoint(owner, [project], { min_interval: 60 });
  await endpoint.post('', { text: 'refused' });
  await until('it needs attention', async () => {
    const { status } = await gateway.manage('GET', `/channels/${channel.id}`);
    return status === 'needs_attention';
  });
  return channel;
};
