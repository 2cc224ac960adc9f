import { Client, type Pool } from 'pg';
import type { RecordedEvent } from '../../../src/kernel/events.js';
import { pgTypes } from '../../../src/postgres/pool.js';
import { audit } from '../../../src/projections/audit/audit.projection.js';
import { type AuditFilter, AuditIndex, TimelineQueries } from '../../../src/projections/audit/audit.queries.js';
import { AUDIT, TALLY_EVENTS } from '../../../src/projections/audit/audit.tables.js';
import { compareSchemas } from '../../../src/projections/engine/verification/verify-projection.js';
import { Random } from '../../e2e/random.js';
import { startTestPostgres, type TestPostgres } from '../../support/postgres.js';

const START = 1_800_000_000_000;
const EVENTS = TALLY_EVENTS * 6 + 17;
const TYPES = ['PublicationSucceeded', 'PublicationFailed', 'PublicationInDoubt', 'PublicationStarted'];

let postgres: TestPostgres;
let client: Client;
let queries: TimelineQueries;
beforeAll(async () => {
  postgres = await startTestPostgres();
  client = new Client({ connectionString: postgres.connectionString, types: pgTypes });
  await client.connect();
  queries = new TimelineQueries(client as unknown as Pool);
});
afterAll(async () => {
  await client.end();
  await postgres.stop();
});

/** Events with ascending positions. */
class EventList {
  readonly events: RecordedEvent[] = [];

  add(at: number, type: string, data: object, of: Partial<RecordedEvent> = {}): RecordedEvent {
    const position = BigInt(this.events.length + 1);
    const [actor, requestId] = ['system:test', 'req_1'];
    const ids = { actor, requestId, causationId: requestId, correlationId: `req_${this.events.length}` };
    const id = `${String(this.events.length).padStart(8, '0')}-0000-4000-8000-000000000000`;
    const event = {
      stream: `publication-${id}`,
      revision: 0n,
      position,
      id,
      type,
      version: 1,
      at,
      clientAddress: null,
      ...ids,
      hash: '',
      data,
      ...of,
    };
    this.events.push(event);
    return event;
  }
}

const fold = async (schema: string, events: readonly RecordedEvent[], batch: number): Promise<void> => {
  await client.query(`drop schema if exists ${schema} cascade; create schema ${schema}`);
  await client.query(`set search_path to ${schema}, public`);
  await client.query(audit.tables);
  for (let i = 0; i < events.length; i += batch) await audit.apply(client, events.slice(i, i + batch));
};

const first = new Random().seed;
describe.each([first, first + 1])('the events of three owners, counted by buckets (seed %i)', (seed) => {
  const random = new Random(seed);
  const list = new EventList();
  const { events } = list;
  const owners = new Map<RecordedEvent, number | null>();
  beforeAll(async () => {
    for (const owner of [1, 2, 3]) owners.set(list.add(START, 'OwnerRegistered', { ownerId: `own_${owner}` }), owner);
    for (const owner of [1, 2, 3])
      owners.set(list.add(START, 'ChannelConnected', { channelId: `tgt_${owner}`, ownerId: `own_${owner}` }), owner);
    for (let at = START; events.length < EVENTS;) {
      at += random.below(1_000);
      // The clocks of processes differ, so times are not in the order of the log.
      const time = at - random.below(random.below(10) === 0 ? 60_000 : 500);
      const owner = [1, 1, 1, 1, 2, null][random.below(6)]!;
      const data = owner === null ? {} : { channelId: `tgt_${owner}` };
      const type = owner === null ? 'ProjectionPromoted' : TYPES[random.below(TYPES.length)]!;
      owners.set(list.add(time, type, data), owner);
    }
    await fold(AUDIT, events, 1 + random.below(300));
  });

  const countAll = (owner: number | null, from: number, to: number): object => {
    const counted = events.filter(
      (event) => (owner === null || owners.get(event) === owner) && event.at >= from && event.at < to,
    );
    const count = (type: string) => counted.filter((event) => event.type === type).length;
    return {
      events: counted.length,
      published: count('PublicationSucceeded'),
      failed: count('PublicationFailed'),
      in_doubt: count('PublicationInDoubt'),
    };
  };

  it.each([null, 1, 2, 3])('counts each event in the one bucket that its time is in, of owner %p', async (owner) => {
    const times = events.map(({ at }) => at);
    const [least, most] = [Math.min(...times), Math.max(...times)];
    const length = most + 1 - least;
    for (let i = 0; i < 25; i++) {
      const from = [least, least - 5_000, least + random.below(length)][random.below(3)]!;
      const to = [most + 1, most + 10_000, from + 1 + random.below(length)][random.below(3)]!;
      if (to <= from) continue;
      const buckets = Math.min(to - from, [1, 3, 1 + random.below(500)][random.below(3)]!);
      const counted = new Map(
        (await queries.countByBucket(owner, { from, to, buckets })).map(({ bucket, ...counts }) => [bucket, counts]),
      );
      const beginOf = (bucket: number) => from + Number((BigInt(bucket) * BigInt(to - from)) / BigInt(buckets));
      for (let bucket = 0; bucket < buckets; bucket++) {
        const expected = countAll(owner, beginOf(bucket), beginOf(bucket + 1));
        const none = { events: 0, published: 0, failed: 0, in_doubt: 0 };
        expect({ bucket, ...(counted.get(bucket) ?? none) }).toEqual({ bucket, ...expected });
      }
      expect([...counted.keys()].every((bucket) => bucket >= 0 && bucket < buckets)).toBe(true);
    }
  });

  it('finds the first event', async () => {
    const timesOf = (owner: number | null) => events.filter((event) => owner === null || owners.get(event) === owner);
    for (const owner of [null, 1, 2, 3])
      expect(await queries.findFirst(owner)).toBe(Math.min(...timesOf(owner).map(({ at }) => at)));
    expect(await queries.findFirst(4)).toBeNull();
  });
});

it('counts events of deleted streams that another version knows, in their order', async () => {
  const list = new EventList();
  const gone: RecordedEvent[] = [];
  for (const owner of [1, 2]) {
    list.add(START, 'OwnerRegistered', { ownerId: `own_${owner}` });
    list.add(START, 'ChannelConnected', { channelId: `tgt_${owner}`, ownerId: `own_${owner}` });
  }
  for (let i = 0; i < TALLY_EVENTS * 3; i++) {
    const owner = 1 + (i % 2);
    const correlationId = `req_of_${i}`;
    const data = { channelId: `tgt_${owner}`, at: START + i };
    list.add(START + i, TYPES[i % TYPES.length]!, data, { correlationId });
    if (i % 100 === 60)
      gone.push(
        list.add(START + i, 'TranslationStored', { postId: 'post_1' }, { correlationId, stream: `translation-${i}` }),
      );
  }
  await fold('audit_whole', list.events, 50);
  await fold(
    'audit_later',
    list.events.filter((event) => !gone.includes(event)),
    70,
  );
  const before = await compareSchemas(client, 'audit_whole', 'audit_later');
  expect(before.missing + before.extra + before.different).toBeGreaterThan(0);
  await client.query('set search_path to audit_later, public');
  await audit.carryOver!(client, 'audit_whole', list.events.at(-1)!.position, async () => true);
  const { missing, extra, different, differences } = await compareSchemas(client, 'audit_whole', 'audit_later');
  expect({ missing, extra, different, differences }).toEqual({ missing: 0, extra: 0, different: 0, differences: [] });
});

describe('the spans of states', () => {
  const HOUR = 3_600_000;
  const list = new EventList();
  const attention = { code: 'unauthorized', message: '', platform_says: null, remedies: [] };
  beforeAll(async () => {
    list.add(START, 'OwnerRegistered', { ownerId: 'own_1' });
    list.add(START, 'ChannelConnected', { channelId: 'tgt_1', ownerId: 'own_1' });
    list.add(START, 'ChannelNeedsAttention', { channelId: 'tgt_1', attention, until: START + 24 * HOUR });
    list.add(START + 25 * HOUR, 'ChannelNeedsAttention', { channelId: 'tgt_1', attention, until: START + 49 * HOUR });
    for (const [at, hours] of [
      [0, 1],
      [1, 1],
      [3, 2],
      [4, 3],
    ] as const)
      list.add(START + at * HOUR, 'ChannelPaused', { channelId: 'tgt_1', until: START + (at + hours) * HOUR });
    // The clock of another process is behind by an hour.
    list.add(START + 2 * HOUR, 'ChannelResumed', { channelId: 'tgt_1', at: START + 2 * HOUR });
    await fold(AUDIT, list.events, 1);
  });

  const listSpans = async (from: number, to: number, now: number) => {
    const hours = (time: number | null) => time && (time - START) / HOUR;
    const spans = await queries.listSpans(
      1,
      { from: START + from * HOUR, to: START + to * HOUR },
      START + now * HOUR,
      9,
    );
    return spans.map((span) => [span.kind, hours(span.from), hours(span.to)]);
  };

  it('end by themselves at a known end: a pause is shown with it, a wait for a person once it has passed', async () => {
    expect(await listSpans(0, 50, 26)).toEqual([
      ['needs_attention', 25, null],
      ['needs_attention', 0, 24],
      ['channel_pause', 0, 1],
      ['channel_pause', 1, 2],
      ['channel_pause', 3, 3],
    ]);
    expect(await listSpans(30, 50, 23)).toEqual([
      ['needs_attention', 0, null],
      ['needs_attention', 25, null],
    ]);
  });

  it('are listed if they overlap a period, not if they only touch its borders', async () => {
    expect(await listSpans(23, 25, 60)).toEqual([['needs_attention', 0, 24]]);
    expect(await listSpans(24, 25, 60)).toEqual([]);
    expect(await listSpans(0.5, 0.6, 60)).toEqual([
      ['needs_attention', 0, 24],
      ['channel_pause', 0, 1],
    ]);
  });
});

it('events are found by their time, which may be before that of an earlier event', async () => {
  const list = new EventList();
  list.add(START, 'OwnerRegistered', { ownerId: 'own_1' });
  list.add(START - 1_000, 'ChannelConnected', { channelId: 'tgt_1', ownerId: 'own_1' });
  list.add(START - 500, 'ChannelPaused', { channelId: 'tgt_1', until: START + 9_000 });
  const index = new AuditIndex(client as unknown as Pool, {} as never, {} as never);
  const find = async (filter: Pick<AuditFilter, 'since' | 'until'>): Promise<number[]> =>
    (await index.listEntries({ ownerId: null, ...filter }, null, 10)).map(({ position }) => Number(position));
  for (const batch of [1, 2, 3]) {
    await fold(AUDIT, list.events, batch);
    expect(await find({ until: START })).toEqual([3, 2]);
    expect(await find({ until: START - 500 })).toEqual([2]);
    expect(await find({ since: START - 500 })).toEqual([3, 1]);
  }
});
