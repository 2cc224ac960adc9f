import { Client } from 'pg';
import type { RecordedEvent } from '../../../src/kernel/events.js';
import { newUuid } from '../../../src/kernel/ids.js';
import { posts } from '../../../src/projections/posts/posts.projection.js';
import { KeptRows } from '../../../src/projections/engine/row-cache.js';
import { type Projection, tableSchema, type Tx } from '../../../src/projections/engine/projection.js';
import { publishSchedule } from '../../../src/projections/publish-schedule/publish-schedule.projection.js';
import { startTestPostgres, type TestPostgres } from '../../support/postgres.js';

let postgres: TestPostgres;
beforeAll(async () => (postgres = await startTestPostgres()));
afterAll(() => postgres.stop());

const AT = 1_800_000_000_000;
const IDS = { publicationId: 'pub_1', postId: 'post_1', channelId: 'tgt_1' };
const target = { publicationId: 'pub_1', channelId: 'tgt_1', platform: 'telegram', projectId: 'prj_1' };
const event = (type: string, data: object) =>
  ({ type, data, at: AT, id: newUuid(), stream: 'post-post_1', revision: 0n }) as unknown as RecordedEvent;

const accepted = event('PostAccepted', {
  ...{ postId: 'post_1', endpointId: 'ep_1', ownerId: 'own_1', externalId: null, traceId: null, acceptedAt: AT },
  ...{ targets: [target], payload: { text: 'post' } },
});
const started = event('PublicationStarted', { ...IDS, attempt: 1, at: AT, worker: 'w', sending: 'text' });
const succeeded = event('PublicationSucceeded', {
  ...{ ...IDS, attempt: 1, at: AT + 1, messageIds: ['1'], urls: ['https://t.me/c/1/1'], warnings: [] },
});

const postponed = event('PublicationPostponed', {
  ...{ ...IDS, attempt: 1, at: AT + 1, retryAt: AT + 60_000, rule: 'retry' },
  error: { code: 'busy', category: 'platform', source: 'platform', message: 'Later.' },
});
const startedAgain = event('PublicationStarted', { ...IDS, attempt: 2, at: AT + 60_000, worker: 'w', sending: 'text' });

/** A read model with empty tables, and a connection that stands in them. */
const empty = async (projection: Projection, version: number) => {
  const schema = tableSchema(projection.name, version);
  const client = new Client({ connectionString: postgres.connectionString });
  await client.connect();
  await client.query(`create schema ${schema}; set search_path to ${schema}; ${projection.tables}`);
  return { client, schema };
};

/** How many publications were updated, and how many of them in the row's own page, touching no index. */
const updates = async (projection: Projection, life: readonly RecordedEvent[]) => {
  const { client, schema } = await empty(projection, 1);
  await projection.apply(client, [accepted]);
  await client.query('begin');
  for (const one of life) await projection.apply(client, [one]);
  const text = `select pg_stat_get_xact_tuples_updated(t)::int as all, pg_stat_get_xact_tuples_hot_updated(t)::int as hot
                from (select '${schema}.publication'::regclass as t) publication`;
  const { rows } = await client.query<{ all: number; hot: number }>(text);
  await client.end();
  return rows[0];
};

/** What batches of one event each come to, and which tables they have read. */
const batches = async (projection: Projection, version: number, kept?: KeptRows) => {
  const { client } = await empty(projection, version);
  const read: string[] = [];
  const query = (asked: string | { readonly name: string }, values?: unknown[]) => {
    if (typeof asked === 'object' && asked.name.startsWith('load ')) read.push(asked.name.slice('load '.length));
    return client.query(asked as string, values);
  };
  const tx = { query } as unknown as Tx;
  for (const one of [accepted, started, postponed, startedAgain, succeeded]) await projection.apply(tx, [one], kept);
  const tables: unknown[] = [];
  for (const view of projection.views) tables.push((await client.query(`select * from ${view}`)).rows);
  await client.end();
  return { read, tables };
};

describe('the usual life of a publication', () => {
  it('touches no index of the posts', async () => {
    expect(await updates(posts, [started, succeeded])).toEqual({ all: 2, hot: 2 });
  });

  it('touches no index of the schedule until it is over', async () => {
    expect(await updates(publishSchedule(60_000), [started])).toEqual({ all: 1, hot: 1 });
  });

  it.each([posts, publishSchedule(60_000)])('is read back by no later batch: $name', async (projection) => {
    const afresh = await batches(projection, 2);
    const kept = await batches(projection, 3, new KeptRows());
    expect(kept.tables).toEqual(afresh.tables);
    expect(afresh.read.filter((table) => table === 'publication')).toHaveLength(4);
    expect(kept.read).not.toContain('publication');
    expect(kept.read.filter((table) => table === 'channel').length).toBeLessThanOrEqual(1); // of a new one
  });
});
