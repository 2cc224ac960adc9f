import pg from 'pg';
import { ConditionFailed, WrongExpectedRevision } from '../../../src/event-store/port.js';
import { PostgresEventStore } from '../../../src/event-store/postgres/postgres-event-store.js';
import { eventStoreFunctions } from '../../../src/postgres/migrations/repeatable/event-store.sql.js';
import { MemoryEventStore } from '../../support/memory-event-store.js';
import { startTestPostgres, type TestPostgres } from '../../support/postgres.js';
import { newEvent } from '../contract/events.js';

const CHECK = `
  create table thing (name text primary key, version text not null);
  insert into thing values ('a', '1'), ('b', '1');
  create function changed_things(names text[], versions text[]) returns int[] language sql stable as $$
    select coalesce(array_agg(g.place::int), '{}') from unnest(names, versions) with ordinality g (name, version, place)
    where not exists (select from thing t where t.name = g.name and t.version = g.version)
  $$`;

describe('the condition of an append', () => {
  let postgres: TestPostgres;
  let client: pg.Client;
  let store: PostgresEventStore;

  beforeAll(async () => {
    postgres = await startTestPostgres({ migrated: true });
    const { connectionString } = postgres;
    client = new pg.Client({ connectionString });
    await client.connect();
    await client.query(CHECK);
    await client.query(eventStoreFunctions({ schema: 'event_store', conditions: 'changed_things' }));
    store = new PostgresEventStore({ connectionString });
  });

  afterAll(async () => {
    await store.close();
    await client.end();
    await postgres.stop();
  });

  const change = (name: string) => client.query("update thing set version = '2' where name = $1", [name]);
  const restore = () => client.query("update thing set version = '1'");
  const holds = (subject: string) => ({ subject, version: '1' });
  const written = async (stream: string) => (await store.readStream(stream)).length;

  it('lets the append pass if it holds, and writes nothing if it does not', async () => {
    await store.append('passes', 'noStream', [newEvent()], holds('a'));
    await change('a');
    const failing = store.append('fails', 'noStream', [newEvent()], holds('a'));
    await expect(failing).rejects.toThrow(ConditionFailed);
    await expect(failing).rejects.toMatchObject({ condition: holds('a') });
    expect([await written('passes'), await written('fails')]).toEqual([1, 0]);
    await restore();
  });

  it('does not affect others: the other appends of a batch are written, and positions have no gap', async () => {
    await change('b');
    const start = await store.readHead();
    // The first append runs alone while the others are batched.
    const settled = await Promise.allSettled([
      store.append('n-0', 'noStream', [newEvent()]),
      store.append('n-1', 'noStream', [newEvent()], holds('a')),
      store.append('n-2', 'noStream', [newEvent(), newEvent()], holds('b')),
      store.append('n-3', 'noStream', [newEvent()]),
      store.append('n-4', 5n, [newEvent()], holds('a')),
      store.append('n-5', 5n, [newEvent()], holds('b')),
      store.append('n-6', 'noStream', [newEvent(), newEvent()], holds('a')),
    ]);
    const outcomes = settled.map((answer) =>
      answer.status === 'fulfilled' ? answer.value.position - start : (answer.reason as Error).name,
    );
    // If neither the revision nor the condition holds, the error names the condition.
    const [failed, conflicting] = [ConditionFailed.name, WrongExpectedRevision.name];
    expect(outcomes).toEqual([1n, 2n, failed, 3n, conflicting, failed, 5n]);
    expect(await store.readHead()).toBe(start + 5n);
    await restore();
  });

  it('does not affect what was written while it held: repeating the append returns the first result', async () => {
    const events = [newEvent(), newEvent()];
    const first = await store.append('again', 'noStream', events, holds('a'));
    await change('a');
    expect(await store.append('again', 'noStream', events, holds('a'))).toEqual(first);
    await expect(store.append('again', 'noStream', [newEvent()], holds('a'))).rejects.toThrow(ConditionFailed);
    expect(await written('again')).toBe(2);
    await restore();
  });

  it('is never ignored: a store that cannot check it rejects the append', async () => {
    const other = new MemoryEventStore();
    await expect(other.append('unchecked', 'noStream', [newEvent()], holds('a'))).rejects.toThrow(RangeError);
  });
});
