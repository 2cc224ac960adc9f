import { Client } from 'pg';
import type { RecordedEvent } from '../../src/kernel/events.js';
import { newUuid } from '../../src/kernel/ids.js';
import { posts } from '../../src/projections/posts/posts.projection.js';
import { type Projection, tableSchema } from '../../src/projections/projection.js';
import { publishSchedule } from '../../src/projections/publish-schedule/publish-schedule.projection.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';

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

/** How many of a read model's publications were updated, and how many of them in the row's own page, touching no index. */
const updates = async (projection: Projection, life: readonly RecordedEvent[]) => {
  const schema = tableSchema(projection.name, 1);
  const client = new Client({ connectionString: postgres.connectionString });
  await client.connect();
  await client.query(`create schema ${schema}; set search_path to ${schema}; ${projection.tables}`);
  await projection.apply(client, [accepted]);
  await client.query('begin');
  for (const one of life) await projection.apply(client, [one]);
  const text = `select pg_stat_get_xact_tuples_updated(t)::int as all, pg_stat_get_xact_tuples_hot_updated(t)::int as hot
                from (select '${schema}.publication'::regclass as t) publication`;
  const { rows } = await client.query<{ all: number; hot: number }>(text);
  await client.end();
  return rows[0];
};

describe('the usual life of a publication touches no index', () => {
  it('of the posts', async () => {
    expect(await updates(posts, [started, succeeded])).toEqual({ all: 2, hot: 2 });
  });

  it('of the schedule, until it is over', async () => {
    expect(await updates(publishSchedule(60_000), [started])).toEqual({ all: 1, hot: 1 });
  });
});
