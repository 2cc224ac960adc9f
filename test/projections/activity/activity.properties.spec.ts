import { Client } from 'pg';
import { isPlanned, type PostAccepted } from '../../../src/domain/post/post.events.js';
import type { RecordedEvent } from '../../../src/kernel/events.js';
import { pgTypes } from '../../../src/postgres/pool.js';
import { activity } from '../../../src/projections/activity/activity.projection.js';
import { Random } from '../../e2e/random.js';
import { startTestPostgres, type TestPostgres } from '../../support/postgres.js';
import { AnyHistory } from '../any-history.js';

const MINUTE = 60_000;
const EVENTS = 3_000;
const HISTORIES = process.env.TEST_LONG ? 20 : 2;
const ALL = '*';

let postgres: TestPostgres;
let client: Client;
beforeAll(async () => {
  postgres = await startTestPostgres();
  client = new Client({ connectionString: postgres.connectionString, types: pgTypes });
  await client.connect();
});
afterAll(async () => {
  await client.end();
  await postgres.stop();
});

/** Folds events in batches of random sizes. */
const fold = async (events: readonly RecordedEvent[], random: Random): Promise<void> => {
  await client.query('drop schema if exists folded cascade; create schema folded; set search_path to folded, public');
  await client.query(activity.tables);
  const handled = events.filter(({ type }) => activity.handles!(type));
  for (let from = 0; from < handled.length;) {
    const to = from + 1 + random.below(200);
    await activity.apply(client, handled.slice(from, to));
    from = to;
  }
};

const readRows = async <Row>(query: string): Promise<Row[]> => {
  const { rows } = await client.query<{ rows: Row[] }>(`select coalesce(json_agg(r), '[]') as rows from (${query}) r`);
  return rows[0]!.rows;
};

interface NaivePublication {
  readonly ownerId: string;
  readonly platform: string;
  readonly channelId: string;
  readonly acceptedAt: number;
  state: string;
}

interface AnyData {
  readonly publicationId: string;
  readonly channelId: string;
  readonly ownerId: string;
  readonly acceptedAt: number;
  readonly postId: string;
  /** Ids of publications that a release leaves out. */
  readonly cancelledIds?: readonly string[];
  readonly targets: readonly {
    readonly publicationId: string;
    readonly channelId: string;
    readonly platform: string;
  }[];
}

const STATES: Readonly<Record<string, string>> = {
  PublicationStarted: 'publishing',
  PublicationPostponed: 'queued',
  PublicationHeld: 'queued',
  PublicationResent: 'queued',
  PublicationFailed: 'failed',
  PublicationInDoubt: 'in_doubt',
  PublicationSucceeded: 'ended',
  PublicationFiltered: 'ended',
  PublicationDismissed: 'ended',
};

/** Replays a history without any read model. Calls back for each event of a publication. */
const replay = (
  events: readonly RecordedEvent[],
  onEvent: (event: RecordedEvent, publication: NaivePublication) => void,
): NaivePublication[] => {
  const all = new Map<string, NaivePublication>();
  const owners = new Map<string, string>();
  const deleted = new Set<string>();
  const contents = new Map<string, AnyData['targets']>();
  const isSettled = ({ state }: NaivePublication): boolean => /failed|in_doubt/.test(state);
  for (const event of events) {
    const data = event.data as AnyData;
    if (event.type === 'PostAccepted' || event.type === 'PostRevised') contents.set(data.postId, data.targets);
    if (
      event.type === 'PostReleased' ||
      (event.type === 'PostAccepted' && !isPlanned(event.data as PostAccepted['data']))
    )
      for (const { publicationId, channelId, platform } of data.targets ?? contents.get(data.postId)!) {
        if (data.cancelledIds?.includes(publicationId)) continue;
        const { ownerId, acceptedAt = event.at } = data;
        all.set(publicationId, { ownerId, platform, channelId, acceptedAt, state: 'queued' });
      }
    if (event.type === 'ChannelConnected') owners.set(data.channelId, data.ownerId);
    if (event.type === 'ChannelDeleted') {
      deleted.add(data.channelId);
      // Unlike a gateway, the histories also post to other owners' channels. Those publications are not dropped.
      for (const one of all.values())
        if (one.channelId === data.channelId && one.ownerId === owners.get(one.channelId) && isSettled(one))
          one.state = 'ended';
    }
    const publication = all.get(data.publicationId);
    // A publication that was dropped with its channel no longer changes; the histories do not know that.
    if (publication && publication.state !== 'ended') {
      publication.state = STATES[event.type] ?? publication.state;
      onEvent(event, publication);
      if (deleted.has(publication.channelId) && isSettled(publication)) publication.state = 'ended';
    }
  }
  return [...all.values()];
};

const countBy = (keys: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const key of keys) counts[key] = (counts[key] ?? 0) + 1;
  return counts;
};

const first = new Random().seed;
describe.each(Array.from({ length: HISTORIES }, (_, i) => (first + i) % 2 ** 31))('after the history %i', (seed) => {
  const random = new Random(seed);
  const events = new AnyHistory(random).generate(EVENTS);
  const end = events.at(-1)!.at;
  beforeAll(() => fold(events, random));

  it('the numbers by owner, network and state are those of the publications', async () => {
    const publications = replay(events, () => undefined).filter(({ state }) => state !== 'ended');
    const expected = countBy(
      publications.flatMap(({ ownerId, platform, state }) =>
        [ownerId, ALL].map((owner) => `${owner}/${platform}/${state}`),
      ),
    );
    const rows = await readRows<{ key: string; n: number }>(
      `select standing_key || '/' || state as key, n from standing cross join lateral (values
         ('queued', queued), ('publishing', publishing), ('failed', failed), ('in_doubt', in_doubt)) v(state, n)
       where n <> 0`,
    );
    expect(Object.fromEntries(rows.map(({ key, n }) => [key, n]))).toEqual(expected);
    const own = await readRows<{ key: string; n: number }>(
      `select owner_id || '/' || platform || '/' || state as key, count(*) as n from publication group by 1`,
    );
    const ofOwners = Object.entries(expected).filter(([key]) => !key.startsWith(ALL));
    expect(Object.fromEntries(own.map(({ key, n }) => [key, n]))).toEqual(Object.fromEntries(ofOwners));
  });

  it('the minutes of the last hour have the outcomes of that time, and a latency for each publication', async () => {
    const outcomes: string[] = [];
    replay(events, ({ type, at }, { ownerId, platform }) => {
      const start = at - (at % MINUTE);
      const outcome = /^Publication(Succeeded|Failed|InDoubt)$/.exec(type)?.[1];
      if (outcome === undefined || start <= end - 60 * MINUTE) return;
      for (const owner of [ownerId, ALL]) outcomes.push(`${owner}/${platform}/${start}/${outcome}`);
    });
    const rows = await readRows<{ key: string; n: number; latencies: Record<string, number> }>(
      `select owner_id || '/' || platform || '/' || at || '/' || outcome as key, n, latencies
       from minute cross join lateral (values
         ('Succeeded', published), ('Failed', failed), ('InDoubt', in_doubt)) v(outcome, n)
       where n > 0 and at > ${end - 60 * MINUTE}`,
    );
    expect(Object.fromEntries(rows.map(({ key, n }) => [key, n]))).toEqual(countBy(outcomes));
    for (const { n, latencies } of rows.filter(({ key }) => key.endsWith('/Succeeded')))
      expect(Object.values(latencies).reduce((sum, count) => sum + count, 0)).toBe(n);
  });

  it('the ten minutes of all owners have all events of the last day, and the rings no more rows than places', async () => {
    const recent = events.filter(({ type, at }) => activity.handles!(type) && at > end - 1_440 * MINUTE);
    const startOf = (at: number): number => at - (at % (10 * MINUTE));
    const expected = countBy(recent.map(({ at }) => String(startOf(at))));
    const from = startOf(end - 1_430 * MINUTE);
    const rows = await readRows<{ at: number; events: number }>(
      `select at, events from ten_minutes where owner_id = '${ALL}' and at >= ${from}`,
    );
    const counted = Object.fromEntries(rows.map(({ at, events: n }) => [String(at), n]));
    expect(counted).toEqual(Object.fromEntries(Object.entries(expected).filter(([at]) => Number(at) >= from)));
    const [sizes] = await readRows<{ minutes: number; tens: number; feed: number; owners: number }>(
      `select (select count(*) from minute) as minutes, (select count(*) from ten_minutes) as tens,
         (select count(*) from feed) as feed`,
    );
    const owners = 3; // two, and all of them
    expect(sizes!.minutes).toBeLessThanOrEqual(owners * 2 * 64);
    expect(sizes!.tens).toBeLessThanOrEqual(owners * 150);
    expect(sizes!.feed).toBeLessThanOrEqual(owners * 60);
  });

  it('the feed of an owner ends with its latest events', async () => {
    const latest: Record<string, string> = {};
    replay(events, ({ type, at, data }, { ownerId }) => {
      if (type === 'PublicationSucceeded') latest[ownerId] = `${(data as AnyData).publicationId} ${at}`;
    });
    const rows = await readRows<{ owner_id: string; entry: string }>(
      `select distinct on (owner_id) owner_id, subject_id || ' ' || at as entry from feed
       where kind = 'published' and owner_id <> '${ALL}' order by owner_id, number desc`,
    );
    expect(Object.fromEntries(rows.map(({ owner_id, entry }) => [owner_id, entry]))).toEqual(latest);
  });

  it('the alerts are those of channels, endpoints and outputs that stopped last', async () => {
    const stopped = new Map<string, number>();
    for (const { type, data, at } of events) {
      const { channelId, endpointId, outputId, by } = data as Readonly<Record<string, string | undefined>>;
      const id = channelId ?? endpointId ?? outputId;
      const isStop =
        type === 'ChannelNeedsAttention' || (/^(Endpoint|WebhookOutput)Disabled$/.test(type) && by !== 'owner');
      if (isStop) stopped.set(id!, at);
      else if (
        /^Channel(AttentionCleared|CredentialsReplaced|Deleted)$|^(Endpoint|WebhookOutput)(Dis|En)abled$|OutputDeleted$/.test(
          type,
        )
      )
        stopped.delete(id!);
    }
    const rows = await readRows<{ resource_id: string; since: number }>('select resource_id, since from alert');
    expect(Object.fromEntries(rows.map(({ resource_id, since }) => [resource_id, since]))).toEqual(
      Object.fromEntries(stopped),
    );
  });
});
