import pg from 'pg';
import { PostgresEventStore } from '../../../src/event-store/postgres/postgres-event-store.js';
import { startTestPostgres, type TestPostgres } from '../../support/postgres.js';
import { newEvent, newStream } from '../contract/events.js';

describe('the position of the next event (ADR-96)', () => {
  let postgres: TestPostgres;
  let admin: pg.Client;
  let store: PostgresEventStore;
  beforeAll(async () => {
    postgres = await startTestPostgres({ migrated: true });
    admin = new pg.Client({ connectionString: postgres.connectionString });
    await admin.connect();
    store = new PostgresEventStore({ connectionString: postgres.connectionString });
  });
  afterAll(async () => {
    await Promise.all([admin.end(), store.close()]);
    await postgres.stop();
  });

  const append = async () => (await store.append(newStream(), 'noStream', [newEvent()])).position;

  it('is not that of a newest event that was deleted by hand: read models have seen it', async () => {
    const position = await append();
    await admin.query('delete from event_store.event where position = $1', [position]);
    expect(await append()).toBe(position + 1n);
  });

  it('follows events that were restored without the sequence', async () => {
    const position = await append();
    await admin.query(`select setval('event_store.head', 0)`);
    expect(await append()).toBe(position + 1n);
  });

  it('leaves no gap after an append that fails', async () => {
    const position = await append();
    await expect(store.append(newStream(), 'noStream', [newEvent('x', { id: 'no-uuid' })])).rejects.toThrow();
    await expect(store.append(newStream(), 3n, [newEvent()])).rejects.toThrow();
    expect(await append()).toBe(position + 1n);
  });
});
