import fc from 'fast-check';
import { MemoryEventStore } from '../../../test/support/memory-event-store.js';
import { catalogue } from '../../domain/catalogue.js';
import { AggregateStore, emptyAggregate } from '../../event-store/aggregate-store.js';
import { EventCodec } from '../../event-store/codec.js';
import { iso } from '../../kernel/clock.js';
import { type DomainEvent, type ShownAggregate, streamOf } from '../../kernel/events.js';
import type { JsonObject } from '../../kernel/ids.js';
import { findAggregate } from '../aggregates/catalogue.js';
import type { Folded } from '../aggregates/history-aggregate.js';
import { ChangeAuthors, diffStates } from './diff.js';
import { HistoryReader, type HistorySnapshots, type Until } from './history-reader.js';

const codec = new EventCodec(catalogue);
const START = 1_780_000_000_000;
const RUNS = process.env.TEST_LONG ? 5_000 : 150;

/** Kinds of changes, as people describe them: the model and the events are derived from them independently. */
type Change =
  | { readonly kind: 'rename' | 'rotate-slug' | 'rotate-secret' | 'rotate-token'; readonly value: string }
  | { readonly kind: 'disable'; readonly by: 'owner' | 'rate_limits' | 'plan'; readonly reason: string }
  | { readonly kind: 'enable' | 'resume' | 'delete' }
  | { readonly kind: 'pause'; readonly minutes: number };

/** A change with its author; the clock moves by `step` ms before it, backwards if a clock was set back. */
type Step = { readonly change: Change; readonly step: number; readonly actor: string; readonly ip: string | null };

const word = fc.string({ minLength: 1, maxLength: 8 });
const change: fc.Arbitrary<Change> = fc.oneof(
  fc.record({ kind: fc.constantFrom('rename', 'rotate-slug', 'rotate-secret', 'rotate-token'), value: word }),
  fc.record({ kind: fc.constant('disable'), by: fc.constantFrom('owner', 'rate_limits', 'plan'), reason: word }),
  fc.record({ kind: fc.constantFrom('enable', 'resume', 'delete') }),
  fc.record({ kind: fc.constant('pause'), minutes: fc.integer({ min: 1, max: 1_440 }) }),
);
const step: fc.Arbitrary<Step> = fc.record({
  change,
  step: fc.oneof(
    { weight: 5, arbitrary: fc.nat(60_000) },
    { weight: 1, arbitrary: fc.integer({ min: -90_000, max: 0 }) },
  ),
  actor: fc.constantFrom('operator', 'owner:own_1', 'system:gate'),
  ip: fc.constantFrom(null, '203.0.113.7', '2001:db8::1'),
});
const history = fc.array(step, { minLength: 1, maxLength: 40 });

/** Appends events to one stream, each at its own time. */
class Writer {
  readonly store = new MemoryEventStore();
  private readonly aggregates = new AggregateStore(this.store, codec);
  private readonly ends = new Map<string, Omit<ReturnType<typeof emptyAggregate>, 'state'>>();
  private count = 0;

  async append(
    stream: string,
    event: DomainEvent,
    at: number,
    { actor, ip }: Pick<Step, 'actor' | 'ip'>,
  ): Promise<void> {
    const end = this.ends.get(stream) ?? emptyAggregate({ initial: null });
    const commandId = `command-${++this.count}`;
    const ids = { requestId: commandId, causationId: commandId, correlationId: commandId, clientAddress: ip };
    const encoded = await this.aggregates.encodeEvents(stream, [event], end, { ...ids, commandId, at, actor });
    const { revision, position } = await this.aggregates.appendWithRetry(stream, end.revision, encoded.events);
    this.ends.set(stream, { revision, position, hash: encoded.hash });
  }
}

const ENDPOINT = streamOf({ category: 'endpoint' }, 'ep_1');
const PAUSE = streamOf({ category: 'projectPause' }, 'prj_1');
const endpointId = 'ep_1';
const projectId = 'prj_1';

const created: DomainEvent = {
  type: 'EndpointCreated',
  data: {
    endpointId,
    ownerId: 'own_1',
    slug: 'first',
    mode: 'live',
    tokenHash: 'aa',
    signingSecretId: 'secret-0',
    settings: {
      name: 'first',
      projectIds: [],
      minInterval: 0,
      requireSignature: false,
      requireTimestamp: false,
      ipAllowlist: [],
      verboseDiscovery: false,
    },
  },
};

/** Returns the event of a change, and its stream. */
const eventOf = (one: Change, at: number, secret: string): readonly [string, DomainEvent] => {
  switch (one.kind) {
    case 'rename':
      return [ENDPOINT, { type: 'EndpointChanged', data: { endpointId, settings: { name: one.value } } }];
    case 'rotate-slug':
      return [ENDPOINT, { type: 'EndpointSlugRotated', data: { endpointId, slug: one.value, at } }];
    case 'rotate-token':
      return [ENDPOINT, { type: 'EndpointTokenRotated', data: { endpointId, tokenHash: one.value } }];
    case 'rotate-secret': {
      const data = { endpointId, signingSecretId: one.value, previousSecretId: secret, previousUntil: at + 1_000 };
      return [ENDPOINT, { type: 'EndpointSecretRotated', data }];
    }
    case 'disable':
      return [ENDPOINT, { type: 'EndpointDisabled', data: { endpointId, by: one.by, reason: one.reason } }];
    case 'enable':
      return [ENDPOINT, { type: 'EndpointEnabled', data: { endpointId } }];
    case 'delete':
      return [ENDPOINT, { type: 'EndpointDeleted', data: { endpointId } }];
    case 'pause': {
      const data = { projectId, until: at + one.minutes * 60_000, source: 'management', postId: null };
      return [PAUSE, { type: 'ProjectPaused', data }];
    }
    case 'resume':
      return [PAUSE, { type: 'ProjectResumed', data: { projectId, at } }];
  }
};

/** The model: what a person would have written down after each change. */
interface Model {
  endpoint: JsonObject;
  pause: JsonObject | null;
}

const applyToModel = (model: Model, { change: one, actor, ip }: Step, at: number, shown: number): Model => {
  const { endpoint } = model;
  switch (one.kind) {
    case 'rename':
      return { ...model, endpoint: { ...endpoint, name: one.value } };
    case 'rotate-slug':
      return { ...model, endpoint: { ...endpoint, slug: one.value, previous_slug: endpoint['slug'] } };
    case 'rotate-token':
      return { ...model, endpoint: { ...endpoint, token_since: iso(shown) } };
    case 'rotate-secret':
      return { ...model, endpoint: { ...endpoint, signing_secret_id: one.value } };
    case 'disable':
      return { ...model, endpoint: { ...endpoint, is_active: false, disabled_by: one.by } };
    case 'enable':
      return { ...model, endpoint: { ...endpoint, is_active: true, disabled_by: null } };
    case 'delete':
      return { ...model, endpoint: { ...endpoint, deleted_at: iso(shown) } };
    case 'pause':
      return {
        ...model,
        pause: { paused_until: iso(at + one.minutes * 60_000), paused_by: actor, ip, paused_at: iso(shown) },
      };
    case 'resume':
      return { ...model, pause: { paused_until: null, paused_by: null, ip: null, resumed_by: actor, resumed_ip: ip } };
  }
};

const endpoints = findAggregate('endpoint')!;
const pauses = findAggregate('project-pause')!;
const placeOf = (stream: string) => ({ stream, first: 0n, last: null, only: null });

describe('time travel', () => {
  it(`shows what a model shows, at any moment of ${RUNS} random histories`, async () => {
    await fc.assert(
      fc.asyncProperty(history, fc.array(fc.nat(), { minLength: 3, maxLength: 8 }), async (steps, moments) => {
        const writer = new Writer();
        let now = START;
        let secret = 'secret-0';
        let model: Model = {
          endpoint: {
            name: 'first',
            slug: 'first',
            previous_slug: null,
            token_since: iso(START),
            deleted_at: null,
            signing_secret_id: 'secret-0',
            is_active: true,
            disabled_by: null,
          },
          pause: null,
        };
        await writer.append(ENDPOINT, created, now, { actor: 'operator', ip: null });
        // Each stream's time never runs backwards, whatever the clock does.
        const shown = new Map([[ENDPOINT, START]]);
        const past = { [ENDPOINT]: [{ at: START, model }], [PAUSE]: [{ at: 0, model }] };
        for (const one of steps) {
          now += one.step;
          const [stream, event] = eventOf(one.change, now, secret);
          if (one.change.kind === 'rotate-secret') secret = one.change.value;
          await writer.append(stream, event, now, one);
          shown.set(stream, Math.max(now, shown.get(stream) ?? 0));
          model = applyToModel(model, one, now, shown.get(stream)!);
          past[stream]!.push({ at: shown.get(stream)!, model });
        }
        const modelAt = (stream: string, at: number) =>
          past[stream]!.findLast((entry) => entry.at <= at)?.model ?? null;
        const reader = new HistoryReader(writer.store, codec, null);
        const times = past[ENDPOINT]!.concat(past[PAUSE]!).map(({ at }) => at);
        for (const moment of moments) {
          const at = times[moment % times.length]! + (moment % 3) - 1;
          const endpoint = await reader.foldUpTo(endpoints, placeOf(ENDPOINT), { at });
          const pause = await reader.foldUpTo(pauses, placeOf(PAUSE), { at });
          const expected = modelAt(ENDPOINT, at);
          if (expected) expect(endpoint.state).toMatchObject(expected.endpoint);
          else expect(endpoint.state).toBeNull();
          const expectedPause = modelAt(PAUSE, at)?.pause ?? null;
          if (expectedPause) expect(pause.state).toMatchObject(expectedPause);
          else expect(pause.state).toBeNull();
        }
      }),
      { numRuns: RUNS },
    );
  });

  it('attributes each difference to the last event that changed it', async () => {
    await fc.assert(
      fc.asyncProperty(history, fc.nat(40), async (steps, cut) => {
        const writer = new Writer();
        await writer.append(ENDPOINT, created, START, { actor: 'operator', ip: null });
        let now = START;
        for (const one of steps) {
          const [stream, event] = eventOf(one.change, (now += Math.abs(one.step) + 1), 'secret');
          await writer.append(stream, event, now, one);
        }
        const reader = new HistoryReader(writer.store, codec, null);
        const states: (JsonObject | null)[] = [null];
        const authors = new ChangeAuthors();
        const events: string[] = [];
        let first: Folded | null = null;
        const all = await reader.foldUpTo(endpoints, placeOf(ENDPOINT));
        const revision = BigInt(cut) % (all.revision + 1n);
        first = await reader.foldUpTo(endpoints, placeOf(ENDPOINT), { revision });
        states[0] = first.state;
        await reader.foldFrom(endpoints, placeOf(ENDPOINT), first, {}, (before, after, event) => {
          authors.record(before.state, after.state, event);
          states.push(after.state);
          events.push(event.id);
        });
        for (const { path, after, event } of authors.attribute(diffStates(first.state, all.state))) {
          // Searching backwards, the first event before which the member differs names the author.
          const valueOf = (state: JsonObject | null) => {
            let value: unknown = state;
            for (const name of path.split('/').slice(1)) value = (value as JsonObject | null)?.[name];
            return JSON.stringify(value) ?? 'absent';
          };
          const present = valueOf(all.state);
          expect(after).toEqual(present === 'absent' ? null : JSON.parse(present));
          const last = states.findLastIndex((state) => valueOf(state) !== present);
          expect({ path, id: event.id }).toEqual({ path, id: events[last] });
        }
      }),
      { numRuns: RUNS },
    );
  });
});

/** Snapshots in memory. */
class MemorySnapshots implements HistorySnapshots {
  readonly saved: Folded[] = [];

  async findBefore(_: ShownAggregate, __: string, { at, revision }: Until): Promise<Folded | null> {
    const fits = (one: Folded) =>
      (at === undefined || one.at <= at) && (revision === undefined || one.revision <= revision);
    return this.saved.findLast(fits) ?? null;
  }

  async save(_: ShownAggregate, __: string, snapshots: readonly Folded[]): Promise<void> {
    this.saved.push(...snapshots);
  }
}

it('reads a long stream from snapshots, which change no answer', async () => {
  const writer = new Writer();
  for (let i = 0; i < 2_600; i++) {
    const data = { projectId, until: START + i * 60_000, source: 'management', postId: null };
    await writer.append(PAUSE, { type: 'ProjectPaused', data }, START + i * 10 - (i % 7) * 30, {
      actor: `owner:own_${i}`,
      ip: null,
    });
  }
  const snapshots = new MemorySnapshots();
  let read = 0;
  const counting = {
    readStream: async (...args: Parameters<MemoryEventStore['readStream']>) => {
      const events = await writer.store.readStream(...args);
      read += events.length;
      return events;
    },
  };
  const plain = new HistoryReader(writer.store, codec, null);
  const reader = new HistoryReader(counting, codec, snapshots);
  await reader.foldUpTo(pauses, placeOf(PAUSE));
  expect(snapshots.saved.map(({ revision }) => revision)).toEqual([999n, 1999n]);
  for (const until of [
    {},
    { at: START + 21_005 },
    { at: START + 9_990 },
    { revision: 1_999n },
    { revision: 2_300n },
    { at: START },
  ]) {
    read = 0;
    expect(await reader.foldUpTo(pauses, placeOf(PAUSE), until)).toEqual(
      await plain.foldUpTo(pauses, placeOf(PAUSE), until),
    );
    expect(read).toBeLessThanOrEqual(1_600);
  }
  // A snapshot of another history of the stream is ignored.
  snapshots.saved.splice(0, 2, { ...snapshots.saved[1]!, hash: 'of another history', state: {} });
  expect(await reader.foldUpTo(pauses, placeOf(PAUSE))).toEqual(await plain.foldUpTo(pauses, placeOf(PAUSE)));
});
