import { png } from '../../media/make-images.js';
import { listChangingRoutes } from './changing-routes.js';
import {
  type Caller,
  catchUp,
  createOwner,
  type ManagementHarness,
  operatorCaller,
  startHarness,
  type TestOwner,
} from './management-harness.js';
import { LIMITS_PROFILE, PublishingSetup } from './publishing-setup.js';

/** Everything that belongs to the victim, by the name of its kind. */
interface Victim {
  readonly owner: TestOwner;
  readonly ids: Readonly<
    Record<
      | ('owners' | 'channels' | 'projects' | 'endpoints' | 'publications' | 'posts')
      | ('webhook-outputs' | 'deliveries' | 'drafts' | 'keys' | 'media'),
      string
    >
  >;
}

/** The body of a call that would succeed if the victim made it, and the status for everyone else. */
interface Attack {
  readonly body: (victim: Victim) => object;
  readonly status: number;
}

const on = (body: object = {}, status = 404): Attack => ({ body: () => body, status });
const creating = (body: (victim: Victim) => object, status: number): Attack => ({ body, status });
const CREDENTIALS = { bot_token: '1:of-the-attacker', chat_id: '-5' };

const ATTACKS: Readonly<Record<string, Attack>> = {
  'POST /owners': creating(() => ({ name: 'Mine', plan: 'pro' }), 403),
  'PATCH /owners/:id': on({ name: 'Mine', notice_chat: { bot_token: '1:x', chat_id: '-9' } }),
  'POST /owners/:id/post-packs': on({ posts: 5 }),
  'POST /owners/:id/rotate-key': on(),
  'POST /owners/:id/erase-content': on({ before: '2026-01-01T00:00:00Z' }),
  'DELETE /owners/:id': on(),
  'DELETE /channels/:id': on(),
  'DELETE /projects/:id': on(),
  'DELETE /endpoints/:id': on(),
  'POST /channels': creating(
    ({ ids }) => ({ owner_id: ids.owners, platform: 'telegram', name: 'Mine', credentials: CREDENTIALS }),
    404,
  ),
  'PATCH /channels/:id': on({ name: 'Mine', enabled: false, credentials: CREDENTIALS }),
  'POST /channels/:id/pause': on({ minutes: 5 }),
  'POST /channels/:id/resume': on(),
  'POST /channels/:id/retry': on(),
  'POST /channels/:id/test': on(),
  'POST /projects': creating(({ ids }) => ({ name: 'Mine', channel_ids: [ids.channels] }), 422),
  'PATCH /projects/:id': on({ name: 'Mine', channel_ids: [] }),
  'POST /projects/:id/preview': on({ text: 'Mine' }),
  'POST /projects/:id/pause': on({ minutes: 5 }),
  'POST /projects/:id/resume': on(),
  'POST /endpoints': creating(({ ids }) => ({ project_ids: [ids.projects], mode: 'live' }), 422),
  'POST /endpoints/console': creating(({ ids }) => ({ owner_id: ids.owners, project_ids: [] }), 404),
  'PATCH /endpoints/:id': on({ name: 'Mine', project_ids: [] }),
  'POST /endpoints/:id/enable': on(),
  'POST /endpoints/:id/cancel-planned': on(),
  'POST /endpoints/:id/disable': on(),
  'POST /endpoints/:id/rotate-token': on(),
  'POST /endpoints/:id/rotate-slug': on(),
  'POST /endpoints/:id/rotate-secret': on({ overlap_minutes: 5 }),
  'POST /endpoints/:id/posts': on({ text: 'Mine' }),
  'POST /endpoints/:id/sandbox': on({ text: 'Mine' }),
  'POST /publications/:id/resend': on(),
  'POST /publications/:id/dismiss': on(),
  'POST /publications/:id/dismiss-duplicate': on(),
  'POST /publications/:id/cancel': on(),
  'POST /posts/:id/cancel': on(),
  'POST /publications/:id/withdraw': on(),
  'POST /posts/:id/withdraw': on(),
  'POST /posts/:id/statistics': on(),
  'POST /posts/:id/approve': on({ note: 'Mine', revision: 1 }),
  'POST /posts/:id/reject': on({ reason: 'Mine' }),
  'PATCH /posts/:id': on({ publish_at: null }),
  'PUT /posts/:id/payload': on({ text: 'Mine' }),
  'PUT /posts/:id/content': on({ text: 'Mine' }),
  'POST /webhook-outputs': creating(
    ({ ids }) => ({ project_id: ids.projects, url: 'https://hooks.invalid/mine' }),
    422,
  ),
  'PATCH /webhook-outputs/:id': on({ url: 'https://hooks.invalid/mine' }),
  'DELETE /webhook-outputs/:id': on(),
  'POST /webhook-outputs/:id/enable': on(),
  'POST /webhook-outputs/:id/disable': on(),
  'POST /webhook-outputs/:id/rotate-secret': on({ overlap_minutes: 5 }),
  'POST /webhook-outputs/:id/test': on(),
  'POST /webhook-outputs/:id/retry-failed': on({ since: '2020-01-01T00:00:00Z' }),
  'POST /deliveries/:id/retry': on(),
  'POST /keys': creating(({ ids }) => ({ name: 'Mine', scopes: ['manage'], owner_id: ids.owners }), 404),
  'PATCH /keys/:id': on({ name: 'Mine', scopes: ['read'] }),
  'POST /keys/:id/rotate': on({ overlap_minutes: 5 }),
  'DELETE /keys/:id': on(),
  'POST /media': on({}, 415),
  'DELETE /media/:id': on(),
  'POST /history/archive': on({}, 403),
  'POST /history/import': on({}, 403),
  'POST /history/verify': on({}, 403),
  'POST /recovery/confirm': creating(({ ids }) => ({ owner_id: ids.owners, planned: 'cancel' }), 404),
  'POST /secrets/reseal': on({}, 403),
  'POST /drafts': creating(({ ids }) => ({ owner_id: ids.owners, content: {} }), 404),
  'PUT /drafts/:id': on({ content: { text: 'Mine' } }),
  'DELETE /drafts/:id': on(),
  'POST /sessions': on({ remember: 'Mine' }, 422), // always one of its own key
  'DELETE /sessions/:id': on(),
  'POST /projections/:name/verify': on({}, 403),
  'POST /projections/:name/rebuild': on({}, 403),
  'POST /projections/:name/promote': on({}, 403),
  'POST /projections/:name/rollback': on({}, 403),
  'POST /projections/:name/discard': on({}, 403),
  'POST /projections/:name/retry': on({}, 403),
  'POST /projections/:name/skip': on({ reason: 'mine' }, 403),
  'POST /sagas/:name/skip': on({ reason: 'mine' }, 403),
};

describe('a changing route called by another owner', () => {
  let harness: ManagementHarness;
  let victim: Victim;
  let attacker: TestOwner;

  beforeAll(async () => {
    harness = await startHarness({ LIMITS_PROFILE });
    const setup = await PublishingSetup.create(harness);
    await harness.telegram.addFault({
      mode: 'answer',
      status: 400,
      body: { ok: false, error_code: 400, description: 'Bad Request' },
      channel: setup.channel.chatId,
    });
    const { id: publication } = await setup.waitForState(await setup.sendPost(), 'failed');
    const { owner, channel, project, endpoint } = setup;
    // The pauses show that a resume has no effect.
    await owner.caller.post(`/channels/${channel.id}/pause`, { minutes: 60 }).expect(200);
    await owner.caller.post(`/projects/${project}/pause`, { minutes: 60 }).expect(200);
    const queued = await setup.sendPost();
    const drafts = (await owner.caller.post('/drafts', { title: 'News', content: { text: 'News' } }).expect(201)).body
      .id;
    const ids = { drafts, owners: owner.id, channels: channel.id, projects: project, endpoints: endpoint.id };
    const hooks = { project_id: project, url: 'https://hooks.invalid/theirs' };
    const output = (await owner.caller.post('/webhook-outputs', hooks).expect(201)).body.id;
    const delivery = (await owner.caller.post(`/webhook-outputs/${output}/test`).expect(201)).body.id;
    const webhooks = { 'webhook-outputs': output, deliveries: delivery };
    const keys = (await owner.caller.post('/keys', { name: 'Theirs', scopes: ['manage'] }).expect(201)).body.id;
    const headers = { authorization: `Bearer ${owner.caller.key}`, 'content-type': 'image/png' };
    const upload = await fetch(`${harness.url}/manage/v1/media`, {
      method: 'POST',
      headers,
      body: png(8, 8) as unknown as string,
    });
    const media = ((await upload.json()) as { readonly id: string }).id;
    victim = { owner, ids: { ...ids, ...webhooks, keys, media, publications: publication, posts: queued } };
    attacker = await createOwner(harness);
    // What is shown before an attack must not lack the queued post, for which a list waits only for two seconds.
    await catchUp(harness, 'posts');
    await catchUp(harness, 'publish-schedule');
  });
  afterAll(() => harness.stop());

  /** Reads everything that the victim and the operator see of the victim. */
  const readVictim = async (): Promise<unknown[]> => {
    const read = async (caller: Caller, path: string): Promise<unknown> =>
      // Reading is a use of the victim's key.
      JSON.parse(JSON.stringify((await caller.get(path).expect(200)).body), (name, value: unknown) =>
        name === 'last_used' ? undefined : value,
      );
    const seen: unknown[] = [await read(victim.owner.caller, '/posts')];
    // Neither has its own list, and a delivery continues by itself.
    const shown = Object.entries(victim.ids).filter(([name]) => name !== 'publications' && name !== 'deliveries');
    for (const [kind, id] of shown) {
      seen.push(await read(victim.owner.caller, `/${kind}/${id}`), await read(victim.owner.caller, `/${kind}`));
    }
    const { rows } = await harness.running.infrastructure.pool.query(
      'select md5(s::text) from ops_secret s order by 1',
    );
    return [...seen, rows];
  };

  /** Counts the events by actor. */
  const countEventsOf = async (actor: string): Promise<number> => {
    let count = 0;
    const { store, codec } = harness.running.infrastructure;
    for (let after = -1n; ;) {
      const events = await store.readAll({ after, limit: 1_000 });
      count += events.filter((event) => codec.readEnvelope(event).actor === actor).length;
      if (events.length === 0) return count;
      after = events.at(-1)!.position;
    }
  };

  it('is covered by a case below', () => {
    expect(listChangingRoutes().toSorted()).toEqual(Object.keys(ATTACKS).toSorted());
  });

  it.each(Object.entries(ATTACKS))('leaves the victim’s resources as they are: %s', async (route, { body, status }) => {
    const before = await readVictim();
    const [method, pattern] = route.split(' ') as ['POST' | 'PUT' | 'PATCH' | 'DELETE', string];
    const kind = pattern.split('/')[1] as keyof Victim['ids'];
    const path = pattern.replace(':id', victim.ids[kind]);
    const { caller } = attacker;
    const requests = {
      POST: () => caller.post(path, body(victim)),
      PUT: () => caller.put(path, body(victim)),
      PATCH: () => caller.patch(path, body(victim)),
      DELETE: () => caller.delete(`${path}${/channels|projects/.test(path) ? '?cascade=true' : ''}`),
    };
    const request = requests[method]();
    const { body: answer } = await request.expect(status);
    expect(answer.ok).toBe(false);
    expect(JSON.stringify(answer)).not.toContain('News');
    expect(await readVictim()).toEqual(before);
    expect(await countEventsOf(`owner:${attacker.id}`)).toBe(0);
  });

  it('lists nothing of the victim in any list', async () => {
    for (const kind of ['channels', 'projects', 'endpoints', 'posts', 'webhook-outputs', 'drafts', 'media'])
      expect((await attacker.caller.get(`/${kind}`).expect(200)).body.items).toEqual([]);
    const { body } = await operatorCaller(harness).get(`/owners/${attacker.id}`).expect(200);
    expect(body.id).toBe(attacker.id);
  });
});
