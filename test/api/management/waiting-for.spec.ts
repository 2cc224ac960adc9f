import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { until } from '../../e2e/until.js';
import { type ManagementHarness, startHarness } from './management-harness.js';
import { LIMITS_PROFILE, PublishingSetup } from './publishing-setup.js';

const NO_FIGURES = { attempt: null, of: null, platform_says: null, first_sequence: null, blocked_by_rule: null };

describe('a waiting publication names the rule that holds it (D-36):', () => {
  let harness: ManagementHarness;
  beforeAll(async () => {
    harness = await startHarness({ LIMITS_PROFILE, ALLOW_PRIVATE_ADDRESSES: '127.0.0.0/8', MEDIA_PROBE: 'off' });
  });
  afterAll(() => harness.stop());
  afterEach(() => harness.telegram.clearFaults());

  const typeOf = async (eventId: string | null): Promise<string | undefined> => {
    const { rows } = await harness.running.infrastructure.pool.query<{ type: string }>(
      'select type from event_store.event where id = $1',
      [eventId],
    );
    return rows[0]?.type;
  };

  it('a pause of its project, until it ends', async () => {
    const setup = await PublishingSetup.create(harness);
    const { body } = await setup.owner.caller.post(`/projects/${setup.project}/pause`, { minutes: 60 }).expect(200);
    const id = await setup.sendPost();
    const held = await setup.waitForRule(id, 'project_pause');
    expect(held).toMatchObject({
      until: body.paused_until,
      text: expect.stringContaining('The project "News"'),
      figures: NO_FIGURES,
    });
    expect(await typeOf(held.event_id)).toBe('ProjectPaused');
    expect((await setup.readPublication(id)).not_before).toBe(body.paused_until);
    await setup.owner.caller.post(`/projects/${setup.project}/resume`).expect(200);
    await setup.waitForState(id, 'published');
  });

  it('a pause of its channel, for every publication, and then the backlog’s spacing of a minute (D-21)', async () => {
    const setup = await PublishingSetup.create(harness);
    const { body } = await setup.owner.caller.post(`/channels/${setup.channel.id}/pause`, { minutes: 60 }).expect(200);
    const [first, second, third] = [await setup.sendPost(), await setup.sendPost(), await setup.sendPost()];
    for (const id of [first, second, third]) {
      const held = await setup.waitForRule(id, 'channel_pause');
      expect(held).toMatchObject({ until: body.paused_until, text: expect.stringContaining('The channel "News"') });
      expect(await typeOf(held.event_id)).toBe('ChannelPaused');
    }
    await setup.owner.caller.post(`/channels/${setup.channel.id}/resume`).expect(200);
    const published = await setup.waitForState(first, 'published');
    const spaced = await setup.waitForRule(second, 'backlog_spacing');
    expect(Date.parse(spaced.until!) - Date.parse(published.attempts[0]!.started_at)).toBe(60_000);
    expect(await typeOf(spaced.event_id)).toBe('ChannelResumed');
    const behind = await setup.waitForRule(third, 'earlier_publication');
    expect(behind).toMatchObject({ until: spaced.until, event_id: spaced.event_id });
    expect(behind.text).toContain('number 2 of this channel goes first');
    expect(behind.figures).toEqual({ ...NO_FIGURES, first_sequence: 2, blocked_by_rule: 'backlog_spacing' });
  });

  it('an earlier publication that is retried, which itself names its retry', async () => {
    const setup = await PublishingSetup.create(harness);
    const chat = { channel: setup.channel.chatId, times: null };
    await harness.telegram.addFault({ mode: 'answer', status: 403, body: '<html>a proxy says no</html>', ...chat });
    const [first, second] = [await setup.sendPost(), await setup.sendPost()];
    const retry = await setup.waitForRule(first, 'retry');
    expect(await typeOf(retry.event_id)).toBe('PublicationPostponed');
    const { attempts } = await setup.readPublication(first);
    expect(attempts[0]).toMatchObject({
      n: 1,
      outcome: 'postponed',
      error: { code: 'unreadable_refusal', category: 'network' },
    });
    expect(retry).toMatchObject({
      text: expect.stringMatching(/^Attempt [1-4] of 5 did not succeed: /),
      blocked_by: null,
      figures: {
        attempt: Number(/[1-4]/.exec(retry.text)![0]),
        of: 5,
        first_sequence: null,
        blocked_by_rule: null,
        platform_says: expect.stringContaining('a proxy says no'),
      },
    });
    const behind = await setup.waitForRule(second, 'earlier_publication');
    expect(behind.text).toContain('number 1 of this channel');
    expect(behind.text).toMatch(/attempt [1-5] of 5/);
    expect(behind.blocked_by).toBe((await setup.readPublication(first)).id);
    // `blocked_by_rule` is null while the retry is due or under way.
    expect(behind.figures).toEqual({
      ...NO_FIGURES,
      first_sequence: 1,
      blocked_by_rule: behind.figures.blocked_by_rule,
    });
    expect(['retry', null]).toContain(behind.figures.blocked_by_rule);
    await harness.telegram.clearFaults();
    await setup.waitForState(second, 'published');
  });

  it('a rate limit of the network', async () => {
    const setup = await PublishingSetup.create(harness);
    const body = {
      ok: false,
      error_code: 429,
      description: 'Too Many Requests: retry after 300',
      parameters: { retry_after: 300 },
    };
    await harness.telegram.addFault({ mode: 'answer', status: 429, body, channel: setup.channel.chatId });
    const id = await setup.sendPost();
    const held = await setup.waitForRule(id, 'platform_limit');
    const { started_at } = (await setup.readPublication(id)).attempts[0]!;
    expect(Date.parse(held.until!)).toBeGreaterThan(Date.parse(started_at) + 290_000);
    expect(await typeOf(held.event_id)).toBe('PublicationPostponed');
    expect(held.text).toContain('Too Many Requests: retry after 300');
    expect(held.figures).toEqual({
      ...NO_FIGURES,
      attempt: 1,
      of: 5,
      platform_says: expect.stringContaining('Too Many Requests: retry after 300'),
    });
  });

  it('a medium whose host fails, with the host and its answer, and a way out', async () => {
    const host = await startMediaHost();
    const setup = await PublishingSetup.create(harness);
    const media = [{ type: 'photo', url: `${host.url}/photo.jpg?key=secret` }];
    const [first, second] = [await setup.sendPost({ text: 'a', media }), await setup.sendPost({ text: 'b' })];
    const held = await setup.waitForRule(first, 'retry');
    expect(held.text).toContain(`(${new URL(host.url).host}) could not be downloaded for now: HTTP 503`);
    expect(held.text).not.toContain('secret');
    await until('it is cancelled between two attempts', async () => {
      const { status } = await setup.owner.caller.post(`/posts/${first}/cancel`);
      return status === 200;
    });
    await setup.waitForState(second, 'published');
    await host.close();
  });

  it('a channel whose posts are refused, until its credentials are replaced (D-26)', async () => {
    const setup = await PublishingSetup.create(harness);
    const body = { ok: false, error_code: 401, description: 'Unauthorized' };
    await harness.telegram.addFault({ mode: 'answer', status: 401, body, channel: setup.channel.chatId });
    const [first, second] = [await setup.sendPost(), await setup.sendPost()];
    for (const id of [first, second]) {
      const held = await setup.waitForRule(id, 'needs_attention');
      expect(await typeOf(held.event_id)).toBe('ChannelNeedsAttention');
      expect(held.text).toContain('needs attention: ');
      expect(held.figures).toEqual({ ...NO_FIGURES, platform_says: expect.stringContaining('Unauthorized') });
    }
    // The channel's status comes from another read model.
    const channel = await until('the channel needs attention', async () => {
      const { body: shown } = await setup.owner.caller.get(`/channels/${setup.channel.id}`).expect(200);
      return shown.status === 'needs_attention' && shown;
    });
    expect(channel).toMatchObject({ status: 'needs_attention', attention: { code: 'unauthorized' } });
    const credentials = { bot_token: '1:new-token', chat_id: setup.channel.chatId };
    const repaired = await setup.owner.caller.patch(`/channels/${setup.channel.id}`, { credentials }).expect(200);
    expect(repaired.body).toMatchObject({ status: 'ok', attention: null });
    await setup.waitForState(second, 'published');
  });

  it('a channel that is disabled', async () => {
    const setup = await PublishingSetup.create(harness);
    await setup.owner.caller.post(`/channels/${setup.channel.id}/pause`, { minutes: 60 }).expect(200);
    const id = await setup.sendPost();
    await setup.owner.caller.patch(`/channels/${setup.channel.id}`, { enabled: false }).expect(200);
    const held = await setup.waitForRule(id, 'needs_attention');
    expect(held).toMatchObject({
      until: null,
      text: 'The channel "News" is disabled. Enable it to publish the posts that wait.',
      figures: NO_FIGURES,
    });
    expect(await typeOf(held.event_id)).toBe('ChannelDisabled');
  });

  it('a channel that is disabled while its posts are refused', async () => {
    const setup = await PublishingSetup.create(harness);
    const body = { ok: false, error_code: 401, description: 'Unauthorized' };
    await harness.telegram.addFault({ mode: 'answer', status: 401, body, channel: setup.channel.chatId });
    const id = await setup.sendPost();
    await setup.waitForRule(id, 'needs_attention');
    await setup.owner.caller.patch(`/channels/${setup.channel.id}`, { enabled: false }).expect(200);
    const { text } = await setup.waitForText(id, 'is disabled');
    expect(text).toMatch(/^The channel "News" is disabled, and it needs attention: .*Unauthorized/);
    expect(text).toContain(`Enable it, then POST /manage/v1/channels/${setup.channel.id}/retry or new credentials`);
  });
});

/** Starts a media host that answers 503 to every request. */
const startMediaHost = async () => {
  const server = createServer((_, response) => response.writeHead(503).end());
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const close = () => new Promise<unknown>((resolve) => server.close(resolve));
  return { url: `http://127.0.0.1:${port}`, close };
};
