import { Line, LIMITS_PROFILE } from './line.js';
import { type Stage, startStage } from './stage.js';

describe('publications that wait say why (D-36):', () => {
  let stage: Stage;
  beforeAll(async () => {
    stage = await startStage({ LIMITS_PROFILE });
  });
  afterAll(() => stage.stop());
  afterEach(() => stage.telegram.clearFaults());

  const typeOf = async (eventId: string | null): Promise<string | undefined> => {
    const { rows } = await stage.running.infrastructure.pool.query<{ type: string }>(
      'select type from event_store.event where id = $1',
      [eventId],
    );
    return rows[0]?.type;
  };

  it('a pause of their project, until it ends', async () => {
    const line = await Line.open(stage);
    const { body } = await line.owner.caller.post(`/projects/${line.project}/pause`, { minutes: 60 }).expect(200);
    const id = await line.send();
    const held = await line.waitingFor(id, 'project_pause');
    expect(held).toMatchObject({ until: body.paused_until, text: expect.stringContaining('The project "News"') });
    expect(await typeOf(held.event_id)).toBe('ProjectPaused');
    expect((await line.publicationOf(id)).not_before).toBe(body.paused_until);
    await line.owner.caller.post(`/projects/${line.project}/resume`).expect(200);
    await line.inState(id, 'published');
  });

  it('a pause of their channel, all of them, and then their turn at a distance of a minute (D-21)', async () => {
    const line = await Line.open(stage);
    const { body } = await line.owner.caller.post(`/channels/${line.channel.id}/pause`, { minutes: 60 }).expect(200);
    const [first, second, third] = [await line.send(), await line.send(), await line.send()];
    for (const id of [first, second, third]) {
      const held = await line.waitingFor(id, 'channel_pause');
      expect(held).toMatchObject({ until: body.paused_until, text: expect.stringContaining('The channel "News"') });
      expect(await typeOf(held.event_id)).toBe('ChannelPaused');
    }
    await line.owner.caller.post(`/channels/${line.channel.id}/resume`).expect(200);
    const published = await line.inState(first, 'published');
    const spaced = await line.waitingFor(second, 'backlog_spacing');
    expect(Date.parse(spaced.until!) - Date.parse(published.attempts[0]!.started_at)).toBe(60_000);
    expect(await typeOf(spaced.event_id)).toBe('ChannelResumed');
    const behind = await line.waitingFor(third, 'earlier_publication');
    expect(behind).toMatchObject({ until: spaced.until, event_id: spaced.event_id });
    expect(behind.text).toContain('number 2 of this channel goes first');
  });

  it('an earlier publication that is tried again, and that one its retry', async () => {
    const line = await Line.open(stage);
    const chat = { channel: line.channel.chatId, times: null };
    await stage.telegram.addFault({ mode: 'answer', status: 403, body: '<html>a proxy says no</html>', ...chat });
    const [first, second] = [await line.send(), await line.send()];
    const retry = await line.waitingFor(first, 'retry');
    expect(await typeOf(retry.event_id)).toBe('PublicationPostponed');
    const { attempts } = await line.publicationOf(first);
    expect(attempts[0]).toMatchObject({
      n: 1,
      outcome: 'postponed',
      error: { code: 'unreadable_refusal', category: 'network' },
    });
    const behind = await line.waitingFor(second, 'earlier_publication');
    expect(behind.text).toContain('number 1 of this channel');
    await stage.telegram.clearFaults();
    await line.inState(second, 'published');
  });

  it('a limit that the network names', async () => {
    const line = await Line.open(stage);
    const body = {
      ok: false,
      error_code: 429,
      description: 'Too Many Requests: retry after 300',
      parameters: { retry_after: 300 },
    };
    await stage.telegram.addFault({ mode: 'answer', status: 429, body, channel: line.channel.chatId });
    const id = await line.send();
    const held = await line.waitingFor(id, 'platform_limit');
    expect(Date.parse(held.until!)).toBeGreaterThan(Date.now() + 290_000);
    expect(await typeOf(held.event_id)).toBe('PublicationPostponed');
  });

  it('a channel whose credential was refused, until it is replaced (D-26)', async () => {
    const line = await Line.open(stage);
    const body = { ok: false, error_code: 401, description: 'Unauthorized' };
    await stage.telegram.addFault({ mode: 'answer', status: 401, body, channel: line.channel.chatId });
    const [first, second] = [await line.send(), await line.send()];
    for (const id of [first, second]) {
      const held = await line.waitingFor(id, 'needs_attention');
      expect(await typeOf(held.event_id)).toBe('ChannelNeedsAttention');
      expect(held.text).toContain('needs new credentials');
    }
    const { body: channel } = await line.owner.caller.get(`/channels/${line.channel.id}`).expect(200);
    expect(channel).toMatchObject({ status: 'needs_attention', attention: { code: expect.any(String) } });
    const credentials = { bot_token: '1:new-token', chat_id: line.channel.chatId };
    const repaired = await line.owner.caller.patch(`/channels/${line.channel.id}`, { credentials }).expect(200);
    expect(repaired.body).toMatchObject({ status: 'ok', attention: null });
    await line.inState(second, 'published');
  });

  it('a channel that is switched off', async () => {
    const line = await Line.open(stage);
    await line.owner.caller.post(`/channels/${line.channel.id}/pause`, { minutes: 60 }).expect(200);
    const id = await line.send();
    await line.owner.caller.patch(`/channels/${line.channel.id}`, { enabled: false }).expect(200);
    const held = await line.waitingFor(id, 'needs_attention');
    expect(held).toMatchObject({
      until: null,
      text: 'The channel "News" is switched off: enable it to publish what waits.',
    });
    expect(await typeOf(held.event_id)).toBe('ChannelDisabled');
  });
});
