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
  gateway = await TestGateway.start();
  owner = await gateway.owner();
});
afterEach(() => gateway.telegram.clearFaults());
afterAll(() => gateway.stop());

const setUp = async (count: number) => {
  const channels: TestChannel[] = [];
  for (let i = 0; i < count; i++) channels.push(await gateway.channel(owner));
  const project = await gateway.project(owner, channels);
  return { channels, project, endpoint: await gateway.endpoint(owner, [project]) };
};
const post = async (endpoint: TestEndpoint, payload: object): Promise<string> => {
  const { status, body } = await endpoint.post('', payload);
  expect(status).toBe(200);
  return body.id;
};
const publications = async (postId: string): Promise<Publication[]> =>
  (await gateway.manage('GET', `/posts/${postId}`)).publications;
const settled = (postId: string, states: string[]): Promise<true> =>
  until(`${postId} is ${states.join(', ')}`, async () => {
    const found = (await publications(postId)).map(({ state }) => state);
    return found.sort().join() === states.sort().join() && true;
  });
const waitsFor = (postId: string, rule: string): Promise<true> =>
  until(`${postId} waits for ${rule}`, async () =>
    (await publications(postId)).every((found) => found.waiting_for?.rule === rule),
  );

describe('ad_pause_minutes (publish-api.md: Project and target pauses)', () => {
  it('pauses the project with the first success: what is accepted later waits, what was accepted before goes out', async () => {
    const { channels, project, endpoint } = await setUp(1);
    const [{ chatId, id }] = channels as [TestChannel];
    await gateway.manage('POST', `/channels/${id}/pause`, { minutes: 10 }); // so that two posts are there before
    await post(endpoint, { text: 'ad', ad_pause_minutes: 15 });
    const before = await post(endpoint, { text: 'before' });
    expect((await endpoint.info()).body.projects[0].paused_until).toBeNull();
    await gateway.manage('POST', `/channels/${id}/resume`);
    await until('the ad is out', async () => (await gateway.wall(chatId)).includes('ad'));
    await until('the project is paused', async () => (await endpoint.info()).body.projects[0].paused_until);
    const later = await post(endpoint, { text: 'later' });
    await waitsFor(later, 'project_pause');
    await waitsFor(before, 'backlog_spacing'); // of the channel's pause, not of the project's
    const [event] = await gateway.events(`projectPause-${project}`);
    expect(event).toMatchObject({ type: 'ProjectPaused', data: { source: 'publication' } });

    await endpoint.post('temp-resume', { scope: 'project' });
    await waitsFor(later, 'earlier_publication');
  });

  it('is in force for whoever has seen the success', async () => {
    for (let round = 0; round < 5; round++) {
      const { endpoint } = await setUp(1);
      await settled(await post(endpoint, { text: 'ad', ad_pause_minutes: 15 }), ['published']);
      await waitsFor(await post(endpoint, { text: 'next' }), 'project_pause');
    }
  });

  it('is applied once per post: further targets of the same post do not extend it', async () => {
    const { project, endpoint } = await setUp(4);
    await settled(await post(endpoint, { text: 'ad', ad_pause_minutes: 15 }), Array<string>(4).fill('published'));
    expect(await gateway.events(`projectPause-${project}`)).toHaveLength(1);
  });

  it('never shortens a longer pause; a post that comes through one has had its pause', async () => {
    const { channels, project, endpoint } = await setUp(1);
    await gateway.manage('POST', `/channels/${channels[0]!.id}/pause`, { minutes: 10 });
    const ad = await post(endpoint, { text: 'ad', ad_pause_minutes: 5 });
    const { paused_until } = await gateway.manage('POST', `/projects/${project}/pause`, { minutes: 60 });
    await gateway.manage('POST', `/channels/${channels[0]!.id}/resume`);
    await settled(ad, ['published']);
    expect((await gateway.manage('GET', `/projects/${project}`)).paused_until).toBe(paused_until);
    expect((await gateway.events(`projectPause-${project}`)).map(({ type }) => type)).toEqual([
      'ProjectPaused',
      'ProjectPauseKept',
    ]);
  });

  it('pauses nothing when all targets fail', async () => {
    const { channels, project, endpoint } = await setUp(2);
    await gateway.telegram.addFault({ mode: 'answer', status: 400, times: 2 });
    const ad = await post(endpoint, { text: 'ad', ad_pause_minutes: 5, ad_target_pause_minutes: 5 });
    await settled(ad, ['failed', 'failed']);
    expect(await gateway.events(`projectPause-${project}`)).toEqual([]);
    expect(await gateway.events(`channelPause-${channels[0]!.id}`)).toEqual([]);
  });

  it('leaves other projects alone', async () => {
    const { channels, endpoint } = await setUp(1);
    const other = await gateway.endpoint(owner, [await gateway.project(owner, channels)]);
    await settled(await post(endpoint, { text: 'ad', ad_pause_minutes: 15 }), ['published']);
    await settled(await post(other, { text: 'elsewhere' }), ['published']);
  });

  it('of zero is none', async () => {
    const { channels, project, endpoint } = await setUp(1);
    const ad = await post(endpoint, { text: 'ad', ad_pause_minutes: 0, ad_target_pause_minutes: 0 });
    await settled(ad, ['published']);
    expect(await gateway.events(`projectPause-${project}`)).toEqual([]);
    expect(await gateway.events(`channelPause-${channels[0]!.id}`)).toEqual([]);
  });
});

describe('ad_target_pause_minutes (publish-api.md: Project and target pauses)', () => {
  it('pauses each channel with its own success, before any later post of the channel can go', async () => {
    const { channels, project, endpoint } = await setUp(2);
    const ad = await post(endpoint, { text: 'ad', ad_target_pause_minutes: 15 });
    const next = await post(endpoint, { text: 'next' });
    await settled(ad, ['published', 'published']);
    await waitsFor(next, 'channel_pause');
    for (const { chatId, id } of channels) {
      expect(await gateway.wall(chatId)).toEqual(['ad']);
      expect(await gateway.events(`channelPause-${id}`)).toHaveLength(1);
    }
    expect(await gateway.events(`projectPause-${project}`)).toEqual([]);
  });

  it('is written before the success is: a crash in between cannot let the next post through', async () => {
    const { channels, project, endpoint } = await setUp(1);
    const ad = await post(endpoint, { text: 'ad', ad_pause_minutes: 5, ad_target_pause_minutes: 5 });
    await settled(ad, ['published']);
    const [{ id: publicationId }] = (await publications(ad)) as [Publication];
    const success = (await gateway.events(`publication-${publicationId}`)).at(-1)!;
    expect(success.type).toBe('PublicationSucceeded');
    for (const stream of [`channelPause-${channels[0]!.id}`, `projectPause-${project}`]) {
      const [pause] = await gateway.events(stream);
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
    const free = await gateway.channel(owner);
    const other = await gateway.endpoint(owner, [await gateway.project(owner, [...channels, free])]);
    await settled(await post(endpoint, { text: 'ad', ad_target_pause_minutes: 15 }), ['published']);
    const next = await post(other, { text: 'next' });
    await settled(next, ['published', 'queued']);
    expect((await publications(next)).find(({ state }) => state === 'queued')).toMatchObject({
      target_id: channels[0]!.id,
      waiting_for: { rule: 'channel_pause' },
    });
    expect(await gateway.wall(free.chatId)).toEqual(['next']);
  });

  it('is not asked for again when a post is sent again', async () => {
    const { channels, endpoint } = await setUp(1);
    const [{ id }] = channels as [TestChannel];
    await gateway.telegram.addFault({ mode: 'accept_then_drop', method: 'sendMessage' });
    const ad = await post(endpoint, { text: 'ad', ad_target_pause_minutes: 5 });
    await settled(ad, ['in_doubt']);
    expect(await gateway.events(`channelPause-${id}`)).toEqual([]); // only a success pauses
    const [{ id: publicationId }] = (await publications(ad)) as [Publication];
    await gateway.manage('POST', `/publications/${publicationId}/resend`);
    await settled(ad, ['published']);
    expect((await gateway.events(`channelPause-${id}`)).map(({ type }) => type)).toEqual(['ChannelPaused']);
  });
});

describe('with minutes of a third of a second', () => {
  const MINUTE_MS = 300;
  let fast: TestGateway;
  beforeAll(async () => (fast = await TestGateway.start({ MINUTE_MS: String(MINUTE_MS) })));
  afterAll(() => fast.stop());

  /** When each post was taken up, by the publication's own events. */
  const startsOf = (postIds: readonly string[]): Promise<number[]> =>
    Promise.all(
      postIds.map((id) =>
        until(`${id} is seen to have started`, async () => {
          const { publications: found } = await fast.manage('GET', `/posts/${id}`);
          return Date.parse(found[0].attempts[0].started_at);
        }),
      ),
    );
  const single = async () => {
    const of = await fast.owner();
    const channel = await fast.channel(of);
    const endpoint = await fast.endpoint(of, [await fast.project(of, [channel])]);
    const send = async (names: string[], more: object = {}): Promise<string[]> => {
      const ids: string[] = [];
      for (const text of names) ids.push((await endpoint.post('', { text, ...more })).body.id);
      return ids;
    };
    const isOut = (names: string[]): Promise<true> =>
      until(`${names.join()} are out`, async () => (await fast.wall(channel.chatId)).join() === names.join());
    return { channel, endpoint, send, isOut };
  };

  it('posts behind an advertisement go out when its pause has ended, a minute apart, in order', async () => {
    const { channel, send, isOut } = await single();
    await send(['ad'], { ad_target_pause_minutes: 3 });
    const ids = await send(['a', 'b', 'c']);
    await isOut(['ad', 'a', 'b', 'c']);
    const [pause] = await fast.events(`channelPause-${channel.id}`);
    const [a, b, c] = await startsOf(ids);
    expect(a!).toBeGreaterThanOrEqual((pause!.data as { until: number }).until);
    expect(b! - a!).toBeGreaterThanOrEqual(MINUTE_MS);
    expect(c! - b!).toBeGreaterThanOrEqual(MINUTE_MS);
  });

  it('the backlog of a project’s pause goes out a minute apart when it is lifted', async () => {
    const { endpoint, send, isOut } = await single();
    await endpoint.post('temp-pause', { project_minutes: 1440 });
    const ids = await send(['a', 'b', 'c']);
    const lifted = Date.now();
    expect((await endpoint.post('temp-resume', {})).body.rescheduled_post_targets).toBe(3);
    await isOut(['a', 'b', 'c']);
    const [a, b, c] = await startsOf(ids);
    expect(a!).toBeGreaterThanOrEqual(lifted);
    expect(b! - a!).toBeGreaterThanOrEqual(MINUTE_MS);
    expect(c! - b!).toBeGreaterThanOrEqual(MINUTE_MS);
  });

  it('the backlog of a pause that ends by itself goes out a minute apart', async () => {
    const { channel, endpoint, send, isOut } = await single();
    await endpoint.post('temp-pause', { target_minutes: 3 });
    const [pause] = await fast.events(`channelPause-${channel.id}`);
    const ids = await send(['a', 'b']);
    await isOut(['a', 'b']);
    const [a, b] = await startsOf(ids);
    expect(a!).toBeGreaterThanOrEqual((pause!.data as { until: number }).until);
    expect(b! - a!).toBeGreaterThanOrEqual(MINUTE_MS);
  });
});
