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
import { LIMITS_PROFILE } from './publishing-setup.js';

interface Change {
  readonly aggregate: string;
  readonly id: string;
  readonly path: string;
  readonly before: unknown;
  readonly after: unknown;
  readonly event_id: string;
  readonly at: string;
  readonly actor: string;
}

const idsOf = (each: readonly { readonly id: string }[]): string[] => each.map(({ id }) => id).toSorted();

describe('the history of everything of an owner', () => {
  let harness: ManagementHarness;
  let operator: Caller;
  let other: TestOwner;
  beforeAll(async () => {
    harness = await startHarness({ LIMITS_PROFILE });
    operator = operatorCaller(harness);
    other = await createOwner(harness);
    await createEndpoint(other, [await createProject(other, [(await createChannel(other)).id])]);
  });
  afterAll(() => harness.stop());

  /** Returns a time after everything so far, and before everything that follows. */
  const passTime = async (): Promise<string> => {
    const time = new Date(Date.now() + 1).toISOString();
    await until('the clock has moved', async () => new Date().toISOString() > time);
    return time;
  };

  const compare = async (caller: Caller, query: string): Promise<Change[]> => {
    await catchUp(harness, 'audit');
    const { body } = await caller.get(`/history/diff?${query}`).expect(200);
    expect(body.truncated).toBe(false);
    return body.changes;
  };

  describe('at a moment', () => {
    it('shows channels and projects as they were then, deleted ones included', async () => {
      const self = await createOwner(harness);
      const [kept, deleted] = [await createChannel(self, 'Kept'), await createChannel(self, 'Deleted')];
      const project = await createProject(self, [kept.id, deleted.id], 'First');
      await self.caller.post(`/channels/${deleted.id}/pause`, { minutes: 5 }).expect(200);
      const then = await passTime();
      await self.caller.patch(`/projects/${project}`, { name: 'Second' }).expect(200);
      await self.caller.delete(`/channels/${deleted.id}?cascade=true`).expect(204);

      await catchUp(harness, 'audit');
      const { body: now } = await self.caller.get('/history').expect(200);
      expect(idsOf(now.channels)).toEqual([kept.id]);
      expect(now.projects).toMatchObject([{ id: project, revision: 2, state: { name: 'Second' } }]);
      expect(now.channel_pauses).toEqual([]);
      const { body: past } = await operator.get(`/history?owner_id=${self.id}&at=${then}`).expect(200);
      expect(Object.keys(past)).toEqual([
        ...['at', 'endpoints', 'channels', 'projects', 'project_pauses', 'channel_pauses'],
      ]);
      expect(idsOf(past.channels)).toEqual([kept.id, deleted.id].toSorted());
      expect(past.channels).toContainEqual(
        expect.objectContaining({ id: kept.id, revision: 0, state: expect.objectContaining({ name: 'Kept' }) }),
      );
      expect(past.projects).toMatchObject([{ id: project, revision: 0, state: { name: 'First' } }]);
      expect(idsOf(past.channel_pauses)).toEqual([deleted.id]);
    });

    it('shows an owner nothing of others, and the operator everything', async () => {
      const self = await createOwner(harness);
      const channel = (await createChannel(self)).id;
      await catchUp(harness, 'audit');
      expect((await self.caller.get('/history').expect(200)).body).toMatchObject({ endpoints: [], projects: [] });
      expect(idsOf((await self.caller.get('/history').expect(200)).body.channels)).toEqual([channel]);
      await self.caller.get(`/history?owner_id=${other.id}`).expect(404);
      const { body } = await operator.get('/history').expect(200);
      expect(idsOf(body.channels)).toContain(channel);
      expect(body.channels.length).toBeGreaterThan(1);
      expect(body.projects.length).toBeGreaterThan(0);
    });
  });

  describe('between two moments', () => {
    let self: TestOwner;
    let channel: string;
    let project: string;
    let from: string;
    let to: string;
    let created: string;
    let endpoint: string;
    beforeAll(async () => {
      self = await createOwner(harness);
      channel = (await createChannel(self, 'First')).id;
      project = await createProject(self, [channel]);
      endpoint = (await createEndpoint(self, [project])).id;
      await self.caller.post(`/projects/${project}/pause`, { minutes: 5 }).expect(200);
      from = await passTime();
      await self.caller.patch(`/channels/${channel}`, { name: 'Second' }).expect(200);
      await operator.patch(`/channels/${channel}`, { name: 'Third' }).expect(200);
      await self.caller.post(`/projects/${project}/resume`).expect(200);
      await self.caller.post(`/channels/${channel}/pause`, { minutes: 5 }).expect(200);
      created = await createProject(self, [channel], 'New');
      await self.caller.delete(`/endpoints/${endpoint}`).expect(204);
      to = await passTime();
      await self.caller.patch(`/channels/${channel}`, { name: 'Fourth' }).expect(200);
    });

    it('names each change, with the last event that made it', async () => {
      const changes = await compare(self.caller, `from=${from}&to=${to}`);
      expect(new Set(changes.map(({ aggregate, id }) => `${aggregate}/${id}`))).toEqual(
        new Set([
          ...[`endpoint/${endpoint}`, `channel/${channel}`, `project/${created}`],
          ...[`project-pause/${project}`, `channel-pause/${channel}`],
        ]),
      );
      const renamed = changes.filter(({ aggregate }) => aggregate === 'channel');
      expect(renamed).toEqual([
        expect.objectContaining({ id: channel, path: '/name', before: 'First', after: 'Third', actor: 'operator' }),
      ]);
      const { body: event } = await operator.get(`/history/channel/${channel}?revision=2`).expect(200);
      expect(renamed[0]).toMatchObject({ event_id: event.events[2].id, at: event.events[2].at });
      expect(changes).toContainEqual(
        expect.objectContaining({ id: project, path: '/resumed_by', before: null, after: `owner:${self.id}` }),
      );
      expect(changes).toContainEqual(
        expect.objectContaining({ aggregate: 'project', id: created, path: '/name', before: null, after: 'New' }),
      );
      expect(changes).toContainEqual(
        expect.objectContaining({ id: endpoint, path: '/deleted_at', before: null, actor: `owner:${self.id}` }),
      );
    });

    it.each([
      ['channel', () => channel],
      ['project-pause', () => project],
      ['channel-pause', () => channel],
      ['endpoint', () => endpoint],
      ['project', () => created],
    ])('agrees with the difference of a %s alone', async (aggregate, idOf) => {
      const { body } = await self.caller.get(`/history/${aggregate}/${idOf()}/diff?from=${from}&to=${to}`).expect(200);
      const all = await compare(self.caller, `from=${from}&to=${to}`);
      const ofOne = all.filter((each) => each.aggregate === aggregate && each.id === idOf());
      expect(ofOne.length).toBeGreaterThan(0);
      expect(ofOne).toEqual(body.changes.map((change: object) => ({ ...change, aggregate, id: idOf() })));
    });

    it('shows the times, and takes now for the end', async () => {
      await catchUp(harness, 'audit');
      const { body } = await self.caller.get(`/history/diff?from=${from}`).expect(200);
      expect(body.from).toEqual({ at: from });
      expect(body.to.at > to).toBe(true);
      expect(body.changes).toContainEqual(expect.objectContaining({ path: '/name', before: 'First', after: 'Fourth' }));
    });

    it('includes events at the end, and none at the beginning', async () => {
      const { events } = (await self.caller.get(`/history/channel/${channel}`).expect(200)).body;
      const last = events.at(-1).at as string;
      const before = new Date(Date.parse(last) - 1).toISOString();
      expect(await compare(self.caller, `from=${before}&to=${last}`)).toMatchObject([
        { aggregate: 'channel', id: channel, path: '/name', before: 'Third', after: 'Fourth' },
      ]);
      expect(await compare(self.caller, `from=${last}`)).toEqual([]);
      expect(await compare(self.caller, `from=${last}&to=${last}`)).toEqual([]);
    });

    it('shows an owner its own changes alone, and the operator those of one owner or all', async () => {
      const query = `from=2020-01-01T00:00:00Z&to=${to}`;
      const own = await compare(self.caller, query);
      expect(await compare(operator, `${query}&owner_id=${self.id}`)).toEqual(own);
      expect(await compare(self.caller, `${query}&owner_id=${self.id}`)).toEqual(own);
      await other.caller.get(`/history/diff?${query}&owner_id=${self.id}`).expect(404);
      const ofOther = await compare(other.caller, query);
      const owned = new Set(own.map(({ id }) => id));
      expect(ofOther.length).toBeGreaterThan(0);
      expect(ofOther.filter(({ id }) => owned.has(id))).toEqual([]);
      const all = (await compare(operator, query)).map(({ id }) => id);
      expect(all).toEqual(expect.arrayContaining([own[0]!.id, ofOther[0]!.id]));
    });

    it.each(['/history?', '/history/diff?from=2020-01-01T00:00:00Z&', '/history/ticks?', '/history/events?'])(
      'answers 404 to %s for an owner that never existed, and shows a deleted one',
      async (path) => {
        const { body } = await operator.get(`${path}owner_id=own_${'0'.repeat(32)}`).expect(404);
        expect(body.code).toBe('not_found');
        const deleted = await createOwner(harness);
        await operator.delete(`/owners/${deleted.id}`).expect(204);
        await operator.get(`${path}owner_id=${deleted.id}`).expect(200);
      },
    );

    it('shows ids of erased secrets as erased', async () => {
      const owner = await createOwner(harness);
      const { id } = await createChannel(owner);
      await owner.caller.delete(`/channels/${id}`).expect(204);
      const credentials = await until('the credentials are erased', async () => {
        const changes = await compare(owner.caller, 'from=2020-01-01T00:00:00Z');
        const change = changes.find(({ path }) => path === '/credentials_id');
        return change?.after === 'erased' && change;
      });
      expect(credentials).toMatchObject({ aggregate: 'channel', id, before: null });
    });

    it('says when there are more than 1,000 changes', async () => {
      const owner = await createOwner(harness);
      const ofProject = await createProject(owner, [(await createChannel(owner)).id]);
      for (let i = 0; i < 50; i++) await createEndpoint(owner, [ofProject]);
      await catchUp(harness, 'audit');
      const { body } = await owner.caller.get('/history/diff?from=2020-01-01T00:00:00Z').expect(200);
      expect(body.truncated).toBe(true);
      expect(body.changes).toHaveLength(1_000);
    });

    it.each([
      ['no beginning', ''],
      ['an end before the beginning', 'from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z'],
      ['a time without a zone', 'from=2026-01-01T00:00:00'],
      ['a day that does not exist', 'from=2026-02-30T00:00:00Z'],
      ['an unknown field', 'from=2026-01-01T00:00:00Z&at=2026-01-01T00:00:00Z'],
      ['an id of no owner', 'from=2026-01-01T00:00:00Z&owner_id=a%20b'],
    ])('refuses %s', async (_, query) => {
      await self.caller.get(`/history/diff?${query}`).expect(422);
    });
  });
});
