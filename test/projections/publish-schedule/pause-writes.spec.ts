import type { Client } from 'pg';
import type { RecordedEvent } from '../../../src/kernel/events.js';
import { newUuid } from '../../../src/kernel/ids.js';
import { RowCache } from '../../../src/projections/engine/rows.js';
import { publishSchedule } from '../../../src/projections/publish-schedule/publish-schedule.projection.js';
import { startTestPostgres, type TestPostgres } from '../../support/postgres.js';
import { createEmptyTables } from './empty-tables.js';

let postgres: TestPostgres;
beforeAll(async () => (postgres = await startTestPostgres()));
afterAll(() => postgres.stop());

const [AT, MINUTE] = [1_800_000_000_000, 60_000];
const [FEW, MANY] = [2, 400];
const CHANNELS = ['tgt_1', 'tgt_2'];
const [projectId, channelId] = ['prj_1', CHANNELS[0]];
const schedule = publishSchedule(MINUTE);
let versions = 0;

const event = (type: string, data: object, at = AT): RecordedEvent =>
  ({ type, data, at, id: newUuid(), stream: 'stream', revision: 0n }) as unknown as RecordedEvent;
const accepted = (n: number): RecordedEvent => {
  const targets = CHANNELS.map((channel) => ({
    publicationId: `pub_${n}_${channel}`,
    channelId: channel,
    platform: 'telegram',
    projectId,
  }));
  return event('PostAccepted', { postId: `post_${n}`, ownerId: 'own_1', acceptedAt: AT, targets });
};

/** Rows that a transaction has written, by table, and publication rows that it has read. */
interface Work {
  readonly written: Record<string, number>;
  readonly read: number;
}

/**
 * Returns the work of applying one event while a pause holds `held` posts on each channel. Makes PostgreSQL use the
 * indexes.
 */
const workWith = async (held: number, begins: RecordedEvent, applied: RecordedEvent): Promise<Work> => {
  const { client, schema } = await createEmptyTables(postgres, schedule, ++versions);
  const cache = new RowCache();
  await schedule.apply(client, [begins], cache);
  await schedule.apply(
    client,
    Array.from({ length: held }, (_, n) => accepted(n)),
    cache,
  );
  await client.query('analyze; set enable_seqscan = off; set enable_bitmapscan = off; begin');
  const before = await readCounters(client, schema);
  await schedule.apply(client, [applied], cache);
  const after = await readCounters(client, schema);
  await client.end();
  const written = Object.entries(after).map(([table, row]) => [table, row.written - before[table]!.written] as const);
  return {
    written: Object.fromEntries(written.filter(([, count]) => count > 0)),
    read: after.publication!.read - before.publication!.read,
  };
};

/** Reads the session's counters, which also contain what earlier transactions have not reported yet. */
const readCounters = async (
  client: Client,
  schema: string,
): Promise<Record<string, { readonly written: number; readonly read: number }>> => {
  const { rows } = await client.query<{ relname: string; written: number; read: number }>(
    `select relname, (pg_stat_get_xact_tuples_inserted(oid) + pg_stat_get_xact_tuples_updated(oid)
       + pg_stat_get_xact_tuples_deleted(oid))::int as written, pg_stat_get_xact_tuples_fetched(oid)::int as read
     from pg_class where relnamespace = $1::regnamespace and relkind = 'r'`,
    [schema],
  );
  return Object.fromEntries(rows.map(({ relname, written, read }) => [relname, { written, read }]));
};

describe('a project’s pause that holds publications (ADR-99)', () => {
  const paused = event('ProjectPaused', { projectId, until: AT + 10 * MINUTE });

  it.each([
    ['extended', event('ProjectPaused', { projectId, until: AT + 20 * MINUTE }, AT + MINUTE)],
    ['lifted', event('ProjectResumed', { projectId, at: AT + MINUTE }, AT + MINUTE)],
  ])('is %s with the same rows written and read for few as for many', async (_, change) => {
    const few = await workWith(FEW, paused, change);
    expect(few.written).toMatchObject({ project_pause: 1, channel: CHANNELS.length });
    expect(few.written).not.toHaveProperty('publication');
    expect(await workWith(MANY, paused, change)).toEqual(few);
  });

  it('is followed by another one without writing them', async () => {
    const next = event('ProjectPaused', { projectId, until: AT + 30 * MINUTE }, AT + 15 * MINUTE);
    const few = await workWith(FEW, paused, next);
    expect(few.written).toEqual({ project: 1, project_pause: 1 });
    expect(await workWith(MANY, paused, next)).toEqual(few);
  });
});

describe('a channel’s pause that holds publications (ADR-99)', () => {
  const paused = event('ChannelPaused', { channelId, until: AT + 10 * MINUTE });

  it.each([
    ['extended', event('ChannelPaused', { channelId, until: AT + 20 * MINUTE }, AT + MINUTE)],
    ['lifted', event('ChannelResumed', { channelId, at: AT + MINUTE }, AT + MINUTE)],
  ])('is %s with the same rows written and read for few as for many', async (_, change) => {
    const few = await workWith(FEW, paused, change);
    expect(few.written).toEqual({ channel: 1 });
    expect(await workWith(MANY, paused, change)).toEqual(few);
  });

  it('costs the same if a project’s pause holds them too', async () => {
    const ofProject = event('ProjectPaused', { projectId, until: AT + 60 * MINUTE });
    const few = await workWith(FEW, ofProject, paused);
    expect(few.written).toEqual({ channel: 1 });
    expect(await workWith(MANY, ofProject, paused)).toEqual(few);
  });
});
