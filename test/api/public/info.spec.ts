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
    owner = await gateway.owner();
    news = await gateway.channel(owner, 'News');
    sport = await gateway.channel(owner, 'Sport');
    projects = [
      await gateway.project(owner, [sport, news], 'Everything'),
      await gateway.project(owner, [news], 'News only'),
    ];
    endpoint = await gateway.endpoint(owner, projects, { name: 'Site' });
  });

  it('lists projects and targets in the order they were set up in, with the capabilities, and hides names', async () => {
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

  it('shows names in verbose mode, which is a switch of the endpoint', async () => {
    const verbose = await gateway.endpoint(owner, projects, { name: 'Site', verbose_discovery: true });
    const { body } = await verbose.info();
    expect(body.endpoint).toEqual({ slug: verbose.slug, name: 'Site', verbose: true });
    expect(body.projects[0]).toMatchObject({ name: 'Everything', targets: [{ name: 'Sport' }, { name: 'News' }] });
  });

  it('shows the name of a nameless endpoint as null, verbose or not', async () => {
    const nameless = await gateway.endpoint(owner, projects, { verbose_discovery: true });
    expect((await nameless.info()).body.endpoint.name).toBeNull();
  });

  it('shows the projects in the order of the endpoint, from index 0', async () => {
    const turned = await gateway.endpoint(owner, projects.toReversed(), { verbose_discovery: true });
    const { body } = await turned.info();
    expect(body.projects.map(({ index, name }: { index: number; name: string }) => [index, name])).toEqual([
      [0, 'News only'],
      [1, 'Everything'],
    ]);
  });

  it('answers an endpoint without projects with none', async () => {
    const unbound = await gateway.endpoint(owner, []);
    expect((await unbound.info()).body.projects).toEqual([]);
  });

  it('leaves out a channel that is switched off: nothing would be published there', async () => {
    const off = await gateway.channel(owner, 'Off');
    const on = await gateway.endpoint(owner, [await gateway.project(owner, [off, news!])]);
    await gateway.manage('PATCH', `/channels/${off.id}`, { enabled: false });
    expect((await on.info()).body.projects[0].targets).toMatchObject([{ id: news!.id }]);
  });

  it('shows the ends of pauses, names hidden or not, and null again when they are lifted', async () => {
    const channel = await gateway.channel(owner);
    const project = await gateway.project(owner, [channel]);
    const paused = await gateway.endpoint(owner, [project]);
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

  it('names no rate limit', async () => {
    expect(JSON.stringify((await endpoint.info()).body)).not.toMatch(/interval|hourly|burst|per_minute/);
  });

  it('asks for the same credentials as publishing', async () => {
    const { status } = await endpoint.info({ authorization: 'Bearer service_live_wrong' });
    expect(status).toBe(401);
  });

  describe('with signatures (D-13)', () => {
    let signed: TestEndpoint;
    beforeAll(async () => (signed = await gateway.endpoint(owner, projects, { require_signature: true })));
    const signature = (text: string): string => createHmac('sha256', signed.secret).update(text).digest('hex');
    const headers = (path: string, timestamp: string): Record<string, string> => ({
      'x-service-timestamp': timestamp,
      'x-service-client-signature': `sha256=${signature(`GET\n${path}\n${timestamp}`)}`,
    });
    const now = (): string => String(Math.round(Date.now() / 1_000));

    it('takes a signature over method, path and timestamp', async () => {
      expect((await signed.info(headers(`/v1/webhooks/${signed.slug}/info`, now()))).status).toBe(200);
    });

    it('takes no signature over another path, and none without the timestamp', async () => {
      expect((await signed.info(headers(`/v1/webhooks/${signed.slug}`, now()))).status).toBe(401);
      const { 'x-service-timestamp': _, ...without } = headers(`/v1/webhooks/${signed.slug}/info`, now());
      expect((await signed.info(without)).status).toBe(401);
    });
  });
});

describe('a pause that has passed', () => {
  it('is no pause: paused_until is null', async () => {
    const short = await TestGateway.start({ MINUTE_MS: '1' });
    try {
      const owner = await short.owner();
      const endpoint = await short.endpoint(owner, [await short.project(owner, [await short.channel(owner)])]);
      expect((await endpoint.post('temp-pause', { project_minutes: 1, target_minutes: 1 })).status).toBe(200);
      expect((await endpoint.info()).body.projects).toMatchObject([
        { paused_until: null, targets: [{ paused_until: null }] },
      ]);
    } finally {
      await short.stop();
    }
  });
});
