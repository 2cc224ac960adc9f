import { WebhookReceiver } from '../../support/webhook-receiver.js';
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
import {
  addFault,
  answering,
  attentionOf,
  BREAKING_OFF,
  networkOf,
  readOverview,
  waitForOverview,
} from './overview-reader.js';
import { LIMITS_PROFILE, PublishingSetup } from './publishing-setup.js';
import { sendUnchecked } from './send-unchecked.js';

let harness: ManagementHarness;
beforeAll(async () => {
  harness = await startHarness({ LIMITS_PROFILE, ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8' });
});
afterAll(() => harness.stop());
afterEach(() => harness.telegram.clearFaults());

/** Sends posts, all at once, so that the endpoint's interval cannot end between two of them on a busy machine. */
const violateLimits = (endpoint: CreatedEndpoint): Promise<unknown> =>
  Promise.all(Array.from({ length: 7 }, () => sendUnchecked(harness, endpoint)));

describe('the things that need attention', () => {
  let receiver: WebhookReceiver;
  beforeAll(async () => {
    receiver = await WebhookReceiver.start();
    receiver.answer = () => ({ status: 410 });
  });
  afterAll(() => receiver.close());

  it('is sorted by code, with the number, the ids, a sentence, the facts and the call that helps', async () => {
    const setup = await PublishingSetup.create(harness);
    const { owner, channel } = setup;
    const { caller } = owner;
    const kinds = ['publication.failed'];
    const { body: output } = await caller
      .post('/webhook-outputs', { project_id: setup.project, url: receiver.url, kinds })
      .expect(201);
    await addFault(harness, setup, answering(400, 'Bad Request: message is too strange'));
    const failedPost = await setup.sendPost({ text: 'Advert' });
    const failed = await setup.waitForState(failedPost, 'failed');
    await harness.telegram.clearFaults();
    await addFault(harness, setup, BREAKING_OFF);
    const doubtfulPost = await setup.sendPost({ text: 'Regatta on Sunday' });
    const doubtful = await setup.waitForState(doubtfulPost, 'in_doubt');
    await harness.telegram.clearFaults();
    await addFault(harness, setup, answering(401, 'Unauthorized'));
    await setup.waitForRule(await setup.sendPost(), 'needs_attention');
    await setup.sendPost();
    const endpoint = await createEndpoint(owner, [setup.project], { min_interval: 60, name: 'Newsroom' });
    await violateLimits(endpoint); // the first one is accepted
    const offByOwner = await createEndpoint(owner, [setup.project]);
    await caller.post(`/endpoints/${offByOwner.id}/disable`).expect(200);

    const shown = await waitForOverview(
      caller,
      'all of it',
      // What waits on the channel comes from another read model.
      (overview) =>
        overview.attention.length === 5 && attentionOf(overview, 'channel_needs_attention')?.subject?.waiting === 3,
    );
    const codes = ['in_doubt', 'channel_needs_attention', 'endpoint_disabled', 'publication_failed'];
    expect(shown.attention.map(({ code }) => code)).toEqual([...codes, 'webhook_output_disabled']);
    expect(shown.attention.every(({ count, since }) => count === 1 && since < shown.at)).toBe(true);
    expect(attentionOf(shown, 'in_doubt')).toMatchObject({
      ids: [doubtful.id],
      text: expect.stringContaining('"Regatta on Sunday" was published on Telegram'),
      action: { label_code: 'resolve', method: 'GET', path: `/publications/${doubtful.id}` },
      subject: {
        id: doubtful.id,
        publication_id: doubtful.id,
        post_id: doubtfulPost,
        excerpt: 'Regatta on Sunday',
        platform: 'telegram',
        channel_id: channel.id,
        channel_name: 'News',
        owner_id: owner.id,
        code: (doubtful.attempts.at(-1)!.error as { code: string }).code,
      },
    });
    expect(attentionOf(shown, 'channel_needs_attention')).toMatchObject({
      ids: [channel.id],
      text: expect.stringMatching(/^The channel "News" on Telegram needs attention: /),
      action: { label_code: 'retry', method: 'POST', path: `/channels/${channel.id}/retry` },
      subject: { channel_name: 'News', code: 'unauthorized', platform_says: 'Unauthorized', waiting: 3 },
    });
    expect(attentionOf(shown, 'endpoint_disabled')).toMatchObject({
      ids: [endpoint.id],
      action: { label_code: 'enable', method: 'POST', path: `/endpoints/${endpoint.id}/enable` },
      subject: { name: 'Newsroom', disabled_by: 'rate_limits', message: expect.any(String) },
    });
    expect(attentionOf(shown, 'publication_failed')).toMatchObject({
      ids: [failed.id],
      action: { label_code: 'view_reason', method: 'GET', path: `/publications/${failed.id}` },
      subject: { excerpt: 'Advert', platform_says: 'Bad Request: message is too strange' },
    });
    expect(attentionOf(shown, 'webhook_output_disabled')).toMatchObject({
      ids: [output.id],
      action: { label_code: 'enable', method: 'POST', path: `/webhook-outputs/${output.id}/enable` },
      subject: { name: receiver.url, disabled_by: 'gone' },
    });
    const kindsOfFeed = [
      'channel_needs_attention',
      'endpoint_disabled',
      'failed',
      'in_doubt',
      'webhook_output_disabled',
    ];
    expect(new Set(shown.recent.map(({ kind }) => kind))).toEqual(new Set([...kindsOfFeed, 'postponed']));
    expect(shown.recent.find(({ kind }) => kind === 'endpoint_disabled')).toMatchObject({
      resource_id: endpoint.id,
      name: 'Newsroom',
      platform: null,
      post_id: null,
    });

    // Each item disappears once a person has acted.
    await harness.telegram.clearFaults();
    await caller.post(`/publications/${doubtful.id}/dismiss`).expect(200);
    await caller.post(`/publications/${failed.id}/resend`).expect(200);
    for (const { action } of shown.attention)
      if (action!.method === 'POST') await caller.post(action!.path).expect(200);
    await waitForOverview(caller, 'nothing that needs attention', ({ attention }) => attention.length === 0);
  });

  it('is no longer an endpoint that its owner has disabled after the gateway did', async () => {
    const setup = await PublishingSetup.create(harness);
    const { owner } = setup;
    const { caller } = owner;
    const endpoint = await createEndpoint(owner, [setup.project], { min_interval: 60 });
    await violateLimits(endpoint);
    await waitForOverview(caller, 'the endpoint', (overview) => attentionOf(overview, 'endpoint_disabled'));
    await caller.post(`/endpoints/${endpoint.id}/disable`).expect(200);
    await waitForOverview(caller, 'nothing that needs attention', ({ attention }) => attention.length === 0);
  });

  it('has at most 20 ids, the longest first, but counts all', async () => {
    const setup = await PublishingSetup.create(harness);
    await addFault(harness, setup, { ...answering(400, 'Bad Request'), times: null });
    const posts: string[] = [];
    for (let i = 0; i < 22; i++) posts.push(await setup.sendPost());
    const { attention } = await waitForOverview(
      setup.owner.caller,
      '22 failed ones',
      (shown) => attentionOf(shown, 'publication_failed')?.count === 22,
    );
    const first = await setup.readPublication(posts[0]!);
    expect(attention[0]!.ids).toHaveLength(20);
    expect(attention[0]!.ids[0]).toBe(first.id);
    expect(attention[0]).toMatchObject({
      text: '22 publications failed. Send them again, or dismiss them.',
      action: { label_code: 'view_all', method: 'GET', path: `/posts?state=failed&owner_id=${setup.owner.id}` },
    });
  });

  it('is a quota that is used up, since the publication that used it up', async () => {
    const owner = await createOwner(harness, 'mini');
    const channels = await Promise.all([1, 2, 3].map(() => createChannel(owner)));
    const project = await createProject(
      owner,
      channels.map(({ id }) => id),
    );
    await sendPost(harness, await createEndpoint(owner, [project]), { text: 'For three channels, of two posts' });
    const shown = await waitForOverview(
      owner.caller,
      'a used-up quota',
      // The network's state and its queue come from different read models.
      (overview) =>
        overview.attention.length === 1 &&
        networkOf(overview).published_hour === 2 &&
        overview.waiting[0]?.waiting_for?.rule === 'quota' &&
        networkOf(overview).state === 'held',
    );
    const { last_published_at: since, published_hour } = networkOf(shown);
    expect(published_hour).toBe(2);
    expect(shown.owner).toMatchObject({ posts_left: 0, posts_used: 2 });
    const expected = {
      code: 'quota_exhausted',
      since,
      count: 1,
      ids: [owner.id],
      action: { label_code: 'view_plan', method: 'GET', path: `/owners/${owner.id}` },
      subject: { plan: 'mini', owner_name: 'Acme', resets_at: shown.owner!.resets_at },
    };
    expect(shown.attention).toMatchObject([expected]);
    expect(attentionOf(await readOverview(operatorCaller(harness)), 'quota_exhausted')!.ids).toContain(owner.id);
    await operatorCaller(harness).post(`/owners/${owner.id}/post-packs`, { posts: 5 }).expect(200);
    await waitForOverview(owner.caller, 'no used-up quota', ({ attention }) => attention.length === 0);
  });

  it('is nothing of a deleted channel', async () => {
    const setup = await PublishingSetup.create(harness);
    await addFault(harness, setup, answering(400, 'Bad Request'));
    await setup.waitForState(await setup.sendPost(), 'failed');
    await addFault(harness, setup, answering(401, 'Unauthorized'));
    await setup.waitForRule(await setup.sendPost(), 'needs_attention');
    const { caller } = setup.owner;
    await waitForOverview(caller, 'both', ({ attention }) => attention.length === 2);
    await caller.delete(`/channels/${setup.channel.id}?cascade=true`).expect(204);
    const shown = await waitForOverview(
      caller,
      'nothing',
      // The deletion comes before the cancellation of what waits.
      (overview) => overview.attention.length === 0 && networkOf(overview).waiting === 0,
    );
    expect(networkOf(shown)).toMatchObject({ failed: 0, waiting: 0, state: 'idle' });
  });
});
