import { until } from '../../e2e/until.js';
import {
  catchUp,
  createChannel,
  createEndpoint,
  createOwner,
  createProject,
  type ManagementHarness,
  operatorCaller,
  sendPost,
  startHarness,
} from './management-harness.js';
import { listProblems } from './problem-details.js';
import { LIMITS_PROFILE, PublishingSetup } from './publishing-setup.js';

const photo = (n: number) => ({ type: 'photo', url: `https://media.invalid/${n}.jpg` });
/** Metadata so large that the payload is stored in parts (D-42). */
const LARGE = { blob: 'ж'.repeat(700_000) };

describe('posts', () => {
  let harness: ManagementHarness;
  beforeAll(async () => {
    harness = await startHarness({ LIMITS_PROFILE, MEDIA_PROBE: 'off' });
  });
  afterAll(() => harness.stop());
  afterEach(() => harness.telegram.clearFaults());

  it('show their payload and their publications', async () => {
    const setup = await PublishingSetup.create(harness);
    const payload = {
      text: 'Hello',
      entities: [{ type: 'bold', offset: 0, length: 5 }],
      external_id: 'ext-1',
      trace_id: 'trace-1',
      metadata: { b: 1, a: { nested: [true, null, '1.0'] } },
    };
    const id = await setup.sendPost(payload);
    await setup.waitForState(id, 'published');
    const { body } = await setup.owner.caller.get(`/posts/${id}`).expect(200);
    const [message] = await harness.telegram.readLedger({ channel: setup.channel.chatId });
    expect(body).toEqual({
      id,
      endpoint_id: setup.endpoint.id,
      owner_id: setup.owner.id,
      posted_by: `endpoint:${setup.endpoint.id}`,
      accepted_at: expect.stringMatching(/Z$/),
      external_id: 'ext-1',
      trace_id: 'trace-1',
      metadata: payload.metadata,
      payload,
      excerpt: 'Hello',
      media_count: 0,
      publish_at: null,
      released_at: expect.stringMatching(/Z$/),
      approval: null,
      revision: 1,
      publications: [
        {
          id: expect.stringMatching(/^pub_[0-9a-f]{32}$/),
          post_id: id,
          target_id: setup.channel.id,
          platform: 'telegram',
          project_id: setup.project,
          sequence: 1,
          state: 'published',
          not_before: null,
          waiting_for: null,
          warnings: [],
          attempts: [
            {
              n: 1,
              started_at: expect.stringMatching(/Z$/),
              ended_at: expect.stringMatching(/Z$/),
              outcome: 'published',
              error: null,
            },
          ],
          message_ids: [message!.message_id],
          urls: expect.any(Array),
          published_at: expect.stringMatching(/Z$/),
          duplicates: [],
          withdrawal: null,
          content_version: 1,
          edited_at: null,
          edit: null,
          pinned: null,
          can: {
            withdraw: true,
            withdraw_until: expect.stringMatching(/Z$/),
            edit: ['text', 'buttons'],
            text: expect.any(String),
          },
          statistics: expect.objectContaining({ state: 'unavailable', views: null }),
        },
      ],
    });
    expect(Object.keys(body.metadata)).toEqual(['b', 'a']); // as it was sent
    const { payload: _, ...listed } = body;
    expect((await setup.owner.caller.get('/posts').expect(200)).body).toEqual({ items: [listed], next: null });
  });

  it('are listed without large metadata, in pages of a bounded size', async () => {
    const setup = await PublishingSetup.create(harness);
    const { owner } = setup;
    await owner.caller.post(`/channels/${setup.channel.id}/pause`, { minutes: 60 }).expect(200);
    const sent = [
      { text: 'in parts', metadata: LARGE },
      { text: 'large', metadata: { blob: 'x'.repeat(70_000) } },
      ...Array.from({ length: 70 }, (_, n) => ({ text: `medium ${n}`, metadata: { blob: 'x'.repeat(64_000) } })),
    ];
    for (const payload of sent) await setup.sendPost(payload);
    await catchUp(harness, 'posts'); // a list waits for it only for two seconds
    const listed: { excerpt: string; metadata: { blob: string } | null; metadata_truncated?: boolean }[] = [];
    let pages = 0;
    for (let next: string | null = ''; next !== null; pages++) {
      const path: string = `/posts?limit=200${next && `&cursor=${next}`}`;
      const { text, body } = await owner.caller.get(path).expect(200);
      expect(text.length).toBeLessThan(4_500_000);
      listed.push(...body.items);
      next = body.next;
    }
    expect(pages).toBe(2);
    expect(listed.map(({ excerpt }) => excerpt)).toEqual(sent.map(({ text }) => text).reverse());
    expect(listed.slice(-2).map(({ metadata, metadata_truncated }) => [metadata, metadata_truncated])).toEqual([
      [null, true],
      [null, true],
    ]);
    expect(listed.slice(0, 70).every(({ metadata }) => metadata?.blob.length === 64_000)).toBe(true);
    expect(listed[0]).not.toHaveProperty('metadata_truncated');
  });

  it('show their publications in the order of the projects and their channels (D-57)', async () => {
    const owner = await createOwner(harness);
    const channels: string[] = [];
    for (let n = 0; n < 8; n++) channels.push((await createChannel(owner)).id);
    const [shared, ...others] = [...channels].reverse() as [string, ...string[]];
    const second = await createProject(owner, [shared, ...others.slice(0, 4)]);
    const first = await createProject(owner, [...others.slice(4), shared]);
    const endpoint = await createEndpoint(owner, [first, second], { min_interval: 0 });
    const expected = [...others.slice(4), shared, ...others.slice(0, 4)];
    for (const targets of [[], [channels[0], channels[5], channels[2]]]) {
      const id = await sendPost(harness, endpoint, {
        text: 'Hello',
        targets: targets.map((target) => ({ id: target })),
      });
      await catchUp(harness, 'posts');
      const order = targets.length === 0 ? expected : expected.filter((channel) => targets.includes(channel));
      const listTargets = ({ publications }: { publications: { target_id: string }[] }) =>
        publications.map(({ target_id }) => target_id);
      const { body: found } = await owner.caller.get(`/posts/${id}`).expect(200);
      expect(listTargets(found)).toEqual(order);
      const { body: list } = await owner.caller.get('/posts').expect(200);
      expect(list.items.map(listTargets)[0]).toEqual(order);
    }
  });

  it('show a payload that was stored in parts like any other payload (D-42)', async () => {
    const setup = await PublishingSetup.create(harness);
    const metadata = LARGE;
    const id = await setup.sendPost({ text: 'Large', metadata });
    await catchUp(harness, 'posts');
    const { body } = await setup.owner.caller.get(`/posts/${id}`).expect(200);
    expect(body.payload).toEqual({ text: 'Large', metadata });
    const summary = { metadata, excerpt: 'Large', media_count: 0 };
    expect(body).toMatchObject(summary);
    const listed = { ...summary, metadata: null, metadata_truncated: true };
    expect((await setup.owner.caller.get('/posts')).body.items[0]).toMatchObject(listed);
  });

  it.each([
    ['a long text', { text: `${'ж'.repeat(119)}👩‍👩‍👧‍👦 and more` }, 'ж'.repeat(119), 0],
    ['a text in lines', { text: 'One\n\nTwo' }, 'One\n\nTwo', 0],
    ['media alone', { media: [photo(1), photo(2)] }, null, 2],
    ['media and text', { text: 'A photo', media: [photo(1)] }, 'A photo', 1],
    ['a large payload', { text: 'y'.repeat(500), media: [photo(1)], metadata: LARGE }, 'y'.repeat(120), 1],
  ])('show the beginning of their text and the number of their media: %s', async (_, payload, excerpt, media_count) => {
    const setup = await PublishingSetup.create(harness);
    const id = await setup.sendPost(payload);
    await catchUp(harness, 'posts');
    const { body: list } = await setup.owner.caller.get('/posts').expect(200);
    expect(list.items).toMatchObject([{ id, excerpt, media_count }]);
    expect((await setup.owner.caller.get(`/posts/${id}`).expect(200)).body).toMatchObject({ excerpt, media_count });
  });

  it.each([
    ['a character that a database cannot hold', 'Bad\u0000 Request'],
    ['half an emoji', `${'x'.repeat(499)}🎈`],
  ])('are shown even if the network’s message contains %s', async (_, description) => {
    const setup = await PublishingSetup.create(harness);
    const body = { ok: false, error_code: 400, description };
    await harness.telegram.addFault({ mode: 'answer', status: 400, body, channel: setup.channel.chatId });
    const { attempts } = await setup.waitForState(await setup.sendPost(), 'failed');
    expect(attempts[0]).toMatchObject({
      outcome: 'failed',
      error: { platform_says: expect.stringContaining('\ufffd') },
    });
  });

  it('are not found by other owners', async () => {
    const setup = await PublishingSetup.create(harness);
    const id = await setup.sendPost();
    const { id: publication } = await setup.waitForState(id, 'published');
    const { caller } = await createOwner(harness);
    await caller.get(`/posts/${id}`).expect(404);
    await caller.post(`/publications/${publication}/resend`).expect(404);
    await caller.post(`/publications/${publication}/dismiss`).expect(404);
    expect((await caller.get(`/posts?endpoint_id=${setup.endpoint.id}`).expect(200)).body.items).toEqual([]);
    await operatorCaller(harness).get(`/posts/${id}`).expect(200);
    for (const unknown of ['post_0', '%00']) await caller.get(`/posts/${unknown}`).expect(404);
  });

  it('are listed newest first, by endpoint, channel and state, page by page', async () => {
    const setup = await PublishingSetup.create(harness);
    const second = await PublishingSetup.create(harness, setup.owner);
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push(await (i % 2 === 0 ? setup : second).sendPost({ text: `Post ${i}` }));
    for (const [i, id] of ids.entries()) await (i % 2 === 0 ? setup : second).waitForState(id, 'published');
    const list = async (query: string): Promise<string[]> =>
      (await setup.owner.caller.get(`/posts?${query}`).expect(200)).body.items.map(({ id }: { id: string }) => id);
    expect(await list('')).toEqual(ids.toReversed());
    const [ofFirst, ofSecond] = [
      [ids[4], ids[2], ids[0]],
      [ids[3], ids[1]],
    ];
    expect(await list(`endpoint_id=${setup.endpoint.id}`)).toEqual(ofFirst);
    expect(await list(`channel_id=${second.channel.id}`)).toEqual(ofSecond);
    expect(await list(`channel_id=${second.channel.id}&state=published`)).toEqual(ofSecond);
    expect(await list('state=failed')).toEqual([]);
    expect(await list(`channel_id=${second.channel.id}&endpoint_id=${setup.endpoint.id}`)).toEqual([]);
    const page = (await setup.owner.caller.get('/posts?limit=3&state=published')).body;
    expect(await list(`limit=3&state=published&cursor=${page.next}`)).toEqual([ids[1], ids[0]]);
    await setup.owner.caller.post(`/channels/${setup.channel.id}/pause`, { minutes: 60 }).expect(200);
    const waiting = await setup.sendPost({ text: 'Post 5' });
    await setup.waitForRule(waiting, 'channel_pause');
    expect(await list('state=queued')).toEqual([waiting]);
    await setup.owner.caller.get('/posts?state=lost').expect(422);
  });

  it('are listed by project, external_id, trace_id and time, alone and together, page by page', async () => {
    const setup = await PublishingSetup.create(harness);
    const { owner } = setup;
    const second = await PublishingSetup.create(harness, owner);
    const trace_id = `${'т'.repeat(1_000)}`; // longer than the indexed part
    const payloads = [
      { external_id: 'a', trace_id },
      { external_id: 'b', trace_id: `${trace_id}x` },
      { trace_id },
      { external_id: 'c' },
      { trace_id },
    ];
    const posts: { id: string; accepted_at: string }[] = [];
    for (const [i, payload] of payloads.entries()) {
      const id = await (i < 3 ? setup : second).sendPost({ text: 'Hello', ...payload });
      await catchUp(harness, 'posts');
      const { accepted_at } = (await owner.caller.get(`/posts/${id}`).expect(200)).body;
      posts.push({ id, accepted_at });
      await until('the next millisecond', () => Date.now() > Date.parse(accepted_at));
    }
    const read = async (query: object): Promise<{ items: { id: string }[]; next: string | null }> =>
      (await owner.caller.get(`/posts?${new URLSearchParams({ ...query }).toString()}`).expect(200)).body;
    /** Lists the indices of the posts of a list, one post a page. */
    const list = async (query: object): Promise<number[]> => {
      const found: number[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const page = await read({ ...query, limit: '1', ...(cursor && { cursor }) });
        found.push(...page.items.map(({ id }) => posts.findIndex((post) => post.id === id)));
        cursor = page.next;
      }
      expect((await read(query)).items.map(({ id }) => id)).toEqual(found.map((index) => posts[index]!.id));
      return found;
    };
    const at = (index: number): string => posts[index]!.accepted_at;
    expect(await list({ project_id: setup.project })).toEqual([2, 1, 0]);
    expect(await list({ project_id: second.project, channel_id: setup.channel.id })).toEqual([]);
    expect(await list({ external_id: 'b' })).toEqual([1]);
    expect(await list({ trace_id })).toEqual([4, 2, 0]);
    expect(await list({ trace_id, endpoint_id: second.endpoint.id })).toEqual([4]);
    expect(await list({ trace_id, external_id: 'b' })).toEqual([]);
    expect(await list({ since: at(1) })).toEqual([4, 3, 2, 1]); // inclusive
    expect(await list({ until: at(1) })).toEqual([0]); // exclusive
    expect(await list({ since: at(1), until: at(4) })).toEqual([3, 2, 1]);
    expect(await list({ since: at(1), until: at(4), project_id: setup.project, trace_id })).toEqual([2]);
    expect(await list({ since: at(4).replace('Z', '+00:00'), until: '2100-01-01T00:00Z' })).toEqual([4]);
    expect(await list({ until: '1970-01-01T00:00Z' })).toEqual([]);
    const other = await createOwner(harness);
    expect((await other.caller.get('/posts?external_id=a').expect(200)).body.items).toEqual([]);
  });

  it.each([
    ['since=yesterday', 'since: bad_time'],
    ['until=2026-02-30T00:00:00Z', 'until: bad_time'],
    ['since=2026-01-01', 'since: bad_time'],
    ['external_id=', 'external_id: bad_form'],
    [`external_id=${'x'.repeat(129)}`, 'external_id: bad_form'],
    ['trace_id=a%00', 'trace_id: bad_form'],
    ['trace_id=a&trace_id=b', 'trace_id: bad_form'],
    ['project_id=-', 'project_id: bad_form'],
    ['state=sent', 'state: unknown_value'],
  ])('reject the query %s', async (query, problem) => {
    const { body } = await operatorCaller(harness).get(`/posts?${query}`).expect(422);
    expect(listProblems(body)).toEqual([problem]);
  });

  it('show each publication by itself too, as soon as the post is accepted', async () => {
    const setup = await PublishingSetup.create(harness);
    await setup.owner.caller.post(`/channels/${setup.channel.id}/pause`, { minutes: 60 }).expect(200);
    const { id } = await setup.readPublication(await setup.sendPost());
    const { body } = await setup.owner.caller.get(`/publications/${id}`).expect(200);
    expect(body).toEqual(await setup.readPublication(body.post_id));
    expect(body).toMatchObject({ id, state: 'queued', waiting_for: { rule: 'channel_pause' } });
    await (await createOwner(harness)).caller.get(`/publications/${id}`).expect(404);
    for (const unknown of ['pub_0', '%00']) await setup.owner.caller.get(`/publications/${unknown}`).expect(404);
  });

  it('are listed as soon as they are accepted, with the rule they wait for, and in the receipts', async () => {
    const setup = await PublishingSetup.create(harness);
    await setup.owner.caller.post(`/channels/${setup.channel.id}/pause`, { minutes: 60 }).expect(200);
    const newest = async (query: string) =>
      (await setup.owner.caller.get(`/posts?limit=1&${query}`).expect(200)).body.items[0];
    for (let i = 0; i < 10; i++) {
      const id = await setup.sendPost({ text: `Post ${i}` });
      const found = await newest(i % 2 === 0 ? `endpoint_id=${setup.endpoint.id}` : 'state=queued');
      expect(found).toMatchObject({ id, publications: [{ waiting_for: { rule: 'channel_pause' } }] });
      const next = await setup.sendPost({ text: `Post ${i}` });
      const { items } = (await setup.owner.caller.get(`/channels/${setup.channel.id}/receipts`).expect(200)).body;
      expect(items.at(-1)).toMatchObject({ post_id: next, sequence: 2 * i + 2, state: 'queued' });
      expect((await setup.readPublication(next)).waiting_for).toMatchObject({ rule: 'channel_pause' });
    }
  });

  it('have receipts, numbered without gaps, the oldest first (D-37)', async () => {
    const setup = await PublishingSetup.create(harness);
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push(await setup.sendPost({ text: `Post ${i}` }));
    for (const id of ids) await setup.waitForState(id, 'published');
    const receipts = async (query: string) =>
      (await setup.owner.caller.get(`/channels/${setup.channel.id}/receipts?${query}`).expect(200)).body;
    const all = await receipts('');
    expect(all.next).toBeNull();
    const wall = await harness.telegram.readLedger({ channel: setup.channel.chatId });
    expect(all.items).toEqual(
      ids.map((post_id, i) => ({
        sequence: i + 1,
        post_id,
        publication_id: expect.stringMatching(/^pub_/),
        state: 'published',
        message_ids: [wall[i]!.message_id],
        published_at: expect.stringMatching(/Z$/),
      })),
    );
    expect((await receipts('from=4')).items).toEqual(all.items.slice(3));
    const page = await receipts('from=2&limit=2');
    expect(page.items).toEqual(all.items.slice(1, 3));
    expect((await receipts(`from=2&limit=2&cursor=${page.next}`)).items).toEqual(all.items.slice(3));
    await setup.owner.caller.get(`/channels/${setup.channel.id}/receipts?from=first`).expect(422);
  });

  describe('in doubt', () => {
    const inDoubt = async (): Promise<{ setup: PublishingSetup; post: string; publication: string }> => {
      const setup = await PublishingSetup.create(harness);
      await harness.telegram.addFault({
        mode: 'accept_then_drop',
        method: 'sendMessage',
        channel: setup.channel.chatId,
      });
      const post = await setup.sendPost();
      const { id, waiting_for, attempts } = await setup.waitForState(post, 'in_doubt');
      expect(waiting_for).toBeNull();
      expect(attempts.at(-1)!.outcome).toBe('in_doubt');
      return { setup, post, publication: id };
    };

    it('are sent again at their owner’s request, once', async () => {
      const { setup, post, publication } = await inDoubt();
      expect((await setup.owner.caller.get('/posts?state=in_doubt')).body.items).toHaveLength(1);
      const { body, headers } = await setup.owner.caller.post(`/publications/${publication}/resend`).expect(200);
      expect(body).toMatchObject({ id: publication, post_id: post, target_id: setup.channel.id });
      expect(['queued', 'publishing', 'published']).toContain(body.state);
      expect(headers['x-position']).toMatch(/^\d+$/);
      await setup.waitForState(post, 'published');
      expect(await harness.telegram.readLedger({ channel: setup.channel.chatId })).toHaveLength(2);
      const again = await setup.owner.caller.post(`/publications/${publication}/resend`).expect(409);
      expect(again.body).toMatchObject({ ok: false, code: 'wrong_state' });
    });

    it('are dismissed at their owner’s request, once', async () => {
      const { setup, publication } = await inDoubt();
      const { body } = await setup.owner.caller.post(`/publications/${publication}/dismiss`).expect(200);
      expect(body).toMatchObject({ id: publication, state: 'dismissed' });
      await setup.owner.caller.post(`/publications/${publication}/dismiss`).expect(409);
      await setup.owner.caller.post(`/publications/${publication}/resend`).expect(409);
      expect((await setup.owner.caller.get('/posts?state=dismissed')).body.items).toHaveLength(1);
    });

    it('are resent only in a state that allows it', async () => {
      const setup = await PublishingSetup.create(harness);
      const { id } = await setup.waitForState(await setup.sendPost(), 'published');
      await setup.owner.caller.post(`/publications/${id}/resend`).expect(409);
      await setup.owner.caller.post('/publications/pub_0/resend').expect(404);
    });
  });

  it('count against their owner’s month when they are published (D-18)', async () => {
    const owner = await createOwner(harness, 'mini'); // in this profile: two posts a month, and webhook input
    const setup = await PublishingSetup.create(harness, owner);
    await setup.waitForState(await setup.sendPost(), 'published');
    const left = async () => {
      const { posts_used, posts_left } = (await owner.caller.get(`/owners/${owner.id}`).expect(200)).body;
      return [posts_used, posts_left];
    };
    expect(await left()).toEqual([1, 1]);
    const { headers } = await operatorCaller(harness).post(`/owners/${owner.id}/post-packs`, { posts: 3 }).expect(200);
    const { progress } = harness.running.infrastructure; // the response comes after the pack has released the posts that wait for it
    expect(await progress.waitFor(['publish-schedule'], BigInt(headers['x-position']!), 0)).toBe(true);
    expect(await left()).toEqual([1, 4]);
    await setup.waitForState(await setup.sendPost(), 'published');
    await setup.waitForState(await setup.sendPost(), 'published');
    expect(await left()).toEqual([3, 2]);
  });
});
