import { until } from '../../e2e/until.js';
import {
  createChannel,
  createEndpoint,
  createProject,
  type ManagementHarness,
  sendPost,
  startHarness,
} from './management-harness.js';
import { LIMITS_PROFILE, PublishingSetup } from './publishing-setup.js';

describe('a cancellation (management-api.md: Routes)', () => {
  let harness: ManagementHarness;
  beforeAll(async () => {
    harness = await startHarness({ LIMITS_PROFILE });
  });
  afterAll(() => harness.stop());
  afterEach(() => harness.telegram.clearFaults());

  /** Texts that the network has received for a chat. */
  const readTexts = async (chatId: string): Promise<unknown[]> =>
    (await harness.telegram.readLedger({ channel: chatId })).map(({ text }) => text);

  const failCalls = (chatId: string) =>
    harness.telegram.addFault({ mode: 'answer', status: 403, body: 'a proxy says no', channel: chatId, times: null });

  it('of a head that waits for its next attempt frees its channel at once', async () => {
    const setup = await PublishingSetup.create(harness);
    const { caller } = setup.owner;
    await failCalls(setup.channel.chatId);
    const [first, second] = [await setup.sendPost({ text: 'stuck' }), await setup.sendPost({ text: 'behind' })];
    await setup.waitForRule(first, 'retry');
    const { id } = await setup.readPublication(first);
    // The fault lasts until then: on a busy machine the retry, two seconds later, might otherwise publish the head.
    const answer = await until('it is between two attempts', async () => {
      const response = await caller.post(`/publications/${id}/cancel`, {}, { 'idempotency-key': 'once' });
      return response.status === 200 && response;
    });
    await harness.telegram.clearFaults();
    expect(answer.body).toMatchObject({ id, state: 'dismissed', waiting_for: null });
    await setup.waitForState(second, 'published');
    expect(await readTexts(setup.channel.chatId)).toEqual(['behind']);
    const replay = await caller.post(`/publications/${id}/cancel`, {}, { 'idempotency-key': 'once' }).expect(200);
    expect(replay.body).toEqual(answer.body);
    const again = await caller.post(`/publications/${id}/cancel`).expect(409);
    expect(again.body).toMatchObject({ code: 'wrong_state', errors: [expect.stringContaining('is dismissed')] });
    await caller.post(`/publications/${id}/resend`).expect(409);
  });

  it('of a post dismisses what is queued and leaves what is published', async () => {
    const setup = await PublishingSetup.create(harness);
    const { caller } = setup.owner;
    const paused = [await createChannel(setup.owner), await createChannel(setup.owner)];
    for (const { id } of paused) await caller.post(`/channels/${id}/pause`, { minutes: 60 }).expect(200);
    const project = await createProject(setup.owner, [setup.channel.id, ...paused.map(({ id }) => id)]);
    const endpoint = await createEndpoint(setup.owner, [project], { min_interval: 0 });
    const id = await sendPost(harness, endpoint, { text: 'Hello' });
    await setup.waitForState(id, 'published');
    const key = { 'idempotency-key': 'post' };
    const { body } = await caller.post(`/posts/${id}/cancel`, {}, key).expect(200);
    expect(body).toMatchObject({
      cancelled: 2,
      publications: [{ state: 'published' }, { state: 'dismissed' }, { state: 'dismissed' }],
    });
    expect((await caller.post(`/posts/${id}/cancel`, {}, key).expect(200)).body).toEqual(body);
    const { body: refused } = await caller.post(`/posts/${id}/cancel`).expect(409);
    expect(refused).toMatchObject({ code: 'wrong_state', errors: [expect.stringContaining('is published')] });
    for (const { id: channel } of paused) await caller.post(`/channels/${channel}/resume`).expect(200);
    const next = await sendPost(harness, endpoint, { text: 'Next' });
    await until('the next post is published everywhere', async () => {
      const { body: post } = await caller.get(`/posts/${next}`);
      return post.publications.every(({ state }: { state: string }) => state === 'published');
    });
    for (const { chatId } of paused) expect(await readTexts(chatId)).toEqual(['Next']);
  });

  it('of a post that a project’s pause delays removes it from the pause’s queue', async () => {
    const setup = await PublishingSetup.create(harness);
    const { caller } = setup.owner;
    await caller.post(`/projects/${setup.project}/pause`, { minutes: 60 }).expect(200);
    const [first, second] = [await setup.sendPost({ text: 'first' }), await setup.sendPost({ text: 'second' })];
    await caller.post(`/posts/${first}/cancel`).expect(200);
    await caller.post(`/projects/${setup.project}/resume`).expect(200);
    await setup.waitForState(second, 'published');
    expect(await readTexts(setup.channel.chatId)).toEqual(['second']);
  });

  it('wins or loses against the worker, never both (a 200 means that nothing is sent)', async () => {
    const setup = await PublishingSetup.create(harness);
    const { caller } = setup.owner;
    const outcomes = new Map<string, boolean>();
    for (let i = 0; i < 24; i++) {
      const id = await setup.sendPost({ text: `post ${i}` });
      const { status } = await caller.post(`/posts/${id}/cancel`);
      expect([200, 409]).toContain(status);
      outcomes.set(id, status === 200);
    }
    const sent: string[] = [];
    for (const [id, isCancelled] of outcomes) {
      const { state } = await setup.waitForState(id, isCancelled ? 'dismissed' : 'published');
      if (state === 'published') sent.push(id);
    }
    expect(await readTexts(setup.channel.chatId)).toHaveLength(sent.length);
  });

  // Last, as the attempt lasts until the call times out.
  it('during an attempt is refused', async () => {
    const setup = await PublishingSetup.create(harness);
    const { caller } = setup.owner;
    await harness.telegram.addFault({ mode: 'hang', channel: setup.channel.chatId, times: null });
    const post = await setup.sendPost();
    const { id } = await setup.waitForState(post, 'publishing');
    for (const path of [`/publications/${id}`, `/posts/${post}`]) {
      const { body } = await caller.post(`${path}/cancel`).expect(409);
      expect(body).toMatchObject({ code: 'publishing', errors: [expect.stringContaining('being sent')] });
    }
  });
});
