// More than 20 s: a deleted secret is erased only after 15 s.
import { until } from '../../e2e/until.js';
import {
  type Caller,
  catchUp,
  createChannel,
  createEndpoint,
  createOwner,
  createProject,
  type ManagementHarness,
  operatorCaller,
  startHarness,
  type TestOwner,
} from './management-harness.js';
import { LIMITS_PROFILE, PublishingSetup } from './publishing-setup.js';

interface EventView {
  readonly id: string;
  readonly type: string;
  readonly revision: number;
  readonly position: string;
  readonly at: string;
  readonly actor: string;
  readonly request_id: string;
  readonly causation_id: string;
  readonly correlation_id: string;
  readonly ip: string | null;
  readonly aggregate: string;
  readonly aggregate_id: string;
  readonly data: Readonly<Record<string, unknown>>;
}

const typesOf = (events: readonly EventView[]): string[] => events.map(({ type }) => type);

describe('history', () => {
  let harness: ManagementHarness;
  let operator: Caller;
  let owner: TestOwner;
  let other: TestOwner;
  beforeAll(async () => {
    harness = await startHarness({ LIMITS_PROFILE });
    operator = operatorCaller(harness);
    [owner, other] = [await createOwner(harness), await createOwner(harness)];
  });
  afterAll(() => harness.stop());

  const eventsOf = async (caller: Caller, query: string): Promise<EventView[]> => {
    await catchUp(harness, 'audit');
    return (await caller.get(`/history/events?limit=200${query}`).expect(200)).body.items;
  };

  describe('of an aggregate', () => {
    let channel: string;
    let events: EventView[];
    beforeAll(async () => {
      channel = (await createChannel(owner, 'First')).id;
      await owner.caller.patch(`/channels/${channel}`, { name: 'Second' }).expect(200);
      await operator.patch(`/channels/${channel}`, { enabled: false }).expect(200);
      events = (await owner.caller.get(`/history/channel/${channel}`).expect(200)).body.events;
    });

    it('shows the present state, with who changed what, and all events', async () => {
      const { body } = await owner.caller.get(`/history/channel/${channel}`).expect(200);
      expect(body).toMatchObject({ aggregate: 'channel', id: channel, revision: 2, next: null });
      expect(body.state).toMatchObject({ id: channel, name: 'Second', enabled: false, deleted_at: null });
      expect(body.changed.name).toMatchObject({ before: 'First', by: `owner:${owner.id}`, ip: '127.0.0.1' });
      expect(body.changed.enabled).toMatchObject({ before: true, by: 'operator', event_id: events[2]!.id });
      expect(typesOf(body.events)).toEqual(['ChannelConnected', 'ChannelRenamed', 'ChannelDisabled']);
      expect(Object.keys(body.events[0])).toEqual([
        ...['id', 'type', 'version', 'stream', 'revision', 'position', 'at', 'actor'],
        ...['actor_name', 'request_id', 'causation_id', 'correlation_id', 'ip', 'data', 'sealed', 'hash'],
      ]);
    });

    it('shows a state at a time, and after a revision', async () => {
      const at = events[1]!.at;
      const { body } = await owner.caller.get(`/history/channel/${channel}?revision=1`).expect(200);
      expect(body).toMatchObject({ at, revision: 1, state: { name: 'Second', enabled: true } });
      expect(body.events).toHaveLength(2);
      const before = new Date(Date.parse(events[2]!.at) - 1).toISOString();
      if (before >= events[1]!.at) {
        const then = await owner.caller.get(`/history/channel/${channel}?at=${before}`).expect(200);
        expect(then.body).toMatchObject({ at: before, revision: 1, state: { enabled: true } });
      }
      await owner.caller.get(`/history/channel/${channel}?revision=0`).expect(200, /"name":"First"/);
    });

    it('pages through events', async () => {
      const { body } = await owner.caller.get(`/history/channel/${channel}?from=1&limit=1`).expect(200);
      expect(typesOf(body.events)).toEqual(['ChannelRenamed']);
      expect(body).toMatchObject({ next: 2, revision: 2 });
    });

    it('answers 404 before the first event, for others and for what never was', async () => {
      const before = new Date(Date.parse(events[0]!.at) - 1).toISOString();
      for (const path of [`${channel}?at=${before}`, `${channel}?revision=3`, `tgt_${'0'.repeat(32)}`])
        await owner.caller.get(`/history/channel/${path}`).expect(404);
      await other.caller.get(`/history/channel/${channel}`).expect(404);
      await other.caller.get(`/history/channel/${channel}/diff?from=2020-01-01T00:00:00Z`).expect(404);
      await other.caller.get(`/history/owner/${owner.id}`).expect(404);
      await owner.caller.get(`/history/owner/${owner.id}`).expect(200);
      await operator.get(`/history/channel/${channel}`).expect(200);
    });

    it.each([
      ['a time without a zone', 'at=2026-01-01T00:00:00', 422],
      ['a time and a revision', 'at=2026-01-01T00:00:00Z&revision=0', 422],
      ['a limit beyond 200', 'limit=201', 422],
      ['no limit', 'limit=0', 422],
      ['a negative revision', 'revision=-1', 422],
      ['a fraction', 'from=1.5', 422],
      ['an unknown field', 'until=2026-01-01T00:00:00Z', 422],
      ['a cursor', 'cursor=MQ', 422],
    ])('refuses %s', async (_, query, status) => {
      await owner.caller.get(`/history/channel/${channel}?${query}`).expect(status);
    });

    it('refuses an unknown aggregate', async () => {
      await owner.caller.get(`/history/wall/${channel}`).expect(404, /webhook|channel-pause/);
      await owner.caller.get('/history/channel/not%20an%20id').expect(404);
    });

    it('shows what changed between two times, with the last event that did it', async () => {
      const [first, , last] = events;
      const query = `from=${first!.at}&to=${last!.at}`;
      const { body } = await owner.caller.get(`/history/channel/${channel}/diff?${query}`).expect(200);
      expect(body.to).toEqual({ at: last!.at, revision: 2 });
      expect(body.changes).toContainEqual({
        path: '/enabled',
        before: true,
        after: false,
        event_id: last!.id,
        at: last!.at,
        actor: 'operator',
      });
    });

    it('shows an aggregate’s creation as a change of every member', async () => {
      const { body } = await owner.caller
        .get(`/history/channel/${channel}/diff?from=2020-01-01T00:00:00Z&to=${events[0]!.at}`)
        .expect(200);
      expect(body.from).toEqual({ at: '2020-01-01T00:00:00.000Z', revision: null });
      const { state, revision } = (
        await owner.caller.get(`/history/channel/${channel}?at=${events[0]!.at}`).expect(200)
      ).body;
      expect(body.to.revision).toBe(revision);
      expect(body.changes.map(({ path }: { path: string }) => path)).toEqual(
        Object.keys(state).map((name) => `/${name}`),
      );
      for (const { before } of body.changes) expect(before).toBeNull();
    });

    it.each([
      ['no beginning', 'to=2026-01-01T00:00:00Z', 'from is missing'],
      ['an end before the beginning', 'from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 'to must not be before'],
      ['a time without a zone', 'from=2026-01-01T00:00:00', 'from must be'],
    ])('refuses a difference with %s, and names the field', async (_, query, error) => {
      const { body } = await owner.caller.get(`/history/channel/${channel}/diff?${query}`).expect(422);
      expect(body.errors).toEqual([expect.stringMatching(`^${error}`)]);
    });
  });

  it('shows who paused a project, from which address, and the pause before', async () => {
    const project = await createProject(owner, [(await createChannel(owner)).id]);
    await owner.caller.post(`/projects/${project}/pause`, { minutes: 5 }).expect(200);
    await operator.post(`/projects/${project}/pause`, { minutes: 60 }).expect(200);
    const paused = (await owner.caller.get(`/history/project-pause/${project}`).expect(200)).body;
    expect(paused.state).toMatchObject({
      project_id: project,
      pause_source: 'management',
      paused_by: 'operator',
      ip: '127.0.0.1',
      previous: { paused_by: `owner:${owner.id}` },
    });
    await owner.caller.post(`/projects/${project}/resume`).expect(200);
    const { state } = (await owner.caller.get(`/history/project-pause/${project}`).expect(200)).body;
    expect(state).toMatchObject({
      paused_until: null,
      resumed_by: `owner:${owner.id}`,
      previous: { paused_by: 'operator', paused_until: paused.state.paused_until },
    });
    await other.caller.get(`/history/project-pause/${project}`).expect(404);
  });

  it('shows all endpoints and pauses of an owner at a moment', async () => {
    const self = await createOwner(harness);
    const channel = (await createChannel(self)).id;
    const project = await createProject(self, [channel]);
    const [kept, deleted] = [await createEndpoint(self, [project]), await createEndpoint(self, [project])];
    await self.caller.post(`/channels/${channel}/pause`, { minutes: 5 }).expect(200);
    await catchUp(harness, 'audit');
    const then = (await self.caller.get('/history').expect(200)).body;
    await self.caller.delete(`/endpoints/${deleted.id}`).expect(204);
    await self.caller.post(`/projects/${project}/pause`, { minutes: 5 }).expect(200);
    await until('the clock has moved', async () => new Date().toISOString() > then.at);
    await catchUp(harness, 'audit');
    const { body } = await operator.get(`/history?owner_id=${self.id}`).expect(200);
    const idsOf = (each: readonly { id: string }[]) => each.map(({ id }) => id).toSorted();
    expect(idsOf(body.endpoints)).toEqual([kept.id]);
    expect(idsOf(body.project_pauses)).toEqual([project]);
    expect(idsOf(body.channel_pauses)).toEqual([channel]);
    const past = (await self.caller.get(`/history?at=${then.at}`).expect(200)).body;
    expect(idsOf(past.endpoints)).toEqual([kept.id, deleted.id].toSorted());
    expect(past.project_pauses).toEqual([]);
    expect(past.channel_pauses[0]).toMatchObject({
      id: channel,
      revision: 0,
      state: { paused_by: `owner:${self.id}` },
    });
    await other.caller.get(`/history?owner_id=${self.id}`).expect(404);
    expect((await other.caller.get('/history').expect(200)).body.endpoints).toEqual([]);
    await operator.get('/history?at=yesterday').expect(422);
  });

  describe('the audit trail', () => {
    let self: TestOwner;
    let channel: string;
    let project: string;
    beforeAll(async () => {
      self = await createOwner(harness);
      channel = (await createChannel(self)).id;
      project = await createProject(self, [channel]);
      await operator.post(`/channels/${channel}/pause`, { minutes: 5 }).expect(200);
      await self.caller.post(`/channels/${channel}/resume`).expect(200);
      await self.caller.patch(`/projects/${project}`, { name: 'Renamed' }).expect(200);
    });

    it('shows an owner its events, the newest first, and no events of others', async () => {
      const events = await eventsOf(self.caller, '');
      expect(typesOf(events)).toEqual([
        ...[
          'ProjectRenamed',
          'ChannelResumed',
          'ChannelPaused',
          'ProjectCreated',
          'ChannelConnected',
          'OwnerRegistered',
        ],
      ]);
      expect(events[2]).toMatchObject({ aggregate: 'channel-pause', aggregate_id: channel, actor: 'operator' });
      expect(await eventsOf(operator, `&owner_id=${self.id}`)).toEqual(events);
      await other.caller.get(`/history/events?owner_id=${self.id}`).expect(404);
      expect(await eventsOf(other.caller, `&id=${channel}`)).toEqual([]);
    });

    it('filters by thing, actor, type and time', async () => {
      expect(typesOf(await eventsOf(self.caller, `&id=${channel}`))).toEqual([
        ...['ChannelResumed', 'ChannelPaused', 'ChannelConnected'],
      ]);
      expect(typesOf(await eventsOf(self.caller, `&aggregate=channel&id=${channel}`))).toEqual(['ChannelConnected']);
      expect(typesOf(await eventsOf(self.caller, '&aggregate=project'))).toEqual(['ProjectRenamed', 'ProjectCreated']);
      expect(typesOf(await eventsOf(self.caller, '&aggregate=channel-pause,project'))).toEqual([
        ...['ProjectRenamed', 'ChannelResumed', 'ChannelPaused', 'ProjectCreated'],
      ]);
      expect(typesOf(await eventsOf(self.caller, '&actor=operator'))).toEqual(['ChannelPaused', 'OwnerRegistered']);
      expect(typesOf(await eventsOf(self.caller, '&actor=operator&aggregate=owner'))).toEqual(['OwnerRegistered']);
      expect(typesOf(await eventsOf(operator, `&actor=owner:${self.id}&type=ProjectRenamed`))).toEqual([
        'ProjectRenamed',
      ]);
      const [renamed, resumed] = await eventsOf(self.caller, '');
      expect(await eventsOf(self.caller, `&since=${renamed!.at}`)).toContainEqual(renamed);
      expect(await eventsOf(self.caller, `&until=${renamed!.at}`)).not.toContainEqual(renamed);
      expect(await eventsOf(operator, `&since=${resumed!.at}&type=ChannelResumed&owner_id=${self.id}`)).toEqual([
        resumed,
      ]);
      expect(await eventsOf(self.caller, '&aggregate=webhook-output')).toEqual([]);
      expect((await eventsOf(operator, '&type=OwnerRegistered')).length).toBeGreaterThan(2);
    });

    it('has cursors that are exact while events are appended', async () => {
      const all = await eventsOf(self.caller, '');
      const seen: EventView[] = [];
      for (let cursor = ''; ;) {
        const { body } = await self.caller.get(`/history/events?limit=2${cursor}`).expect(200);
        seen.push(...body.items);
        await self.caller.patch(`/projects/${project}`, { name: `Renamed ${seen.length}` }).expect(200);
        if (body.next === null) break;
        cursor = `&cursor=${body.next}`;
      }
      expect(seen).toEqual(all);
    });

    it.each([
      ['an unknown aggregate', 'aggregate=wall'],
      ['an unknown aggregate among others', 'aggregate=channel,wall'],
      ['an unknown type', 'type=ChannelPainted'],
      ['an actor of no kind', 'actor=person'],
      ['a time without a zone', 'since=2026-01-01'],
      ['a limit beyond 200', 'limit=1000'],
      ['a cursor of another list', 'cursor=dGd0'],
    ])('refuses %s', async (_, query) => {
      await self.caller.get(`/history/events?${query}`).expect(422);
    });
  });

  it('shows ids of erased secrets as erased, and never a secret', async () => {
    const self = await createOwner(harness);
    const channel = (await createChannel(self)).id;
    const path = `/history/channel/${channel}`;
    const before = (await self.caller.get(path).expect(200)).body;
    expect(before.state.credentials_id).not.toBe('erased');
    await self.caller.delete(`/channels/${channel}`).expect(204);
    const { body } = await until('the credentials are erased', async () => {
      const answer = await self.caller.get(path).expect(200);
      return answer.body.state.credentials_id === 'erased' && answer;
    });
    expect(body.state.deleted_at).not.toBeNull();
    expect(body.events[0].data.credentialsId).toBe('erased');
    expect(body.events[0].hash).toBe(before.events[0].hash);
    const diff = await self.caller.get(`${path}/diff?from=2020-01-01T00:00:00Z`).expect(200);
    expect(diff.body.changes).toContainEqual(expect.objectContaining({ path: '/credentials_id', after: 'erased' }));
    const trail = await eventsOf(self.caller, `&id=${channel}&type=ChannelConnected`);
    expect(trail[0]!.data['credentialsId']).toBe('erased');
    for (const text of [JSON.stringify(body), JSON.stringify(trail)]) expect(text).not.toContain('1:test-token');
  });

  describe('of a post', () => {
    let setup: PublishingSetup;
    let post: string;
    beforeAll(async () => {
      setup = await PublishingSetup.create(harness);
      post = await setup.sendPost({ text: 'Hello', external_id: 'of-the-shop', ad_target_pause_minutes: 60 });
      await setup.waitForState(post, 'published');
    });

    it('is found by the post’s id, although the stream is named after the key', async () => {
      const { body } = await setup.owner.caller.get(`/history/post/${post}`).expect(200);
      expect(body.state).toMatchObject({ id: post, external_id: 'of-the-shop', payload: { text: 'Hello' } });
      expect(typesOf(body.events)).toEqual(['PostAccepted']);
      await other.caller.get(`/history/post/${post}`).expect(404);
      await other.caller.get(`/history/trace/${post}`).expect(404);
      const { id } = await setup.readPublication(post);
      const publication = (await setup.owner.caller.get(`/history/publication/${id}`).expect(200)).body;
      expect(publication.state).toMatchObject({
        id,
        post_id: post,
        state: 'published',
        attempts: [{ outcome: 'published' }],
      });
      await other.caller.get(`/history/publication/${id}`).expect(404);
      await other.caller.get(`/history/trace/${id}`).expect(404);
    });

    it('is named by its first words in the list of events', async () => {
      await catchUp(harness, 'audit');
      const { body } = await setup.owner.caller.get('/history/events?aggregate=publication&limit=1').expect(200);
      const { excerpt } = (await setup.owner.caller.get(`/posts/${post}`).expect(200)).body;
      expect(body.items[0]).toMatchObject({ type: 'PublicationSucceeded', post_id: post, excerpt });
    });

    it('is traced from the request to the network’s message ids, by any id of it', async () => {
      await catchUp(harness, 'audit');
      const { body } = await setup.owner.caller.get(`/history/trace/${post}`).expect(200);
      const events = body.events as EventView[];
      expect(typesOf(events)).toEqual(['PostAccepted', 'PublicationStarted', 'ChannelPaused', 'PublicationSucceeded']);
      const [accepted, , , succeeded] = events;
      expect(body.id).toBe(post);
      expect(body.request).toMatchObject({
        id: accepted!.request_id,
        actor: `endpoint:${setup.endpoint.id}`,
        key_name: null,
        ip: '127.0.0.1',
      });
      expect(accepted).toMatchObject({ aggregate: 'post', aggregate_id: post, ip: '127.0.0.1' });
      expect(new Set(events.map(({ correlation_id }) => correlation_id)).size).toBe(1);
      // Every event was caused by the request or an event of the story.
      const causes = new Set([accepted!.request_id, ...events.map(({ id }) => id)]);
      expect(events.filter(({ causation_id }) => !causes.has(causation_id))).toEqual([]);
      const publication = await setup.readPublication(post);
      expect(succeeded!.data['messageIds']).toEqual((publication as unknown as { message_ids: string[] }).message_ids);
      for (const id of [publication.id, accepted!.request_id, succeeded!.id]) {
        const again = await setup.owner.caller.get(`/history/trace/${id}`).expect(200);
        expect(again.body.events).toEqual(events);
      }
      await other.caller.get(`/history/trace/${succeeded!.id}`).expect(404);
      await operator.get(`/history/trace/${succeeded!.id}`).expect(200);
      await operator.get('/history/trace/of%20nothing').expect(404);
      await operator.get(`/history/trace/req_${'0'.repeat(32)}`).expect(404);
    });

    it('has people’s decisions in its story', async () => {
      const held = await setup.sendPost({ text: 'Waits for the pause' });
      await catchUp(harness, 'posts');
      const { id } = await setup.readPublication(held);
      const cancelled = await setup.owner.caller.post(`/publications/${id}/cancel`).expect(200);
      const requestId = cancelled.headers['x-request-id'] as string;
      await catchUp(harness, 'audit');
      const { events } = (await setup.owner.caller.get(`/history/trace/${held}`).expect(200)).body;
      expect(typesOf(events)).toEqual(['PostAccepted', 'PublicationDismissed']);
      expect(events[1]).toMatchObject({
        request_id: requestId,
        causation_id: requestId,
        actor: `owner:${setup.owner.id}`,
      });
      expect((await setup.owner.caller.get(`/history/trace/${requestId}`).expect(200)).body.events).toEqual(events);
    });

    it('shows a payload that was stored in parts', async () => {
      const metadata = { filler: 'x'.repeat(100_000) };
      const large = await setup.sendPost({ text: 'Long', metadata });
      await catchUp(harness, 'posts');
      const { state } = (await setup.owner.caller.get(`/history/post/${large}`).expect(200)).body;
      expect(state).toMatchObject({ metadata, payload: { text: 'Long', metadata } });
      const events = await eventsOf(setup.owner.caller, `&id=${large}`);
      expect(typesOf(events)).toEqual(['PostAccepted', 'PayloadPartStored']);
    });
  });
});
