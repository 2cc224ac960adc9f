import { createHmac } from 'node:crypto';
import { type TestChannel, type TestEndpoint, TestGateway } from './gateway.js';

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
        },
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
