import { Client, type Pool, type QueryConfig, type QueryResult } from 'pg';
import { Registry } from 'prom-client';
import { DeploymentMetrics } from '../../../src/health/deployment-metrics.js';
import { ClockDifference } from '../../../src/health/times.js';
import { systemClock } from '../../../src/kernel/clock.js';
import type { RecordedEvent } from '../../../src/kernel/events.js';
import { newUuid } from '../../../src/kernel/ids.js';
import { RowCache } from '../../../src/projections/engine/rows.js';
import { publishSchedule } from '../../../src/projections/publish-schedule/publish-schedule.projection.js';
import { SCHEDULE } from '../../../src/projections/publish-schedule/publish-schedule.tables.js';
import { SharedResult } from '../../../src/runtime/shared-result.js';
import { Random } from '../../e2e/random.js';
import { startTestPostgres, type TestPostgres } from '../../support/postgres.js';

const AT = 1_800_000_000_000;
const NETWORKS = ['telegram', 'vk'];

let postgres: TestPostgres;
let client: Client;
beforeAll(async () => {
  postgres = await startTestPostgres({ migrated: true });
  client = new Client({ connectionString: postgres.connectionString });
  await client.connect();
});
beforeEach(async () => {
  // Creates the tables in the schema that readers use, because views would add nothing here.
  const [schema, { tables }] = [SCHEDULE, publishSchedule(60_000)];
  await client.query(`drop schema if exists ${schema} cascade; create schema ${schema}`);
  await client.query(`set search_path to ${schema}, public; ${tables}`);
});
afterAll(async () => {
  await client.end();
  await postgres.stop();
});

const event = (type: string, data: object) =>
  ({ type, data, at: AT, id: newUuid(), stream: 'post-1', revision: 0n }) as unknown as RecordedEvent;
const connected = (channelId: string, platform: string) =>
  event('ChannelConnected', { channelId, ownerId: 'own_1', platform });
const accepted = (n: number) => {
  const target = {
    publicationId: `pub_${n}`,
    channelId: `tgt_${n % 2}`,
    platform: NETWORKS[n % 2],
    projectId: 'prj_1',
  };
  return event('PostAccepted', { postId: `post_${n}`, ownerId: 'own_1', acceptedAt: AT + n, targets: [target] });
};
const CHANGES: Readonly<Record<string, object>> = {
  PublicationStarted: { attempt: 1, at: AT },
  PublicationPostponed: { retryAt: AT + 1, rule: 'retry' },
  PublicationFailed: { error: { code: 'refused' } },
  PublicationInDoubt: { error: { code: 'interrupted' } },
  PublicationResent: {},
  PublicationSucceeded: {},
  PublicationDismissed: {},
};

const CHANNELS = NETWORKS.map((platform, i) => connected(`tgt_${i}`, platform));

/** Returns the counters, and what they must be. */
const readCounts = async () => {
  const count = (state: string) => `count(*) filter (where p.state = '${state}')::int as ${state}`;
  const counted =
    await client.query(`select c.platform, ${['queued', 'publishing', 'failed', 'in_doubt'].map(count).join(', ')}
    from channel c left join publication p using (channel_id) group by 1 order by 1`);
  const kept = await client.query(`select platform, queued::int, publishing::int, failed::int, in_doubt::int
    from queue_depth order by 1`);
  return [kept.rows, counted.rows];
};

/** Wraps the client as a pool. The other figures have no tables here, and their errors must not end the transaction. */
const oneByOne = (): Pick<Pool, 'query'> => {
  let last: Promise<unknown> = Promise.resolve();
  const query = async (config: QueryConfig): Promise<QueryResult> => {
    await client.query('savepoint one');
    try {
      return await client.query(config);
    } catch (error) {
      await client.query('rollback to savepoint one');
      throw error;
    }
  };
  const queued = (config: QueryConfig) =>
    (last = last.then(
      () => query(config),
      () => query(config),
    ));
  return { query: queued as Pool['query'] };
};

describe('the number of publications by network and state', () => {
  it('is kept with the rows, whatever becomes of them, in batches of any size, and by statements over many', async () => {
    const random = new Random();
    const projection = publishSchedule(60_000);
    const cache = new RowCache();
    await projection.apply(client, CHANNELS, cache);
    let posts = 0;
    for (let batch = 0; batch < 40; batch++) {
      const events = Array.from({ length: 1 + random.below(8) }, () => {
        if (posts < 5 || random.below(3) === 0) return accepted(posts++);
        const [type, data] = Object.entries(CHANGES)[random.below(Object.keys(CHANGES).length)]!;
        const n = random.below(posts);
        return event(type, { publicationId: `pub_${n}`, postId: `post_${n}`, channelId: `tgt_${n % 2}`, ...data });
      });
      await projection.apply(client, events, cache);
      const [kept, counted] = await readCounts();
      expect({ seed: random.seed, batch, kept }).toEqual({ seed: random.seed, batch, kept: counted });
    }
    await client.query(
      `update publication set state = 'failed' where sequence < 5; delete from publication where sequence > 8`,
    );
    const [kept, counted] = await readCounts();
    expect(kept).toEqual(counted);
  });

  it('has the same rows after a rebuild in one batch, also of a network whose posts have all ended', async () => {
    const over = event('PublicationSucceeded', { publicationId: 'pub_0', postId: 'post_0', channelId: 'tgt_0' });
    await publishSchedule(60_000).apply(client, [...CHANNELS, accepted(0), over]);
    const none = { queued: 0, publishing: 0, failed: 0, in_doubt: 0 };
    expect((await readCounts())[0]).toEqual(NETWORKS.map((platform) => ({ platform, ...none })));
  });

  it('is read, with the age of the oldest, without reading the backlog', async () => {
    await publishSchedule(60_000).apply(client, CHANNELS);
    await client.query(
      `insert into publication (publication_id, post_id, post_stream, post_revision, channel_id, project_id, owner_id,
         platform, sequence, accepted_at, waited_until, state, attempt, retry_at, queued_position, is_restored,
         is_withdrawn, is_edited)
       select 'pub_' || n, 'post_' || n, 'post-' || n, '0', 'tgt_' || n % 2, 'prj_1', 'own_1',
         case n % 2 when 0 then 'telegram' else 'vk' end, n, ${AT} + n, 0, 'queued', 0, 0, '1', false, false, false
       from generate_series(1, 20000) n`,
    );
    await client.query('analyze publication; begin');
    const registry = new Registry();
    const pool = oneByOne();
    await new DeploymentMetrics(registry, {
      pool,
      storeHead: new SharedResult(() => Promise.resolve(0n), 0),
      eventTimes: { readAfter: () => Promise.resolve('none') },
      clock: new ClockDifference(pool, systemClock),
    }).refresh();
    const { rows } = await client.query<{ read: number }>(
      `select (seq_tup_read + idx_tup_fetch)::int as read from pg_stat_xact_user_tables where relid = 'publication'::regclass`,
    );
    await client.query('rollback');
    expect(rows[0]!.read).toBeLessThanOrEqual(NETWORKS.length);
    const page = await registry.metrics();
    expect(page).toContain('crosspost_queue_depth{platform="telegram",state="queued"} 10000');
    expect(page).toMatch(/^crosspost_queue_age_seconds\{platform="vk"\} \S+$/m);
  });
});
