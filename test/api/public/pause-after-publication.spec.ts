import { until } from '../../e2e/until.js';
import { type TestChannel, type TestEndpoint, TestGateway } from './gateway.js';

interface Publication {
  readonly id: string;
  readonly target_id: string;
  readonly state: string;
  readonly waiting_for: { readonly rule: string } | null;
  readonly attempts: readonly { readonly started_at: string }[];
}

let gateway: TestGateway;
let owner: string;
beforeAll(async () => {
  // Long minutes: what the tests find waiting must not go out meanwhile, a minute after the post before it.
  gateway = await TestGateway.start({ MINUTE_MS: '600000' });
  owner = await gateway.createOwner();
});
afterEach(() => gateway.telegram.clearFaults());
afterAll(() => gateway.stop());

const setUp = async (count: number) => {
  const channels: TestChannel[] = [];
  for (let i = 0; i < count; i++) channels.push(await gateway.createChannel(owner));
  const project = await gateway.createProject(owner, channels);
  return { channels, project, endpoint: await gateway.createEndpoint(owner, [project]) };
};
const sendPost = async (endpoint: TestEndpoint, payload: object): Promise<string> => {
  const { status, body } = await endpoint.post('', payload);
  expect(status).toBe(200);
  return body.id;
};
const readPublications = async (postId: string): Promise<Publication[]> =>
  (await gateway.manage('GET', `/posts/${postId}`)).publications;
const waitForStates = (postId: string, states: string[]): Promise<true> =>
  until(`${postId} is ${states.join(', ')}`, async () => {
    const found = (await readPublications(postId)).map(({ state }) => state);
    return found.sort().join() === states.sort().join() && true;
  });
const waitForRule = (postId: string, rule: string): Promise<true> =>
  until(`${postId} waits for ${rule}`, async () =>
    (await readPublications(postId)).every((found) => found.waiting_for?.rule === rule),
  );

describe('ad_pause_minutes (publish-api.md: Project and target pauses)', () => {
  it('pauses the project with the first success: posts accepted later wait, posts accepted before are published', async () => {
    const { channels, project, endpoint } = await setUp(1);
    const [{ chatId, id }] = channels as [TestChannel];
    await gateway.manage('POST', `/channels/${id}/pause`, { minutes: 10 }); // so that two posts are queued before it
    await sendPost(endpoint, { text: 'ad', ad_pause_minutes: 15 });
    const before = await sendPost(endpoint, { text: 'before' });
    expect((await endpoint.info()).body.projects[0].paused_until).toBeNull();
    await gateway.manage('POST', `/channels/${id}/resume`);
    await until('the ad is published', async () => (await gateway.readWall(chatId)).includes('ad'));
    await until('the project is paused', async () => (await endpoint.info()).body.projects[0].paused_until);
    const later = await sendPost(endpoint, { text: 'later' });
    await waitForRule(later, 'project_pause');
    await waitForRule(before, 'backlog_spacing'); // because of the channel's pause, not of the project's
    const [event] = await gateway.readEvents(`projectPause-${project}`);
    expect(event).toMatchObject({ type: 'ProjectPaused', data: { source: 'publication' } });

    await endpoint.post('temp-resume', { scope: 'project' });
    await waitForRule(later, 'earlier_publication');
  });

  it('is in force when the success is visible', async () => {
    for (let round = 0; round < 5; round++) {
      const { endpoint } = await setUp(1);
      await waitForStates(await sendPost(endpoint, { text: 'ad', ad_pause_minutes: 15 }), ['published']);
      await waitForRule(await sendPost(endpoint, { text: 'next' }), 'project_pause');
    }
  });

  it('is applied once per post: further targets of the same post do not extend it', async () => {
    const { project, endpoint } = await setUp(4);
    await waitForStates(
      await sendPost(endpoint, { text: 'ad', ad_pause_minutes: 15 }),
      Array<string>(4).fill('published'),
    );
    expect(await gateway.readEvents(`projectPause-${project}`)).toHaveLength(1);
  });

  it('never shortens a longer pause; the pause of a post that is published during one counts as applied', async () => {
    const { channels, project, endpoint } = await setUp(1);
    await gateway.manage('POST', `/channels/${channels[0]!.id}/pause`, { minutes: 10 });
    const ad = await sendPost(endpoint, { text: 'ad', ad_pause_minutes: 5 });
    const { paused_until } = await gateway.manage('POST', `/projects/${project}/pause`, { minutes: 60 });
    await gateway.manage('POST', `/channels/${channels[0]!.id}/resume`);
    await waitForStates(ad, ['published']);
    expect((await gateway.manage('GET', `/projects/${project}`)).paused_until).toBe(paused_until);
    expect((await gateway.readEvents(`projectPause-${project}`)).map(({ type }) => type)).toEqual([
      'ProjectPaused',
      'ProjectPauseUnchanged',
    ]);
  });

  it('pauses nothing when all targets fail', async () => {
    const { channels, project, endpoint } = await setUp(2);
    // Only for these channels, because posts of earlier tests may still be on their way.
    for (const { chatId } of channels)
      await gateway.telegram.addFault({ mode: 'answer', status: 400, channel: chatId });
    const ad = await sendPost(endpoint, { text: 'ad', ad_pause_minutes: 5, ad_target_pause_minutes: 5 });
    await waitForStates(ad, ['failed', 'failed']);
    expect(await gateway.readEvents(`projectPause-${project}`)).toEqual([]);
    expect(await gateway.readEvents(`channelPause-${channels[0]!.id}`)).toEqual([]);
  });

  it('does not pause other projects', async () => {
    const { channels, endpoint } = await setUp(1);
    const other = await gateway.createEndpoint(owner, [await gateway.createProject(owner, channels)]);
    await waitForStates(await sendPost(endpoint, { text: 'ad', ad_pause_minutes: 15 }), ['published']);
    await waitForStates(await sendPost(other, { text: 'elsewhere' }), ['published']);
  });

  it('of zero pauses nothing', async () => {
    const { channels, project, endpoint } = await setUp(1);
    const ad = await sendPost(endpoint, { text: 'ad', ad_pause_minutes: 0, ad_target_pause_minutes: 0 });
    await waitForStates(ad, ['published']);
    expect(await gateway.readEvents(`projectPause-${project}`)).toEqual([]);
    expect(await gateway.readEvents(`channelPause-${channels[0]!.id}`)).toEqual([]);
  });
});

describe('ad_target_pause_minutes (publish-api.md: Project and target pauses)', () => {
  it('pauses each channel with its own success, before a later post of the channel can be published', async () => {
    const { channels, project, endpoint } = await setUp(2);
    const ad = await sendPost(endpoint, { text: 'ad', ad_target_pause_minutes: 15 });
    const next = await sendPost(endpoint, { text: 'next' });
    await waitForStates(ad, ['published', 'published']);
    await waitForRule(next, 'channel_pause');
    for (const { chatId, id } of channels) {
      expect(await gateway.readWall(chatId)).toEqual(['ad']);
      expect(await gateway.readEvents(`channelPause-${id}`)).toHaveLength(1);
    }
    expect(await gateway.readEvents(`projectPause-${project}`)).toEqual([]);
  });

  it('is stored before the success: a crash in between cannot release the next post', async () => {
    const { channels, project, endpoint } = await setUp(1);
    const ad = await sendPost(endpoint, { text: 'ad', ad_pause_minutes: 5, ad_target_pause_minutes: 5 });
    await waitForStates(ad, ['published']);
    const [{ id: publicationId }] = (await readPublications(ad)) as [Publication];
    const success = (await gateway.readEvents(`publication-${publicationId}`)).at(-1)!;
    expect(success.type).toBe('PublicationSucceeded');
    for (const stream of [`channelPause-${channels[0]!.id}`, `projectPause-${project}`]) {
      const [pause] = await gateway.readEvents(stream);
      expect(pause!.position).toBeLessThan(success.position);
      expect(pause).toMatchObject({
        actor: 'system:pause-after-publication',
        requestId: success.requestId,
        correlationId: success.correlationId,
        data: { source: 'publication', postId: ad },
      });
    }
  });

  it('holds the channel in every project that uses it, while other targets get their posts at once', async () => {
    const { channels, endpoint } = await setUp(1);
    const unpaused = await gateway.createChannel(owner);
    const other = await gateway.createEndpoint(owner, [await gateway.createProject(owner, [...channels, unpaused])]);
    await waitForStates(await sendPost(endpoint, { text: 'ad', ad_target_pause_minutes: 15 }), ['published']);
    const next = await sendPost(other, { text: 'next' });
    await waitForStates(next, ['published', 'queued']);
    expect((await readPublications(next)).find(({ state }) => state === 'queued')).toMatchObject({
      target_id: channels[0]!.id,
      waiting_for: { rule: 'channel_pause' },
    });
    expect(await gateway.readWall(unpaused.chatId)).toEqual(['next']);
  });

  it('is applied once to a post that is resent', async () => {
    const { channels, endpoint } = await setUp(1);
    const [{ id, chatId }] = channels as [TestChannel];
    await gateway.telegram.addFault({ mode: 'accept_then_drop', method: 'sendMessage', channel: chatId });
    const ad = await sendPost(endpoint, { text: 'ad', ad_target_pause_minutes: 5 });
    await waitForStates(ad, ['in_doubt']);
    expect(await gateway.readEvents(`channelPause-${id}`)).toEqual([]); // only a success pauses the channel
    const [{ id: publicationId }] = (await readPublications(ad)) as [Publication];
    await gateway.manage('POST', `/publications/${publicationId}/resend`);
    await waitForStates(ad, ['published']);
    expect((await gateway.readEvents(`channelPause-${id}`)).map(({ type }) => type)).toEqual(['ChannelPaused']);
  });
});

describe('with minutes of a third of a second', () => {
  const MINUTE_MS = 300;
  /** The time of the gateway. It moves only when a test moves it, so that no pause ends before all posts are sent. */
  let now = Date.now();
  let fast: TestGateway;
  beforeAll(async () => {
    const clock = { now: () => now };
    fast = await TestGateway.start({ MINUTE_MS: String(MINUTE_MS) }, clock, { clock });
  });
  afterAll(() => fast.stop());

  const readPublication = async (postId: string) => (await fast.manage('GET', `/posts/${postId}`)).publications[0];
  const waitUntilPublished = (postId: string): Promise<true> =>
    until(`${postId} is published`, async () => (await readPublication(postId)).state === 'published');
  /** Publishes a backlog, moving the clock a minute at a time; returns the time at which each publication started. */
  const publishBacklog = async (postIds: readonly string[]): Promise<number[]> => {
    const starts: number[] = [];
    for (const id of postIds) {
      await waitUntilPublished(id);
      starts.push(Date.parse((await readPublication(id)).attempts[0].started_at));
      now += MINUTE_MS;
    }
    return starts;
  };
  const createSingle = async () => {
    const ownerId = await fast.createOwner();
    const channel = await fast.createChannel(ownerId);
    const endpoint = await fast.createEndpoint(ownerId, [await fast.createProject(ownerId, [channel])]);
    const send = async (names: string[], more: object = {}): Promise<string[]> => {
      const ids: string[] = [];
      for (const text of names) ids.push((await endpoint.post('', { text, ...more })).body.id);
      return ids;
    };
    return { channel, endpoint, send };
  };
  const readPauseEnd = async ({ id }: TestChannel): Promise<number> => {
    const [pause] = await fast.readEvents(`channelPause-${id}`);
    return (pause!.data as { until: number }).until;
  };

  it('posts behind an advertisement are published after its pause, a minute apart, in order', async () => {
    const { channel, send } = await createSingle();
    const [ad] = await send(['ad'], { ad_target_pause_minutes: 12 });
    const ids = await send(['a', 'b', 'c']);
    await waitUntilPublished(ad!);
    const end = await readPauseEnd(channel);
    now = end;
    const [a, b, c] = await publishBacklog(ids);
    expect(await fast.readWall(channel.chatId)).toEqual(['ad', 'a', 'b', 'c']);
    expect(a!).toBeGreaterThanOrEqual(end);
    expect(b! - a!).toBeGreaterThanOrEqual(MINUTE_MS);
    expect(c! - b!).toBeGreaterThanOrEqual(MINUTE_MS);
  });

  it('the backlog of a project’s pause is published a minute apart when it is lifted', async () => {
    const { channel, endpoint, send } = await createSingle();
    await endpoint.post('temp-pause', { project_minutes: 1440 });
    const ids = await send(['a', 'b', 'c']);
    now += MINUTE_MS;
    const lifted = now;
    expect((await endpoint.post('temp-resume', {})).body.rescheduled_post_targets).toBe(3);
    const [a, b, c] = await publishBacklog(ids);
    expect(await fast.readWall(channel.chatId)).toEqual(['a', 'b', 'c']);
    expect(a!).toBeGreaterThanOrEqual(lifted);
    expect(b! - a!).toBeGreaterThanOrEqual(MINUTE_MS);
    expect(c! - b!).toBeGreaterThanOrEqual(MINUTE_MS);
  });

  it('the backlog of a pause that expires is published a minute apart', async () => {
    const { channel, endpoint, send } = await createSingle();
    await endpoint.post('temp-pause', { target_minutes: 12 });
    const end = await readPauseEnd(channel);
    const ids = await send(['a', 'b']);
    now = end;
    const [a, b] = await publishBacklog(ids);
    expect(await fast.readWall(channel.chatId)).toEqual(['a', 'b']);
    expect(a!).toBeGreaterThanOrEqual(end);
    expect(b! - a!).toBeGreaterThanOrEqual(MINUTE_MS);
  });
});
