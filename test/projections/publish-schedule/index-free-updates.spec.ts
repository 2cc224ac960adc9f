import type { RecordedEvent } from '../../../src/kernel/events.js';
import { newUuid } from '../../../src/kernel/ids.js';
import type { Projection, Tx } from '../../../src/projections/engine/projection.js';
import { RowCache } from '../../../src/projections/engine/rows.js';
import { posts } from '../../../src/projections/posts/posts.projection.js';
import { publishSchedule } from '../../../src/projections/publish-schedule/publish-schedule.projection.js';
import { startTestPostgres, type TestPostgres } from '../../support/postgres.js';
import { createEmptyTables } from './empty-tables.js';

let postgres: TestPostgres;
beforeAll(async () => (postgres = await startTestPostgres()));
afterAll(() => postgres.stop());

const AT = 1_800_000_000_000;
const IDS = { publicationId: 'pub_1', postId: 'post_1', channelId: 'tgt_1' };
const target = { publicationId: 'pub_1', channelId: 'tgt_1', platform: 'telegram', projectId: 'prj_1' };
const event = (type: string, data: object) =>
  ({
    type,
    data,
    at: AT,
    actor: 'endpoint:ep_1',
    id: newUuid(),
    stream: 'post-post_1',
    revision: 0n,
  }) as unknown as RecordedEvent;

const accepted = event('PostAccepted', {
  postId: 'post_1',
  endpointId: 'ep_1',
  ownerId: 'own_1',
  externalId: null,
  traceId: null,
  acceptedAt: AT,
  targets: [target],
  payload: { text: 'post' },
});
const started = event('PublicationStarted', { ...IDS, attempt: 1, at: AT, worker: 'w', sending: 'text' });
const succeeded = event('PublicationSucceeded', {
  ...IDS,
  attempt: 1,
  at: AT + 1,
  messageIds: ['1'],
  urls: ['https://t.me/c/1/1'],
  warnings: [],
});

const postponed = event('PublicationPostponed', {
  ...IDS,
  attempt: 1,
  at: AT + 1,
  retryAt: AT + 60_000,
  rule: 'retry',
  error: { code: 'busy', category: 'platform', source: 'platform', message: 'Later.' },
});
const startedAgain = event('PublicationStarted', { ...IDS, attempt: 2, at: AT + 60_000, worker: 'w', sending: 'text' });

/** Counts the updates of publications: all, and the heap-only ones, which change no index. */
const countUpdates = async (projection: Projection, events: readonly RecordedEvent[]) => {
  const { client, schema } = await createEmptyTables(postgres, projection, 1);
  await projection.apply(client, [accepted]);
  await client.query('begin');
  for (const one of events) await projection.apply(client, [one]);
  const text = `select pg_stat_get_xact_tuples_updated(t)::int as all, pg_stat_get_xact_tuples_hot_updated(t)::int as hot
                from (select '${schema}.publication'::regclass as t) publication`;
  const { rows } = await client.query<{ all: number; hot: number }>(text);
  await client.end();
  return rows[0];
};

/** Applies batches of one event each. Returns the resulting rows and the names of the tables that were read. */
const applyBatches = async (projection: Projection, version: number, cache?: RowCache) => {
  const { client } = await createEmptyTables(postgres, projection, version);
  const read: string[] = [];
  const query = (statement: string | { readonly name: string }, values?: unknown[]) => {
    if (typeof statement === 'object' && statement.name.startsWith('load ')) read.push(statement.name.split(' ')[1]!); // load <table> <number>
    return client.query(statement as string, values);
  };
  const tx = { query } as unknown as Tx;
  for (const one of [accepted, started, postponed, startedAgain, succeeded]) await projection.apply(tx, [one], cache);
  const tables: unknown[] = [];
  for (const view of projection.views) tables.push((await client.query(`select * from ${view}`)).rows);
  await client.end();
  return { read, tables };
};

describe('a publication without failures', () => {
  it('changes no index of the posts read model', async () => {
    expect(await countUpdates(posts, [started, succeeded])).toEqual({ all: 2, hot: 2 });
  });

  it('changes no index of the schedule until it ends', async () => {
    expect(await countUpdates(publishSchedule(60_000), [started])).toEqual({ all: 1, hot: 1 });
  });

  it.each([posts, publishSchedule(60_000)])('is never read again by a later batch: $name', async (projection) => {
    const uncached = await applyBatches(projection, 2);
    const cached = await applyBatches(projection, 3, new RowCache());
    expect(cached.tables).toEqual(uncached.tables);
    expect(uncached.read.filter((table) => table === 'publication')).toHaveLength(4);
    expect(cached.read).not.toContain('publication');
    expect(cached.read.filter((table) => table === 'channel').length).toBeLessThanOrEqual(1); // the new channel
  });
});
