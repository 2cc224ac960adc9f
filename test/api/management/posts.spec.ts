import { Line, LIMITS_PROFILE } from './line.js';
import { newOwner, operatorOf, type Stage, startStage } from './stage.js';

describe('posts', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage({ LIMITS_PROFILE });
  });
  afterAll(() => stage.stop());
  afterEach(() => stage.telegram.clearFaults());

  it('show what was sent and what became of it', async () => {
    const line = await Line.open(stage);
    const payload = {
      text: 'Hello',
      entities: [{ type: 'bold', offset: 0, length: 5 }],
      external_id: 'ext-1',
      trace_id: 'trace-1',
      metadata: { b: 1, a: { nested: [true, null, '1.0'] } },
    };
    const id = await line.send(payload);
    await line.inState(id, 'published');
    const { body } = await line.owner.caller.get(`/posts/${id}`).expect(200);
    const [message] = await stage.telegram.ledger({ channel: line.channel.chatId });
    expect(body).toEqual({
      id,
      ...{ endpoint_id: line.endpoint.id, owner_id: line.owner.id, accepted_at: expect.stringMatching(/Z$/) },
      ...{ external_id: 'ext-1', trace_id: 'trace-1', metadata: payload.metadata, payload },
      publications: [
        {
          id: expect.stringMatching(/^pub_[0-9a-f]{32}$/),
          ...{ post_id: id, target_id: line.channel.id, platform: 'telegram', project_id: line.project, sequence: 1 },
          ...{ state: 'published', not_before: null, waiting_for: null, warnings: [] },
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
        },
      ],
    });
    expect(Object.keys(body.metadata)).toEqual(['b', 'a']); // as it was sent
    const { payload: _, ...listed } = body;
    expect((await line.owner.caller.get('/posts').expect(200)).body).toEqual({ items: [listed], next: null });
  });

  it('show a payload that was stored in parts like any other (D-42)', async () => {
    const line = await Line.open(stage);
    const metadata = { blob: 'ж'.repeat(700_000) };
    const id = await line.send({ text: 'Large', metadata });
    const { body } = await line.owner.caller.get(`/posts/${id}`).expect(200);
    expect(body.payload).toEqual({ text: 'Large', metadata });
    expect((await line.owner.caller.get('/posts')).body.items[0].metadata).toEqual(metadata);
  });

  it.each([
    ['a character that a database cannot hold', 'Bad\u0000 Request'],
    ['half an emoji', `${'x'.repeat(499)}🎈`],
  ])('are shown although the network’s words have %s in them', async (_, description) => {
    const line = await Line.open(stage);
    const body = { ok: false, error_code: 400, description };
    await stage.telegram.addFault({ mode: 'answer', status: 400, body, channel: line.channel.chatId });
    const { attempts } = await line.inState(await line.send(), 'failed');
    expect(attempts[0]).toMatchObject({
      outcome: 'failed',
      error: { platform_says: expect.stringContaining('\ufffd') },
    });
  });

  it('are not there for others', async () => {
    const line = await Line.open(stage);
    const id = await line.send();
    const { id: publication } = await line.inState(id, 'published');
    const { caller } = await newOwner(stage);
    await caller.get(`/posts/${id}`).expect(404);
    await caller.post(`/publications/${publication}/resend`).expect(404);
    await caller.post(`/publications/${publication}/dismiss`).expect(404);
    expect((await caller.get(`/posts?endpoint_id=${line.endpoint.id}`).expect(200)).body.items).toEqual([]);
    await operatorOf(stage).get(`/posts/${id}`).expect(200);
    for (const nobody of ['post_0', '%00']) await caller.get(`/posts/${nobody}`).expect(404);
  });

  it('are listed newest first, by endpoint, channel and state, page by page', async () => {
    const line = await Line.open(stage);
    const second = await Line.open(stage, line.owner);
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push(await (i % 2 === 0 ? line : second).send({ text: `Post ${i}` }));
    for (const [i, id] of ids.entries()) await (i % 2 === 0 ? line : second).inState(id, 'published');
    const list = async (query: string): Promise<string[]> =>
      (await line.owner.caller.get(`/posts?${query}`).expect(200)).body.items.map(({ id }: { id: string }) => id);
    expect(await list('')).toEqual(ids.toReversed());
    const [first, others] = [
      [ids[4], ids[2], ids[0]],
      [ids[3], ids[1]],
    ];
    expect(await list(`endpoint_id=${line.endpoint.id}`)).toEqual(first);
    expect(await list(`channel_id=${second.channel.id}`)).toEqual(others);
    expect(await list(`channel_id=${second.channel.id}&state=published`)).toEqual(others);
    expect(await list('state=failed')).toEqual([]);
    expect(await list(`channel_id=${second.channel.id}&endpoint_id=${line.endpoint.id}`)).toEqual([]);
    const page = (await line.owner.caller.get('/posts?limit=3&state=published')).body;
    expect(await list(`limit=3&state=published&cursor=${page.next}`)).toEqual([ids[1], ids[0]]);
    await line.owner.caller.post(`/channels/${line.channel.id}/pause`, { minutes: 60 }).expect(200);
    const waiting = await line.send({ text: 'Post 5' });
    await line.waitingFor(waiting, 'channel_pause');
    expect(await list('state=queued')).toEqual([waiting]);
    await line.owner.caller.get('/posts?state=lost').expect(422);
  });

  it('are in the list as soon as they were accepted, by what they wait for, too, and among the receipts', async () => {
    const line = await Line.open(stage);
    await line.owner.caller.post(`/channels/${line.channel.id}/pause`, { minutes: 60 }).expect(200);
    const newest = async (query: string) =>
      (await line.owner.caller.get(`/posts?limit=1&${query}`).expect(200)).body.items[0];
    for (let i = 0; i < 10; i++) {
      const id = await line.send({ text: `Post ${i}` });
      const found = await newest(i % 2 === 0 ? `endpoint_id=${line.endpoint.id}` : 'state=queued');
      expect(found).toMatchObject({ id, publications: [{ waiting_for: { rule: 'channel_pause' } }] });
      const next = await line.send({ text: `Post ${i}` });
      const { items } = (await line.owner.caller.get(`/channels/${line.channel.id}/receipts`).expect(200)).body;
      expect(items.at(-1)).toMatchObject({ post_id: next, sequence: 2 * i + 2, state: 'queued' });
      expect((await line.publicationOf(next)).waiting_for).toMatchObject({ rule: 'channel_pause' });
    }
  });

  it('leave receipts, numbered without gaps, the oldest first (D-37)', async () => {
    const line = await Line.open(stage);
    const ids: string[] = [];
    for (let i = 0; i < 5; i++) ids.push(await line.send({ text: `Post ${i}` }));
    for (const id of ids) await line.inState(id, 'published');
    const receipts = async (query: string) =>
      (await line.owner.caller.get(`/channels/${line.channel.id}/receipts?${query}`).expect(200)).body;
    const all = await receipts('');
    expect(all.next).toBeNull();
    const wall = await stage.telegram.ledger({ channel: line.channel.chatId });
    expect(all.items).toEqual(
      ids.map((post_id, i) => ({
        ...{ sequence: i + 1, post_id, publication_id: expect.stringMatching(/^pub_/), state: 'published' },
        ...{ message_ids: [wall[i]!.message_id], published_at: expect.stringMatching(/Z$/) },
      })),
    );
    expect((await receipts('from=4')).items).toEqual(all.items.slice(3));
    const page = await receipts('from=2&limit=2');
    expect(page.items).toEqual(all.items.slice(1, 3));
    expect((await receipts(`from=2&limit=2&cursor=${page.next}`)).items).toEqual(all.items.slice(3));
    await line.owner.caller.get(`/channels/${line.channel.id}/receipts?from=first`).expect(422);
  });

  describe('that nobody can say were published', () => {
    const inDoubt = async (): Promise<{ line: Line; post: string; publication: string }> => {
      const line = await Line.open(stage);
      await stage.telegram.addFault({ mode: 'accept_then_drop', method: 'sendMessage', channel: line.channel.chatId });
      const post = await line.send();
      const { id, waiting_for, attempts } = await line.inState(post, 'in_doubt');
      expect(waiting_for).toBeNull();
      expect(attempts.at(-1)!.outcome).toBe('in_doubt');
      return { line, post, publication: id };
    };

    it('are sent again when their owner says so, once', async () => {
      const { line, post, publication } = await inDoubt();
      expect((await line.owner.caller.get('/posts?state=in_doubt')).body.items).toHaveLength(1);
      const { body, headers } = await line.owner.caller.post(`/publications/${publication}/resend`).expect(200);
      expect(body).toMatchObject({ id: publication, post_id: post, target_id: line.channel.id });
      expect(['queued', 'publishing', 'published']).toContain(body.state);
      expect(headers['x-position']).toMatch(/^\d+$/);
      await line.inState(post, 'published');
      expect(await stage.telegram.ledger({ channel: line.channel.chatId })).toHaveLength(2);
      const again = await line.owner.caller.post(`/publications/${publication}/resend`).expect(409);
      expect(again.body).toMatchObject({ ok: false, code: 'wrong_state' });
    });

    it('are let be when their owner says so, once', async () => {
      const { line, publication } = await inDoubt();
      const { body } = await line.owner.caller.post(`/publications/${publication}/dismiss`).expect(200);
      expect(body).toMatchObject({ id: publication, state: 'dismissed' });
      await line.owner.caller.post(`/publications/${publication}/dismiss`).expect(409);
      await line.owner.caller.post(`/publications/${publication}/resend`).expect(409);
      expect((await line.owner.caller.get('/posts?state=dismissed')).body.items).toHaveLength(1);
    });

    it('are decided on only where there is something to decide', async () => {
      const line = await Line.open(stage);
      const { id } = await line.inState(await line.send(), 'published');
      await line.owner.caller.post(`/publications/${id}/resend`).expect(409);
      await line.owner.caller.post('/publications/pub_0/resend').expect(404);
    });
  });

  it('count against the month of their owner when they are published (D-18)', async () => {
    const owner = await newOwner(stage, 'mini'); // of this profile: two posts a month, and webhook input
    const line = await Line.open(stage, owner);
    await line.inState(await line.send(), 'published');
    const left = async () => {
      const { posts_used, posts_left } = (await owner.caller.get(`/owners/${owner.id}`).expect(200)).body;
      return [posts_used, posts_left];
    };
    expect(await left()).toEqual([1, 1]);
    const { headers } = await operatorOf(stage).post(`/owners/${owner.id}/post-packs`, { posts: 3 }).expect(200);
    const { progress } = stage.running.infrastructure; // what waited for the pack is told to be free with its answer
    expect(await progress.waitFor(['publish-schedule'], BigInt(headers['x-position']!), 0)).toBe(true);
    expect(await left()).toEqual([1, 4]);
    await line.inState(await line.send(), 'published');
    await line.inState(await line.send(), 'published');
    expect(await left()).toEqual([3, 2]);
  });
});
