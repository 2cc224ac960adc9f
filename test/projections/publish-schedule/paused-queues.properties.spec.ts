import fc from 'fast-check';
import { Pool } from 'pg';
import type { RecordedEvent } from '../../../src/kernel/events.js';
import { RowCache } from '../../../src/projections/engine/rows.js';
import { publishSchedule } from '../../../src/projections/publish-schedule/publish-schedule.projection.js';
import {
  CountRescheduled,
  PublishScheduleQueries,
} from '../../../src/projections/publish-schedule/publish-schedule.queries.js';
import { startTestPostgres, type TestPostgres } from '../../support/postgres.js';
import { createEmptyTables } from './empty-tables.js';
import { NaiveSchedule } from './naive-schedule.js';
import { anyStep, CHANNELS, MINUTE, PROJECTS, RandomHistory, type Step } from './random-history.js';

let postgres: TestPostgres;
let pool: Pool;
beforeAll(async () => {
  postgres = await startTestPostgres({ migrated: true });
  pool = new Pool({ connectionString: postgres.connectionString, max: 1 });
});
afterAll(async () => {
  await pool.end();
  await postgres.stop();
});

const schedule = publishSchedule(MINUTE);
let versions = 0;

/** Runs a history on the schedule's tables and on the model, and compares every answer after each batch. */
const compare = async (steps: readonly Step[]): Promise<void> => {
  const { client } = await createEmptyTables(postgres, schedule, ++versions);
  const queries = new PublishScheduleQueries(pool, MINUTE);
  const idle = { readHead: () => Promise.resolve(0n), waitFor: () => Promise.resolve(true) };
  const counting = new CountRescheduled(pool, idle as never, idle as never);
  const naive = new NaiveSchedule(MINUTE);
  const history = new RandomHistory(naive);
  const cache = new RowCache();
  const apply = async (events: readonly RecordedEvent[]): Promise<void> => {
    await client.query('begin');
    await schedule.apply(client, events, cache);
    await client.query('commit');
    naive.apply(events);
  };
  await apply(history.connectChannels());
  try {
    for (const batch of toBatches(steps)) {
      // The model decides which events are possible, so it sees each step at once; the schedule sees the batch.
      const events = batch.flatMap((step) => history.next(step));
      if (events.length > 0) await apply(events);
      const { now } = history;
      const { rows: channels } = await client.query<{ channel_id: string; next_due: string | null }>(
        'select channel_id, next_due from channel order by 1',
      );
      expect(channels.map(({ channel_id, next_due }) => [channel_id, next_due && Number(next_due)])).toEqual(
        [...naive.channels.values()].map(({ channel_id, next_due }) => [channel_id, next_due]),
      );
      const { rows } = await client.query<{ row: object }>(`
        select json_build_object('publication_id', publication_id, 'state', state, 'not_before', not_before,
          'project_pause_event', case when attempt = 0 then project_pause_event end) as row
        from scheduled_publication order by sequence, channel_id`);
      const expected = [...naive.rows].sort(
        (a, b) => a.sequence - b.sequence || (a.channel_id < b.channel_id ? -1 : 1),
      );
      expect(rows.map(({ row }) => row)).toEqual(
        expected.map(({ publication_id, state, not_before, project_pause_event, attempt }) => ({
          publication_id,
          state,
          not_before,
          project_pause_event: attempt === 0 ? project_pause_event : null,
        })),
      );
      const later = now + [0, 1, 5][naive.rows.length % 3]! * MINUTE;
      for (const channelId of CHANNELS) {
        const queue = await queries.readQueue(channelId, later);
        const read = queue && {
          head: queue.head.publication_id,
          due: queue.due,
          followers: queue.followers.map(({ publication_id }) => publication_id),
        };
        expect(read).toEqual(naive.readQueue(channelId, later));
      }
      const until = [null, now + 2 * MINUTE, now + 20 * MINUTE][events.length % 3]!;
      const [projects, some] = [
        { ids: PROJECTS.slice(0, 2), until },
        { ids: CHANNELS.slice(0, 1), until },
      ];
      expect(await counting.execute(now, projects, some)).toBe(naive.countRescheduled(now, projects, some));
      const { rows: left } = await client.query(`
        select o.pause_id from project_pause o
        where not exists (select 1 from project p where p.pause_id = o.pause_id)
          and not exists (select 1 from publication p where p.project_pause_id = o.pause_id)
        union all
        select q.pause_id from paused_queue q where (q.waiting, q.first_sequence) is distinct from (
          select (count(*), min(p.sequence)) from publication p
          where p.project_pause_id = q.pause_id and p.channel_id = q.channel_id)
        union all
        select p.publication_id from channel c join publication p on p.channel_id = c.channel_id
        where p.waits and p.project_pause_id is null and p.sequence < c.first_waiting`);
      expect(left).toEqual([]);
    }
  } finally {
    await client.end();
  }
};

/** Joins steps to batches. A step that depends on the state before it begins a batch. */
const toBatches = (steps: readonly Step[]): Step[][] => {
  const dependent = new Set<Step['action']>(['attempt', 'postpone', 'hold', 'filter', 'fail', 'decide']);
  const batches: Step[][] = [[]];
  for (const step of steps) {
    if (dependent.has(step.action)) batches.push([]);
    batches.at(-1)!.push(step);
    if (step.endsBatch || dependent.has(step.action)) batches.push([]);
  }
  return batches.filter((batch) => batch.length > 0);
};

it(
  'gives the times, the order and the counts of a schedule that rewrites every publication, for any history (D-21, ADR-99)',
  async () => {
    await fc.assert(fc.asyncProperty(fc.array(anyStep, { minLength: 40, maxLength: 80 }), compare), {
      numRuns: process.env.TEST_LONG ? 200 : 8,
      seed: 99,
      endOnFailure: !process.env.TEST_LONG,
    });
  },
  process.env.TEST_LONG ? 1_200_000 : 300_000,
);
