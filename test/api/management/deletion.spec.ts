// More than 20 s: a network answers only after 15 s, while the channel of its post is deleted.
import request from 'supertest';
import { channel as channelDecider } from '../../../src/domain/channel/channel.decider.js';
import { owner as ownerDecider } from '../../../src/domain/owner/owner.decider.js';
import { post as postDecider } from '../../../src/domain/post/post.decider.js';
import type { PostAccepted } from '../../../src/domain/post/post.events.js';
import { newId, newUuid } from '../../../src/kernel/ids.js';
import { until } from '../../e2e/until.js';
import {
  createChannel,
  type CreatedEndpoint,
  createEndpoint,
  createOwner,
  createProject,
  type ManagementHarness,
  operatorCaller,
  sendPost,
  startHarness,
} from './management-harness.js';
import { LIMITS_PROFILE, PublishingSetup } from './publishing-setup.js';

describe('a deletion (management-api.md: DELETE)', () => {
  let harness: ManagementHarness;
  /** Secrets of what the tests deleted: the last test waits until they are erased. */
  const erased: string[] = [];
  beforeAll(async () => {
    harness = await startHarness({ LIMITS_PROFILE });
  });
  afterAll(() => harness.stop());
  afterEach(() => harness.telegram.clearFaults());

  const listSecrets = async (): Promise<string[]> => {
    const { rows } = await harness.running.infrastructure.pool.query<{ secret_id: string }>(
      'select secret_id from ops_secret order by 1',
    );
    return rows.map(({ secret_id }) => secret_id);
  };

  /** Notes the secrets that a set-up stores, which its deletion must erase. */
  const noteSecrets = async <T>(setUp: () => Promise<T>): Promise<T> => {
    const before = new Set(await listSecrets());
    const result = await setUp();
    erased.push(...(await listSecrets()).filter((id) => !before.has(id)));
    return result;
  };

  const post = ({ slug, token }: CreatedEndpoint, payload: object = { text: 'Hello' }) =>
    request(harness.url).post(`/v1/webhooks/${slug}`).set('authorization', `Bearer ${token}`).send(payload);

  const readTexts = async (chatId: string): Promise<unknown[]> =>
    (await harness.telegram.readLedger({ channel: chatId })).map(({ text }) => text);

  it('of a channel that a project names is 409 with its id, until it is taken out or the deletion cascades', async () => {
    const setup = await PublishingSetup.create(harness);
    const { caller } = setup.owner;
    const { id } = setup.channel;
    const other = await createChannel(setup.owner);
    await caller.patch(`/projects/${setup.project}`, { channel_ids: [id, other.id] }).expect(200);
    const { body: refused } = await caller.delete(`/channels/${id}`).expect(409);
    expect(refused).toMatchObject({ ok: false, code: 'in_use', project_ids: [setup.project] });
    expect(refused.errors[0]).toContain(setup.project);
    await caller.delete(`/channels/${id}?cascade=maybe`).expect(422);
    await caller.delete(`/channels/${id}?cascade=true`).expect(204);
    expect((await caller.get(`/projects/${setup.project}`).expect(200)).body.channel_ids).toEqual([other.id]);
    await caller.patch(`/projects/${setup.project}`, { channel_ids: [] }).expect(200);
    await caller.delete(`/channels/${other.id}`).expect(204);
    await caller.patch(`/projects/${setup.project}`, { channel_ids: [id] }).expect(422);
  });

  it('of a channel takes it out of every view, cancels its queue and keeps its history', async () => {
    const setup = await PublishingSetup.create(harness);
    const { caller } = setup.owner;
    const { id, chatId } = setup.channel;
    const credentials = { bot_token: '1:other-token', chat_id: chatId };
    await noteSecrets(() => caller.patch(`/channels/${id}`, { credentials }).expect(200));
    const published = await setup.sendPost({ text: 'published' });
    await setup.waitForState(published, 'published');
    await caller.post(`/channels/${id}/pause`, { minutes: 60 }).expect(200);
    const queued = await setup.sendPost({ text: 'queued' });
    await caller.post(`/projects/${setup.project}/pause`, { minutes: 60 }).expect(200);
    const delayed = await setup.sendPost({ text: 'delayed' });
    const answer = await caller.delete(`/channels/${id}?cascade=true`).expect(204);
    expect(answer.text).toBe('');
    expect(answer.headers['x-position']).toMatch(/^\d+$/);
    for (const path of [`/channels/${id}`, `/channels/${id}/receipts`]) await caller.get(path).expect(404);
    expect((await caller.get('/channels').expect(200)).body.items).toEqual([]);
    await caller.patch(`/channels/${id}`, { name: 'Again' }).expect(404);
    await caller.post(`/channels/${id}/pause`, { minutes: 5 }).expect(404);
    await caller.delete(`/channels/${id}`).expect(404);
    // Posts stay readable; queued publications are not sent.
    expect((await setup.readPublication(published)).state).toBe('published');
    for (const one of [queued, delayed]) {
      const publication = await setup.readPublication(one);
      expect(publication).toMatchObject({ state: 'dismissed', waiting_for: null });
      await caller.post(`/publications/${publication.id}/resend`).expect(409);
    }
    expect((await caller.get(`/posts?channel_id=${id}`).expect(200)).body.items).toHaveLength(3);
    // A post to the project no longer has a target.
    const { body } = await post(setup.endpoint).expect(200);
    expect(body.queued_targets).toBe(0);
    expect(await readTexts(chatId)).toEqual(['published']);
  });

  it('of a project shifts the places of those behind it, as a PATCH of project_ids would', async () => {
    const owner = await createOwner(harness);
    const { id: channel } = await createChannel(owner);
    const [first, second] = [await createProject(owner, [channel], 'A'), await createProject(owner, [channel], 'B')];
    const endpoint = await createEndpoint(owner, [first, second], { min_interval: 0, verbose_discovery: true });
    await owner.caller.post(`/channels/${channel}/pause`, { minutes: 60 }).expect(200);
    const id = await sendPost(harness, endpoint, { text: 'queued' });
    const { body: refused } = await owner.caller.delete(`/projects/${first}`).expect(409);
    expect(refused).toMatchObject({ code: 'in_use', endpoint_ids: [endpoint.id] });
    await owner.caller.delete(`/projects/${first}?cascade=true`).expect(204);
    expect((await owner.caller.get(`/endpoints/${endpoint.id}`).expect(200)).body.project_ids).toEqual([second]);
    const { body: info } = await request(harness.url)
      .get(`/v1/webhooks/${endpoint.slug}/info`)
      .set('authorization', `Bearer ${endpoint.token}`)
      .expect(200);
    expect(info.projects).toMatchObject([{ index: 0, name: 'B' }]);
    // A saga completes a deletion whose request stopped waiting for the read models.
    await until('its publication is dismissed', async () => {
      const [{ state, project_id }] = (await owner.caller.get(`/posts/${id}`).expect(200)).body.publications;
      return state === 'dismissed' && project_id === first;
    });
    await owner.caller.get(`/projects/${first}`).expect(404);
    await owner.caller.patch(`/endpoints/${endpoint.id}`, { project_ids: [first] }).expect(422);
    await sendPost(harness, endpoint, { text: 'to the other project' });
  });

  it('of an endpoint makes its URL and token unknown, alike those that never were', async () => {
    const setup = await PublishingSetup.create(harness);
    const { caller } = setup.owner;
    const { endpoint, channel } = setup;
    await setup.waitForState(await setup.sendPost(), 'published');
    await caller.post(`/channels/${channel.id}/pause`, { minutes: 60 }).expect(200);
    const queued = await setup.sendPost({ text: 'queued' });
    const before = new Set(await listSecrets());
    await caller.post(`/endpoints/${endpoint.id}/rotate-secret`, { overlap_minutes: 1_000 }).expect(200);
    erased.push(...(await listSecrets()).filter((id) => !before.has(id)));
    await caller.delete(`/endpoints/${endpoint.id}`).expect(204);
    const { body: unknown } = await post({ ...endpoint, slug: 'never-was' }).expect(401);
    const { body: deleted } = await post(endpoint).expect(401);
    expect({ ...deleted, request_id: '' }).toEqual({ ...unknown, request_id: '' });
    await request(harness.url)
      .post('/v1/sandbox/test')
      .set('authorization', `Bearer ${endpoint.token}`)
      .send({ text: 'Hello' })
      .expect(401);
    for (const path of [`/endpoints/${endpoint.id}`, `/endpoints/${endpoint.id}/requests`])
      await caller.get(path).expect(404);
    await caller.post(`/endpoints/${endpoint.id}/enable`).expect(404);
    expect((await setup.readPublication(queued)).state).toBe('dismissed');
    await caller.delete(`/endpoints/${endpoint.id}`).expect(404);
  });

  it('answers once all cancellations are shown, also those of the saga that completes deletions at the same time', async () => {
    const owner = await createOwner(harness);
    const channels = await Promise.all(Array.from({ length: 10 }, () => createChannel(owner)));
    const project = await createProject(
      owner,
      channels.map(({ id }) => id),
    );
    await owner.caller.post(`/projects/${project}/pause`, { minutes: 60 }).expect(200);
    for (let i = 0; i < 10; i++) {
      const endpoint = await createEndpoint(owner, [project], { min_interval: 0 });
      const queued = await sendPost(harness, endpoint, { text: 'queued' });
      await owner.caller.delete(`/endpoints/${endpoint.id}`).expect(204);
      const { body } = await owner.caller.get(`/posts/${queued}`).expect(200);
      const states = (body.publications as { state: string }[]).map(({ state }) => state);
      expect(states).toEqual(channels.map(() => 'dismissed'));
    }
  });

  it('of an owner is the operator’s, ends its key at once and deletes everything it has', async () => {
    const operator = operatorCaller(harness);
    const setup = await noteSecrets(async () => {
      const created = await PublishingSetup.create(harness);
      const notice_chat = { bot_token: '1:notices', chat_id: '-7' };
      await created.owner.caller.patch(`/owners/${created.owner.id}`, { notice_chat }).expect(200);
      return created;
    });
    const { id, caller } = setup.owner;
    await caller.post(`/channels/${setup.channel.id}/pause`, { minutes: 60 }).expect(200);
    const queued = await setup.sendPost({ text: 'queued' });
    await caller.delete(`/owners/${id}`).expect(403);
    await operator.delete(`/owners/${id}`).expect(204);
    await caller.get('/channels').expect(401);
    await post(setup.endpoint).expect(401);
    for (const path of [`/owners/${id}`, `/channels/${setup.channel.id}`, `/projects/${setup.project}`])
      await operator.get(path).expect(404);
    await operator.get(`/endpoints/${setup.endpoint.id}`).expect(404);
    await operator.delete(`/owners/${id}`).expect(404);
    await operator.post('/projects', { owner_id: id, name: 'Late', channel_ids: [] }).expect(422);
    expect((await operator.get(`/posts/${queued}`).expect(200)).body.publications).toMatchObject([
      { state: 'dismissed' },
    ]);
    expect((await operator.get(`/posts?owner_id=${id}`).expect(200)).body.items).toHaveLength(1);
  });

  it('during an attempt lets it end as it ends; nothing more is sent', async () => {
    const setup = await PublishingSetup.create(harness);
    const { caller } = setup.owner;
    const { id, chatId } = setup.channel;
    await harness.telegram.addFault({ mode: 'delay', delay_ms: 15_000, channel: chatId, times: null });
    const [first, second] = [await setup.sendPost({ text: 'first' }), await setup.sendPost({ text: 'second' })];
    await setup.waitForState(first, 'publishing');
    await caller.delete(`/channels/${id}?cascade=true`).expect(204);
    await setup.waitForState(first, 'published');
    expect((await setup.waitForState(second, 'dismissed')).attempts).toEqual([]);
    expect(await readTexts(chatId)).toEqual(['first']);
  });

  it('whose process died after the event is completed: channel', async () => {
    const setup = await PublishingSetup.create(harness);
    const { id } = setup.channel;
    await setup.owner.caller.post(`/projects/${setup.project}/pause`, { minutes: 60 }).expect(200);
    const queued = await setup.sendPost();
    await executeAlone(() =>
      aggregates().execute(channelDecider, id, { type: 'DeleteChannel', channelId: id }, context()),
    );
    await setup.waitForState(queued, 'dismissed');
    await until('the project does not name it', async () => {
      const { body } = await setup.owner.caller.get(`/projects/${setup.project}`);
      return body.channel_ids.length === 0;
    });
  });

  it('is not undone by a post that was accepted by a snapshot from before', async () => {
    const setup = await PublishingSetup.create(harness);
    const { caller } = setup.owner;
    const first = await setup.sendPost({ text: 'first' });
    await setup.waitForState(first, 'published');
    await caller.post(`/channels/${setup.channel.id}/pause`, { minutes: 60 }).expect(200);
    await caller.post(`/projects/${setup.project}/pause`, { minutes: 60 }).expect(200);
    await caller.delete(`/channels/${setup.channel.id}?cascade=true`).expect(204);
    const { store, codec } = harness.running.infrastructure;
    const events = (await store.readAll({ after: -1n, limit: 100_000 })).map((event) =>
      codec.decode<PostAccepted>(event),
    );
    const { data } = events.find(({ type, data: { postId } }) => type === 'PostAccepted' && postId === first)!;
    const postId = newId('post');
    const targets = data.targets.map((target) => ({ ...target, publicationId: newId('pub') }));
    const late = { ...data, postId, targets, acceptedAt: Date.now() };
    await executeAlone(() => aggregates().execute(postDecider, postId, { type: 'AcceptPost', data: late }, context()));
    await setup.waitForState(postId, 'dismissed');
    expect(await readTexts(setup.channel.chatId)).toEqual(['first']);
  });

  it('whose process died after the event is completed: owner', async () => {
    const operator = operatorCaller(harness);
    const setup = await PublishingSetup.create(harness);
    const { id: ownerId } = setup.owner;
    await setup.owner.caller.post(`/channels/${setup.channel.id}/pause`, { minutes: 60 }).expect(200);
    const queued = await setup.sendPost();
    await executeAlone(() => aggregates().execute(ownerDecider, ownerId, { type: 'DeleteOwner', ownerId }, context()));
    await until('everything is deleted', async () => {
      const lists = await Promise.all(
        ['channels', 'projects', 'endpoints'].map((kind) => operator.get(`/${kind}?owner_id=${ownerId}`)),
      );
      const { body } = await operator.get(`/posts/${queued}`);
      return lists.every(({ body: list }) => list.items.length === 0) && body.publications[0].state === 'dismissed';
    });
  });

  const aggregates = () => harness.running.infrastructure.aggregates;
  const context = () => ({
    actor: 'operator',
    requestId: 'req_1',
    causationId: 'req_1',
    correlationId: 'req_1',
    clientAddress: null,
    commandId: newUuid(),
    at: Date.now(),
  });
  const executeAlone = async (execute: () => Promise<object>): Promise<void> =>
    expect(await execute()).not.toHaveProperty('rejection');

  it('of a channel while projects that name it are created leaves no project that names it', async () => {
    const owner = await createOwner(harness);
    for (let i = 0; i < 8; i++) {
      const { id } = await createChannel(owner);
      const create = () => owner.caller.post('/projects', { name: 'Race', channel_ids: [id] });
      const [created, deleted, also] = await Promise.all([create(), owner.caller.delete(`/channels/${id}`), create()]);
      expect([201, 422]).toContain(created.status);
      expect([204, 409]).toContain(deleted.status);
      const isDeleted = deleted.status === 204;
      await until('no project names a deleted channel', async () => {
        const { body } = await owner.caller.get('/projects?limit=200');
        const names = (body.items as { channel_ids: string[] }[]).some(({ channel_ids }) => channel_ids.includes(id));
        return names !== isDeleted;
      });
      // An answer never shows a permanently deleted channel.
      if (isDeleted)
        for (const { status, body } of [created, also])
          if (status === 201) expect((await owner.caller.get(`/projects/${body.id}`)).body.channel_ids).toEqual([]);
    }
  });

  it('of an owner while its resources are created leaves none of them', async () => {
    const operator = operatorCaller(harness);
    for (let i = 0; i < 4; i++) {
      const setup = await PublishingSetup.create(harness);
      const owner_id = setup.owner.id;
      const credentials = { bot_token: '1:race', chat_id: `-9${i}` };
      const results = await Promise.all([
        operator.post('/channels', { owner_id, platform: 'telegram', name: 'Race', credentials }),
        operator.post('/projects', { owner_id, name: 'Race', channel_ids: [setup.channel.id] }),
        operator.delete(`/owners/${owner_id}`),
        operator.post('/endpoints', { owner_id, project_ids: [setup.project], mode: 'live' }),
        post(setup.endpoint, { text: 'race' }),
      ]);
      expect(results[2].status).toBe(204);
      for (const { status } of results) expect(status).toBeLessThan(500);
      await until('nothing is left', async () => {
        const lists = await Promise.all(
          ['channels', 'projects', 'endpoints'].map((kind) => operator.get(`/${kind}?owner_id=${owner_id}`)),
        );
        return lists.every(({ body }) => body.items.length === 0);
      });
      await until('nothing is queued', async () => {
        const { body } = await operator.get(`/posts?owner_id=${owner_id}`);
        const states = (body.items as { publications: { state: string }[] }[]).flatMap(({ publications }) =>
          publications.map(({ state }) => state),
        );
        return states.every((state) => state === 'published' || state === 'dismissed');
      });
    }
  });

  it('of the same resource twice at once is 204 once', async () => {
    const owner = await createOwner(harness);
    const { id } = await createChannel(owner);
    const answers = await Promise.all([1, 2, 3].map(() => owner.caller.delete(`/channels/${id}`)));
    expect(answers.map(({ status }) => status).toSorted()).toEqual([204, 404, 404]);
  });

  it('erases the secrets within a minute (D-56)', async () => {
    expect(erased.length).toBeGreaterThanOrEqual(4);
    await until('the secrets are gone', async () => {
      const left = await listSecrets();
      return erased.every((id) => !left.includes(id));
    });
  });
});
