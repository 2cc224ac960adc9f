import { Client } from 'pg';
import { projectionsOf } from '../../src/app/modules/read-models.js';
import type { RecordedEvent } from '../../src/kernel/events.js';
import { pgTypes } from '../../src/postgres/pool.js';
import { applyBatch, type Projection } from '../../src/projections/engine/projection.js';
import { RowCache } from '../../src/projections/engine/rows.js';
import { compareSchemas } from '../../src/projections/engine/verification/verify-projection.js';
import { Random } from '../e2e/random.js';
import { startTestPostgres, type TestPostgres } from '../support/postgres.js';
import { AnyHistory, withoutErased } from './any-history.js';

const MINUTE = 60_000;
const EVENTS = 250;
const HISTORIES = process.env.TEST_LONG ? 60 : 3;

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

/** Applies batches to empty tables in a schema. */
const fold = async (
  projection: Projection,
  schema: string,
  batches: readonly (readonly RecordedEvent[])[],
): Promise<void> => {
  await client.query(`drop schema if exists ${schema} cascade; create schema ${schema}`);
  await client.query(`set search_path to ${schema}, public`);
  await client.query(projection.tables);
  const cache = new RowCache();
  for (const batch of batches) {
    const handled = batch.filter(({ type }) => projection.handles?.(type) ?? true);
    if (handled.length > 0) await applyBatch(projection, client, handled, cache);
  }
};

const divide = (events: readonly RecordedEvent[], random: Random): RecordedEvent[][] => {
  const batches: RecordedEvent[][] = [];
  for (let from = 0; from < events.length;) {
    const size = 1 + random.below([3, 20, events.length][random.below(3)]!);
    batches.push(events.slice(from, from + size));
    from += size;
  }
  return batches;
};

// Each seed gives a different history, divided into batches in a different way.
const first = new Random().seed;
describe.each(Array.from({ length: HISTORIES }, (_, i) => (first + i) % 2 ** 31))('of the history %i', (seed) => {
  const random = new Random(seed);
  const events = new AnyHistory(random).generate(EVENTS);
  const batches = divide(events, random);

  const owners = ['own_1', 'own_2'].map((ownerId) => ({ ownerId, months: null }));
  const atEnd = owners.map((data, i): RecordedEvent => {
    const position = BigInt(events.length + i);
    const id = `00000000-0000-4000-8000-${String(position).padStart(12, '0')}`;
    return {
      ...events.at(-1)!,
      type: 'OwnerContentErased',
      stream: 'any-end',
      revision: BigInt(i),
      position,
      id,
      hash: id,
      data,
    };
  });

  // A rebuild reads what was erased as null; the live rows were folded before (D-100).
  it.each(
    projectionsOf({ minuteMs: MINUTE }).flatMap((projection) =>
      (['months', 'everything'] as const).map((what) => [projection.name, what, projection] as const),
    ),
  )('%s has the same rows after an erasure of %s as a rebuild from the erased events', async (_, what, projection) => {
    const history = what === 'months' ? events : [...events, ...atEnd];
    await fold(projection, 'live', divide(history, random));
    await fold(projection, 'rebuilt', divide(withoutErased(history), random));
    const { missing, extra, different, differences } = await compareSchemas(client, 'live', 'rebuilt', {
      stamps: projection.stamps,
    });
    expect({ missing, extra, different, differences }).toEqual({ missing: 0, extra: 0, different: 0, differences: [] });
  });

  it.each(projectionsOf({ minuteMs: MINUTE }).map((projection) => [projection.name, projection] as const))(
    '%s has the same rows from any batches as from one event at a time',
    async (_, projection) => {
      await fold(
        projection,
        'single',
        events.map((event) => [event]),
      );
      await fold(projection, 'batched', batches);
      const { missing, extra, different, differences, rows } = await compareSchemas(
        client,
        'single',
        'batched',
        { stamps: projection.stamps }, // no retention has run
      );
      expect({ missing, extra, different, differences }).toEqual({
        missing: 0,
        extra: 0,
        different: 0,
        differences: [],
      });
      expect(rows).toBeGreaterThan(0);
    },
  );
});
