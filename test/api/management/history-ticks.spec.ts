import request from 'supertest';
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
import { sendUnchecked } from './send-unchecked.js';

interface Span {
  readonly kind: string;
  readonly id: string;
  readonly from: string;
  readonly to: string | null;
  readonly event_id: string;
  readonly actor: string;
}

interface Ticks {
  readonly first_at: string | null;
  readonly from: string;
  readonly to: string;
  readonly buckets: readonly {
    readonly at: string;
    readonly events: number;
    readonly published: number;
    readonly failed: number;
    readonly in_doubt: number;
  }[];
  readonly spans: readonly Span[];
  readonly spans_truncated: boolean;
  readonly changes: readonly {
    readonly at: string;
    readonly actor: string;
    readonly type: string;
    readonly event_id: string;
    readonly aggregate: string;
    readonly aggregate_id: string;
  }[];
  readonly changes_truncated: boolean;
}

interface EventView {
  readonly id: string;
  readonly type: string;
  readonly at: string;
  readonly actor: string;
  readonly aggregate: string;
  readonly aggregate_id: string;
}

const sum = (ticks: Ticks, name: 'events' | 'published' | 'failed' | 'in_doubt'): number =>
  ticks.buckets.reduce((total, bucket) => total + bucket[name], 0);

const addMs = (time: string, ms: number): string => new Date(Date.parse(time) + ms).toISOString();

describe('the ticks of history', () => {
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

  const readTicks = async (caller: Caller, query = ''): Promise<Ticks> => {
    await catchUp(harness, 'audit');
    return (await caller.get(`/history/ticks?${query}`).expect(200)).body;
  };

  const readEvents = async ({ caller }: TestOwner, query = ''): Promise<EventView[]> => {
    await catchUp(harness, 'audit');
    return (await caller.get(`/history/events?limit=200${query}`).expect(200)).body.items;
  };

  const spansOf = async ({ caller }: TestOwner, kind: string): Promise<readonly Span[]> =>
    (await readTicks(caller)).spans.filter((span) => span.kind === kind);

  describe('counted', () => {
    let setup: PublishingSetup;
    let events: EventView[];
    beforeAll(async () => {
      setup = await PublishingSetup.create(harness);
      await setup.waitForState(await setup.sendPost(), 'published');
      const body = { ok: false, error_code: 400, description: 'Bad Request' };
      await harness.telegram.addFault({ mode: 'answer', status: 400, body, channel: setup.channel.chatId });
      await setup.waitForState(await setup.sendPost(), 'failed');
      await harness.telegram.addFault({
        mode: 'accept_then_drop',
        method: 'sendMessage',
        channel: setup.channel.chatId,
      });
      await setup.waitForState(await setup.sendPost(), 'in_doubt');
      // The gateway raises a notice for the failure and one for the doubt, each with its own events.
      events = await until('the notices are raised', async () => {
        const all = await readEvents(setup.owner);
        return all.filter(({ aggregate }) => aggregate === 'notice').length >= 2 && all;
      });
    });

    it('show all of history by default, with a bucket for each event', async () => {
      const ticks = await readTicks(setup.owner.caller);
      const oldest = events.at(-1)!;
      expect(ticks.first_at).toBe(oldest.at);
      expect(ticks.from).toBe(oldest.at);
      expect(ticks.buckets).toHaveLength(100);
      expect(ticks.buckets[0]!.at).toBe(ticks.from);
      expect(sum(ticks, 'events')).toBe((await readEvents(setup.owner, `&until=${ticks.to}`)).length);
      const ofType = (type: string) => events.filter((event) => event.type === type).length;
      expect(sum(ticks, 'published')).toBe(ofType('PublicationSucceeded'));
      expect(sum(ticks, 'failed')).toBe(ofType('PublicationFailed'));
      expect(sum(ticks, 'in_doubt')).toBe(ofType('PublicationInDoubt'));
      expect([sum(ticks, 'published'), sum(ticks, 'failed'), sum(ticks, 'in_doubt')]).toEqual([1, 1, 1]);
    });

    it('lie in the bucket that their time is in: its beginning is inclusive, its end is not', async () => {
      const [from, to] = [events.at(-1)!.at, addMs(events[0]!.at, 1)];
      const { buckets } = await readTicks(setup.owner.caller, `from=${from}&to=${to}&buckets=500`);
      const ends = [...buckets.slice(1).map(({ at }) => at), to];
      buckets.forEach(({ at, events: counted }, i) => {
        const within = events.filter((event) => event.at >= at && event.at < ends[i]!).length;
        expect({ at, counted }).toEqual({ at, counted: within });
      });
      const { at } = events[3]!;
      const same = events.filter((event) => event.at === at).length;
      const one = await readTicks(setup.owner.caller, `from=${at}&to=${addMs(at, 1)}&buckets=500`);
      expect(one.buckets).toMatchObject([{ at, events: same }]);
      expect(sum(await readTicks(setup.owner.caller, `from=${to}&to=${addMs(to, 60_000)}`), 'events')).toBe(0);
    });

    it('have buckets of equal length, as many as were asked for', async () => {
      const query = 'from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:10Z&buckets=3';
      const { buckets } = await readTicks(setup.owner.caller, query);
      expect(buckets).toEqual(
        ['00.000', '03.333', '06.666'].map((seconds) => ({
          at: `2026-01-01T00:00:${seconds}Z`,
          events: 0,
          published: 0,
          failed: 0,
          in_doubt: 0,
        })),
      );
      expect((await readTicks(setup.owner.caller, 'buckets=1')).buckets).toHaveLength(1);
    });

    it('are an owner’s own; the operator sees one owner’s or all', async () => {
      const range = `from=${addMs(events.at(-1)!.at, -1)}&to=${addMs(events[0]!.at, 1)}`;
      const own = await readTicks(setup.owner.caller, range);
      expect(sum(own, 'events')).toBe(events.length);
      expect(await readTicks(operator, `${range}&owner_id=${setup.owner.id}`)).toEqual(own);
      expect(await readTicks(setup.owner.caller, `${range}&owner_id=${setup.owner.id}`)).toEqual(own);
      expect(sum(await readTicks(other.caller, range), 'events')).toBe(0);
      await other.caller.get(`/history/ticks?owner_id=${setup.owner.id}`).expect(404);
      const all = await readTicks(operator);
      const ofOther = await readTicks(other.caller);
      expect(all.first_at! <= ofOther.first_at!).toBe(true);
      expect(sum(all, 'events')).toBeGreaterThanOrEqual(sum(own, 'events') + sum(ofOther, 'events'));
    });

    it('show a day before an end at which nothing had happened yet', async () => {
      const { from, first_at } = await readTicks(setup.owner.caller, 'to=2020-01-02T00:00:00Z');
      expect(from).toBe('2020-01-01T00:00:00.000Z');
      expect(first_at).toBe(events.at(-1)!.at);
    });
  });

  describe('with spans', () => {
    it.each(['project', 'channel'] as const)('of the pauses of a %s: extended, lifted and running', async (what) => {
      const owner = await createOwner(harness);
      const channel = (await createChannel(owner)).id;
      const id = what === 'channel' ? channel : await createProject(owner, [channel]);
      const pause = async (caller: Caller, minutes: number): Promise<string> =>
        (await caller.post(`/${what}s/${id}/pause`, { minutes }).expect(200)).body.paused_until;
      await pause(owner.caller, 5);
      const extended = await pause(operator, 60);
      const [running] = await spansOf(owner, `${what}_pause`);
      const [, first] = await readEvents(owner, `&aggregate=${what}-pause`);
      expect(await spansOf(owner, `${what}_pause`)).toEqual([
        {
          kind: `${what}_pause`,
          id,
          from: first!.at,
          to: extended,
          event_id: first!.id,
          actor: `owner:${owner.id}`,
        },
      ]);

      await owner.caller.post(`/${what}s/${id}/resume`).expect(200);
      const [resumed] = await readEvents(owner, `&aggregate=${what}-pause`);
      expect(await spansOf(owner, `${what}_pause`)).toEqual([{ ...running, to: resumed!.at }]);

      await until('the clock has moved', async () => new Date().toISOString() > resumed!.at);
      const again = await pause(operator, 5);
      const spans = await spansOf(owner, `${what}_pause`);
      expect(spans).toMatchObject([{ to: resumed!.at }, { id, to: again, actor: 'operator' }]);

      await owner.caller.delete(`/${what}s/${id}?cascade=true`).expect(204);
      const deleted = (await readEvents(owner, `&aggregate=${what}&id=${id}`))[0]!;
      expect(deleted.type).toMatch(/Deleted$/);
      expect(await spansOf(owner, `${what}_pause`)).toEqual([spans[0], { ...spans[1], to: deleted.at }]);
    });

    it('that began before the time and last, and none that ended before it', async () => {
      const owner = await createOwner(harness);
      const channel = (await createChannel(owner)).id;
      await owner.caller.post(`/channels/${channel}/pause`, { minutes: 5 }).expect(200);
      await owner.caller.post(`/channels/${channel}/resume`).expect(200);
      await owner.caller.post(`/channels/${channel}/pause`, { minutes: 60 }).expect(200);
      const [ended, lasting] = await spansOf(owner, 'channel_pause');
      const inTime = async (from: string, to: string) =>
        (await readTicks(owner.caller, `from=${from}&to=${to}`)).spans.map(({ event_id }) => event_id);
      expect(await inTime(addMs(lasting!.from, 60_000), addMs(lasting!.from, 120_000))).toEqual([lasting!.event_id]);
      expect(await inTime(addMs(lasting!.to!, -1), addMs(lasting!.to!, 1))).toEqual([lasting!.event_id]);
      expect(await inTime(lasting!.to!, addMs(lasting!.to!, 1))).toEqual([]);
      expect(await inTime(addMs(ended!.from, -60_000), ended!.from)).toEqual([]);
      expect(await inTime(addMs(ended!.from, -60_000), addMs(ended!.from, 1))).toEqual([ended!.event_id]);
      expect((await readTicks(other.caller)).spans).toEqual([]);
      const ofAll = (await readTicks(operator)).spans.map(({ event_id }) => event_id);
      expect(ofAll).toEqual(expect.arrayContaining([ended!.event_id, lasting!.event_id]));
    });

    it.each([
      ['a retry', (setup: PublishingSetup) => setup.owner.caller.post(`/channels/${setup.channel.id}/retry`)],
      [
        'new credentials',
        (setup: PublishingSetup) =>
          setup.owner.caller.patch(`/channels/${setup.channel.id}`, {
            credentials: { bot_token: '1:new-token', chat_id: setup.channel.chatId },
          }),
      ],
      [
        'its deletion',
        (setup: PublishingSetup) => setup.owner.caller.delete(`/channels/${setup.channel.id}?cascade=true`),
      ],
    ])('of a channel that needs attention, until %s', async (_, end) => {
      const setup = await PublishingSetup.create(harness);
      const body = { ok: false, error_code: 401, description: 'Unauthorized' };
      await harness.telegram.addFault({ mode: 'answer', status: 401, body, channel: setup.channel.chatId });
      await setup.waitForRule(await setup.sendPost(), 'needs_attention');
      const [flagged] = await readEvents(setup.owner, '&type=ChannelNeedsAttention');
      const open = {
        kind: 'needs_attention',
        id: setup.channel.id,
        from: flagged!.at,
        to: null,
        event_id: flagged!.id,
        actor: 'system:publish-due-posts',
      };
      expect(await spansOf(setup.owner, 'needs_attention')).toEqual([open]);
      const { status } = await end(setup);
      expect(status).toBeLessThan(300);
      const ended = (await readEvents(setup.owner, `&aggregate=channel&id=${setup.channel.id}`)).find(({ type }) =>
        ['ChannelAttentionCleared', 'ChannelCredentialsReplaced', 'ChannelDeleted'].includes(type),
      )!;
      expect(await spansOf(setup.owner, 'needs_attention')).toEqual([{ ...open, to: ended.at }]);
    });

    it('of an endpoint that its owner disabled, until it is enabled, and again until it is deleted', async () => {
      const owner = await createOwner(harness);
      const { id } = await createEndpoint(owner, [await createProject(owner, [(await createChannel(owner)).id])]);
      await owner.caller.post(`/endpoints/${id}/disable`).expect(200);
      const [first] = await spansOf(owner, 'endpoint_disabled');
      expect(first).toMatchObject({ id, to: null, actor: `owner:${owner.id}` });
      await operator.post(`/endpoints/${id}/enable`).expect(200);
      const [enabled] = await readEvents(owner, '&type=EndpointEnabled');
      await until('the clock has moved', async () => new Date().toISOString() > enabled!.at);
      await operator.post(`/endpoints/${id}/disable`).expect(200);
      const spans = await spansOf(owner, 'endpoint_disabled');
      expect(spans).toEqual([
        { ...first, to: enabled!.at },
        expect.objectContaining({ id, to: null, actor: 'operator' }),
      ]);
      await owner.caller.delete(`/endpoints/${id}`).expect(204);
      const [deleted] = await readEvents(owner, '&type=EndpointDeleted');
      expect(await spansOf(owner, 'endpoint_disabled')).toEqual([spans[0], { ...spans[1], to: deleted!.at }]);
    });

    it('of an endpoint that was disabled by rate limits and then by its owner: one span', async () => {
      const owner = await createOwner(harness);
      const project = await createProject(owner, [(await createChannel(owner)).id]);
      const endpoint = await createEndpoint(owner, [project], { min_interval: 60 });
      // All at once, so that the interval cannot end between two of them on a busy machine.
      await Promise.all(Array.from({ length: 6 }, () => sendUnchecked(harness, endpoint)));
      const [disabled] = await readEvents(owner, '&type=EndpointDisabled');
      const open = {
        kind: 'endpoint_disabled',
        id: endpoint.id,
        from: disabled!.at,
        to: null,
        event_id: disabled!.id,
        actor: 'system:gate',
      };
      expect(await spansOf(owner, 'endpoint_disabled')).toEqual([open]);
      await owner.caller.post(`/endpoints/${endpoint.id}/disable`).expect(200);
      expect(await spansOf(owner, 'endpoint_disabled')).toEqual([open]);
      await owner.caller.post(`/endpoints/${endpoint.id}/enable`).expect(200);
      const [enabled] = await readEvents(owner, '&type=EndpointEnabled');
      expect(await spansOf(owner, 'endpoint_disabled')).toEqual([{ ...open, to: enabled!.at }]);
    });

    it('of an endpoint that the plan disabled', async () => {
      const owner = await createOwner(harness);
      const { id } = await createEndpoint(owner, [await createProject(owner, [(await createChannel(owner)).id])]);
      await operator.patch(`/owners/${owner.id}`, { plan: 'standard' }).expect(200);
      const [span] = await until('the endpoint is disabled', async () => {
        const spans = await spansOf(owner, 'endpoint_disabled');
        return spans.length > 0 && spans;
      });
      expect(span).toMatchObject({ id, to: null, actor: 'system:withdraw-input' });
    });
  });

  describe('with changes', () => {
    it('by owners and the operator, not by endpoints and the gateway', async () => {
      const setup = await PublishingSetup.create(harness);
      await setup.waitForState(await setup.sendPost({ text: 'Hello', ad_target_pause_minutes: 1 }), 'published');
      await request(harness.url)
        .post(`/v1/webhooks/${setup.endpoint.slug}/temp-pause`)
        .set('authorization', `Bearer ${setup.endpoint.token}`)
        .send({ project_minutes: 1 });
      await operator.patch(`/channels/${setup.channel.id}`, { name: 'Renamed' }).expect(200);
      const events = await readEvents(setup.owner);
      const byPeople = events.filter(({ actor }) => actor === 'operator' || actor === `owner:${setup.owner.id}`);
      const { changes, changes_truncated } = await readTicks(setup.owner.caller);
      expect(changes_truncated).toBe(false);
      expect(changes).toEqual(
        byPeople.toReversed().map(({ at, actor, type, id, aggregate, aggregate_id }) => ({
          at,
          actor,
          type,
          event_id: id,
          aggregate,
          aggregate_id,
        })),
      );
      expect(changes.at(-1)).toMatchObject({ type: 'ChannelRenamed', actor: 'operator', aggregate: 'channel' });
      expect(byPeople.length).toBeLessThan(events.length);
    });

    it('of deleted things too, within the time', async () => {
      const owner = await createOwner(harness);
      const channel = (await createChannel(owner)).id;
      await owner.caller.delete(`/channels/${channel}`).expect(204);
      const [deleted] = await readEvents(owner, '&type=ChannelDeleted');
      const { changes } = await readTicks(owner.caller, `from=${deleted!.at}&to=${addMs(deleted!.at, 1)}`);
      expect(changes).toContainEqual(
        expect.objectContaining({ event_id: deleted!.id, type: 'ChannelDeleted', aggregate_id: channel }),
      );
      const before = await readTicks(owner.caller, `to=${deleted!.at}`);
      expect(before.changes.map(({ event_id }) => event_id)).not.toContain(deleted!.id);
      expect((await readTicks(other.caller)).changes.map(({ event_id }) => event_id)).not.toContain(deleted!.id);
      expect((await readTicks(operator)).changes.map(({ event_id }) => event_id)).toContain(deleted!.id);
    });
  });

  it('hold at most 500 spans and changes, and say so', async () => {
    const owner = await createOwner(harness);
    const channel = (await createChannel(owner)).id;
    await createProject(owner, [channel], 'Longest');
    const paused = await Promise.all(Array.from({ length: 25 }, () => createProject(owner, [channel])));
    await owner.caller.post(`/channels/${channel}/pause`, { minutes: 60 }).expect(200);
    const [longest] = await spansOf(owner, 'channel_pause');
    const rounds = 11;
    for (let round = 0; round < rounds; round++) {
      await Promise.all(paused.map((id) => owner.caller.post(`/projects/${id}/pause`, { minutes: 1 }).expect(200)));
      await Promise.all(paused.map((id) => owner.caller.post(`/projects/${id}/resume`).expect(200)));
    }
    const ticks = await readTicks(owner.caller);
    expect(ticks.spans).toHaveLength(paused.length * rounds + 1);
    expect(ticks.spans_truncated).toBe(false);
    expect(ticks.spans).toContainEqual(longest);
    expect(ticks.changes).toHaveLength(500);
    expect(ticks.changes_truncated).toBe(true);
    // By time, because events that are appended together may be recorded in another order.
    const newest = (await readEvents(owner)).map(({ at }) => at).toSorted();
    expect(ticks.changes.at(-1)!.at).toBe(newest.at(-1));
    expect(ticks.changes.map(({ at }) => at)).toEqual(ticks.changes.map(({ at }) => at).toSorted());
    expect(ticks.spans.map(({ from }) => from)).toEqual(ticks.spans.map(({ from }) => from).toSorted());
  });

  it.each([
    ['no buckets', 'buckets=0', 'buckets'],
    ['501 buckets', 'buckets=501', 'buckets'],
    ['a negative number of buckets', 'buckets=-1', 'buckets'],
    ['a fraction of a bucket', 'buckets=1.5', 'buckets'],
    ['an end at the beginning', 'from=2026-01-01T00:00:00Z&to=2026-01-01T00:00:00Z', 'to'],
    ['an end before the beginning', 'from=2026-01-02T00:00:00Z&to=2026-01-01T00:00:00Z', 'to'],
    ['a beginning in the future', 'from=2999-01-01T00:00:00Z', 'to'],
    ['a time without a zone', 'from=2026-01-01T00:00:00', 'from'],
    ['a day that does not exist', 'to=2026-02-30T00:00:00Z', 'to'],
    ['an id of no owner', 'owner_id=a%20b', 'owner_id'],
    ['an unknown field', 'at=2026-01-01T00:00:00Z', 'at'],
  ])('refuse %s', async (_, query, field) => {
    const { body } = await other.caller.get(`/history/ticks?${query}`).expect(422);
    expect(body.errors).toEqual([expect.stringMatching(`^${field}\\b`)]);
  });

  it('cover the whole range of times', async () => {
    const ticks = await readTicks(other.caller, 'from=0001-01-01T00:00:00Z&to=9999-12-31T23:59:59Z&buckets=500');
    expect(sum(ticks, 'events')).toBe((await readEvents(other)).length);
  });
});
