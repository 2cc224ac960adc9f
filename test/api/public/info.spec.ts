import { createHmac } from 'node:crypto';
import { until } from '../../e2e/until.js';
import { type Answer, type TestChannel, type TestEndpoint, TestGateway } from './gateway.js';

let gateway: TestGateway;
beforeAll(async () => (gateway = await TestGateway.start()));
afterAll(() => gateway.stop());

describe('discovery (publish-api.md: GET /v1/webhooks/{slug}/info)', () => {
  let owner: string;
  let [news, sport]: TestChannel[] = [];
  let projects: string[];
  let endpoint: TestEndpoint;
  beforeAll(async () => {
    owner = await gateway.createOwner();
    news = await gateway.createChannel(owner, 'News');
    sport = await gateway.createChannel(owner, 'Sport');
    projects = [
      await gateway.createProject(owner, [sport, news], 'Everything'),
      await gateway.createProject(owner, [news], 'News only'),
    ];
    endpoint = await gateway.createEndpoint(owner, projects, { name: 'Site' });
  });

  it('lists projects and targets in the order of their creation, with the capabilities, and hides names', async () => {
    const { status, body } = await endpoint.info();
    const target = (id: string) => ({ id, platform: 'telegram', name: null, paused_until: null });
    expect(status).toBe(200);
    expect(body).toEqual({
      endpoint: { slug: endpoint.slug, name: null, verbose: false },
      projects: [
        { index: 0, name: null, paused_until: null, targets: [target(sport!.id), target(news!.id)] },
        { index: 1, name: null, paused_until: null, targets: [target(news!.id)] },
      ],
      capabilities: {
        entity_types: [
          ...['bold', 'italic', 'underline', 'strikethrough', 'spoiler', 'code', 'pre', 'blockquote'],
          ...['expandable_blockquote', 'text_link', 'mention', 'url', 'email', 'phone_number', 'hashtag'],
          'custom_emoji',
        ],
        media_types: ['photo', 'video', 'audio'],
        limits: {
          max_text_length: 15895,
          max_media: 10,
          max_buttons_rows: 8,
          max_buttons_per_row: 8,
          max_payload_bytes: 5242880,
          max_pause_minutes: 1440,
          max_schedule_days: 366,
        },
        features: ['publish_at', 'overrides', 'withdraw', 'edit', 'statistics', 'pin', 'silent', 'media_upload'],
      },
    });
  });

  it('shows names in verbose mode, which is a setting of the endpoint', async () => {
    const verbose = await gateway.createEndpoint(owner, projects, { name: 'Site', verbose_discovery: true });
    const { body } = await verbose.info();
    expect(body.endpoint).toEqual({ slug: verbose.slug, name: 'Site', verbose: true });
    expect(body.projects[0]).toMatchObject({ name: 'Everything', targets: [{ name: 'Sport' }, { name: 'News' }] });
  });

  it('shows the name of an endpoint without one as null, verbose or not', async () => {
    const nameless = await gateway.createEndpoint(owner, projects, { verbose_discovery: true });
    expect((await nameless.info()).body.endpoint.name).toBeNull();
  });

  it('shows the projects in the order of the endpoint, from index 0', async () => {
    const reversed = await gateway.createEndpoint(owner, projects.toReversed(), { verbose_discovery: true });
    const { body } = await reversed.info();
    expect(body.projects.map(({ index, name }: { index: number; name: string }) => [index, name])).toEqual([
      [0, 'News only'],
      [1, 'Everything'],
    ]);
  });

  it('lists no projects for an endpoint without projects', async () => {
    const unbound = await gateway.createEndpoint(owner, []);
    expect((await unbound.info()).body.projects).toEqual([]);
  });

  it('omits a disabled channel: nothing would be published there', async () => {
    const disabled = await gateway.createChannel(owner, 'Off');
    const bound = await gateway.createEndpoint(owner, [await gateway.createProject(owner, [disabled, news!])]);
    await gateway.manage('PATCH', `/channels/${disabled.id}`, { enabled: false });
    expect((await bound.info()).body.projects[0].targets).toMatchObject([{ id: news!.id }]);
  });

  it('shows the ends of pauses, whether or not names are hidden, and null after they are lifted', async () => {
    const channel = await gateway.createChannel(owner);
    const project = await gateway.createProject(owner, [channel]);
    const paused = await gateway.createEndpoint(owner, [project]);
    await gateway.manage('POST', `/projects/${project}/pause`, { minutes: 10 });
    await gateway.manage('POST', `/channels/${channel.id}/pause`, { minutes: 20 });
    const [found] = (await paused.info()).body.projects;
    expect(found.paused_until).toBe((await gateway.manage('GET', `/projects/${project}`)).paused_until);
    expect(found.targets[0].paused_until).toBe((await gateway.manage('GET', `/channels/${channel.id}`)).paused_until);
    expect(found.paused_until).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

    await gateway.manage('POST', `/projects/${project}/resume`);
    await gateway.manage('POST', `/channels/${channel.id}/resume`);
    expect((await paused.info()).body.projects[0]).toMatchObject({
      paused_until: null,
      targets: [{ paused_until: null }],
    });
  });

  it('shows no rate limit', async () => {
    expect(JSON.stringify((await endpoint.info()).body)).not.toMatch(/interval|hourly|burst|per_minute/);
  });

  it('requires the same credentials as publishing', async () => {
    const { status } = await endpoint.info({ authorization: 'Bearer service_live_wrong' });
    expect(status).toBe(401);
  });

  describe('with signatures (D-13)', () => {
    let signing: TestEndpoint;
    beforeAll(async () => (signing = await gateway.createEndpoint(owner, projects, { require_signature: true })));
    const signature = (text: string): string => createHmac('sha256', signing.secret).update(text).digest('hex');
    const headers = (path: string, timestamp: string): Record<string, string> => ({
      'x-service-timestamp': timestamp,
      'x-service-client-signature': `sha256=${signature(`GET\n${path}\n${timestamp}`)}`,
    });
    const now = (): string => String(Math.round(Date.now() / 1_000));

    it('accepts a signature over method, path and timestamp', async () => {
      expect((await signing.info(headers(`/v1/webhooks/${signing.slug}/info`, now()))).status).toBe(200);
    });

    it('rejects a signature over another path, and one without the timestamp', async () => {
      expect((await signing.info(headers(`/v1/webhooks/${signing.slug}`, now()))).status).toBe(401);
      const { 'x-service-timestamp': _, ...without } = headers(`/v1/webhooks/${signing.slug}/info`, now());
      expect((await signing.info(without)).status).toBe(401);
    });
  });
});

describe('an expired pause', () => {
  it('is not shown: paused_until is null', async () => {
    const short = await TestGateway.start({ MINUTE_MS: '1' });
    try {
      const owner = await short.createOwner();
      const endpoint = await short.createEndpoint(owner, [
        await short.createProject(owner, [await short.createChannel(owner)]),
      ]);
      expect((await endpoint.post('temp-pause', { project_minutes: 1, target_minutes: 1 })).status).toBe(200);
      expect((await endpoint.info()).body.projects).toMatchObject([
        { paused_until: null, targets: [{ paused_until: null }] },
      ]);
    } finally {
      await short.stop();
    }
  });
});

describe('the state of a post (publish-api.md: GET /v1/webhooks/{slug}/posts/{post_id}; D-48)', () => {
  let owner: string;
  let channels: TestChannel[];
  let projects: string[];
  let endpoint: TestEndpoint;
  beforeAll(async () => {
    owner = await gateway.createOwner();
    channels = [];
    for (const name of ['News', 'Sport', 'Weather']) channels.push(await gateway.createChannel(owner, name));
    const [news, sport, weather] = channels as [TestChannel, TestChannel, TestChannel];
    projects = [
      await gateway.createProject(owner, [sport, news], 'First'),
      await gateway.createProject(owner, [news, weather], 'Second'),
    ];
    endpoint = await gateway.createEndpoint(owner, projects);
  });

  const post = async (of: TestEndpoint, payload: object = {}): Promise<string> =>
    (await of.post('', { text: 'Ahoy', ...payload })).body.id;
  const places = ({ body }: Answer): unknown[] =>
    body.publications.map(({ project, target }: { project: unknown; target: unknown }) => [project, target]);

  it('shows its publications by their places in discovery, from acceptance on', async () => {
    const id = await post(endpoint, { trace_id: 't', external_id: 'e' });
    const { status, body } = await endpoint.readPost(id);
    expect(status).toBe(200);
    const publication = (project: number, target: number) => ({
      project,
      target,
      platform: 'telegram',
      state: expect.any(String),
      message_ids: expect.any(Array),
      urls: expect.any(Array),
      error: null,
      withdrawal: null,
    });
    const publications = [publication(0, 0), publication(0, 1), publication(1, 1)].map((one, n) => ({
      ...one,
      published_at: body.publications[n].published_at as unknown,
      waiting_for: body.publications[n].waiting_for as unknown,
      content_version: body.publications[n].content_version as unknown,
      edited_at: null,
      edit: null,
      pinned: null,
      can: body.publications[n].can as unknown,
      statistics: {
        state: 'unavailable',
        as_of: null,
        views: null,
        reactions: null,
        comments: null,
        shares: null,
        text: "Telegram's Bot API gives bots no numbers for a post.",
      },
    }));
    const accepted_at = expect.stringMatching(/Z$/) as string;
    const plan = { publish_at: null, released_at: accepted_at, approval: null, revision: 1 };
    expect(body).toEqual({ ok: true, id, accepted_at, trace_id: 't', external_id: 'e', publications, ...plan });

    const published = await until('all are published', async () => {
      const answer = await endpoint.readPost(id);
      return answer.body.publications.every(({ state }: { state: string }) => state === 'published') && answer.body;
    });
    const [message] = await gateway.telegram.readLedger({ channel: channels[1]!.chatId });
    expect(published.publications[0]).toMatchObject({
      message_ids: [message!.message_id],
      published_at: expect.stringMatching(/Z$/),
    });
  });

  it('shows names if discovery is verbose, and null for what discovery lists no more', async () => {
    const verbose = await gateway.createEndpoint(owner, projects, { verbose_discovery: true });
    const id = await post(verbose);
    const names = [
      ['First', 'Sport'],
      ['First', 'News'],
      ['Second', 'Weather'],
    ];
    await until('the post is shown', async () => (await verbose.readPost(id)).status === 200);
    expect(places(await verbose.readPost(id))).toEqual(names);
    await gateway.manage('PATCH', `/endpoints/${verbose.id}`, { project_ids: [projects[0]], verbose_discovery: false });
    expect(places(await verbose.readPost(id))).toEqual([
      [0, 0],
      [0, 1],
      [null, null],
    ]);
  });

  it('shows the error of the latest attempt', async () => {
    const body = { ok: false, error_code: 400, description: 'Bad Request: message is too long' };
    // For every call, because the previous test's post may still be on its way to this chat.
    await gateway.telegram.addFault({ mode: 'answer', times: null, status: 400, body, channel: channels[0]!.chatId });
    const id = await post(endpoint, { targets: [{ id: channels[0]!.id }] });
    const [publication] = await until('it has failed', async () => {
      const { publications } = (await endpoint.readPost(id)).body;
      return publications[0].state === 'failed' && publications;
    });
    await gateway.telegram.clearFaults();
    expect(publication).toMatchObject({
      project: 0,
      target: 1,
      published_at: null,
      error: { code: expect.any(String), message: expect.any(String) },
    });
  });

  it('says why a publication waits, without names and ids (D-66)', async () => {
    await gateway.manage('POST', `/channels/${channels[0]!.id}/pause`, { minutes: 30 });
    const targets = [{ id: channels[0]!.id }];
    const [first, second] = [await post(endpoint, { targets }), await post(endpoint, { targets })];
    const waits = async (id: string) => {
      const { publications } = (await endpoint.readPost(id)).body;
      return publications.map(({ state, waiting_for: wait }: { state: string; waiting_for: unknown }) => [state, wait]);
    };
    const isHeld = async (id: string) => {
      const [{ waiting_for }] = (await endpoint.readPost(id)).body.publications;
      return waiting_for.until !== null;
    };
    await until('both wait for the end of the pause', async () => (await isHeld(first)) && (await isHeld(second)));
    const end = expect.stringMatching(/^\d{4}-.*Z$/);
    expect(await waits(first)).toEqual([
      [
        'queued',
        {
          rule: 'channel_pause',
          until: end,
          text: expect.stringMatching(/^Its channel is paused until \d/),
        },
      ],
    ]);
    expect(await waits(second)).toMatchObject([['queued', { until: end }]]);
    expect(JSON.stringify([await waits(first), await waits(second)])).not.toMatch(/tgt_|pub_|Sport|News/);
    await gateway.manage('POST', `/channels/${channels[0]!.id}/resume`, {});
    await until('the first is published', async () => (await waits(first))[0]![0] === 'published');
    expect(await waits(first)).toEqual([['published', null]]);
  });

  it('is found by the endpoint that accepted the post alone', async () => {
    const id = await post(endpoint);
    const another = await gateway.createEndpoint(owner, projects);
    for (const unknown of [id, 'post_0', '%00', `post_${'0'.repeat(32)}`]) {
      const { status, body } = await another.readPost(unknown);
      expect([unknown, status, body.code]).toEqual([unknown, 404, 'not_found']);
    }
    const entries = await until('four entries', async () => {
      const { items } = await gateway.manage('GET', `/endpoints/${another.id}/requests`);
      return items.length === 4 && items;
    });
    expect(entries[0]).toMatchObject({
      route: 'GET /v1/webhooks/{slug}/posts/{post_id}',
      decision: 'rejected_validation',
      http_status: 404,
    });
  });

  it('is authenticated like discovery', async () => {
    const id = await post(endpoint);
    expect((await endpoint.readPost(id, { authorization: 'Bearer wrong' })).status).toBe(401);
    const signed = await gateway.createEndpoint(owner, projects, { require_signature: true });
    const path = `/v1/webhooks/${signed.slug}/posts/${id}`;
    const at = String(Math.floor(Date.now() / 1_000));
    const signature = createHmac('sha256', signed.secret).update(`GET\n${path}\n${at}`).digest('hex');
    const headers = { 'x-service-timestamp': at, 'x-service-client-signature': signature };
    expect((await signed.readPost(id, headers)).status).toBe(404);
    expect((await signed.readPost(id)).status).toBe(401);
  });
});
