import pg from 'pg';
import { type NewEvent, NotAppended, Unavailable } from '../../../src/event-store/port.js';
import { PostgresEventStore } from '../../../src/event-store/postgres/postgres-event-store.js';
import { until } from '../../e2e/until.js';
import { startTestPostgres, type TestPostgres } from '../../support/postgres.js';
import { newEvent, newStream } from '../contract/events.js';

const APPEND_LOCK = `7002, hashtext('event_store')`;

/** Most events of a batch. */
const BATCH = 1_000;

/** An append that can be repeated. */
interface Attempt {
  readonly stream: string;
  readonly events: readonly NewEvent[];
}

describe('appends that wait behind a lock which another session holds', () => {
  let postgres: TestPostgres;
  let holder: pg.Client;
  const stores: PostgresEventStore[] = [];

  beforeAll(async () => {
    postgres = await startTestPostgres({ migrated: true });
    holder = new pg.Client({ connectionString: postgres.connectionString });
    await holder.connect();
  });
  beforeEach(() => holder.query(`select pg_advisory_lock(${APPEND_LOCK})`));
  afterEach(async () => {
    await holder.query('select pg_advisory_unlock_all()');
    await Promise.all(stores.splice(0).map((store) => store.close()));
  });
  afterAll(async () => {
    await holder.end();
    await postgres.stop();
  });

  const open = (options: Partial<ConstructorParameters<typeof PostgresEventStore>[0]>) => {
    const store = new PostgresEventStore({ connectionString: postgres.connectionString, ...options });
    stores.push(store);
    return store;
  };
  const newAttempts = (count: number): Attempt[] =>
    Array.from({ length: count }, () => ({ stream: newStream(), events: [newEvent()] }));
  const appendAll = (store: PostgresEventStore, attempts: readonly Attempt[]) =>
    Promise.allSettled(attempts.map(({ stream, events }) => store.append(stream, 'noStream', events)));
  // The server may hold other tests' databases, whose appends wait as well.
  const isSent = async () =>
    (
      await holder.query(
        `select from pg_locks where locktype = 'advisory' and classid = 7002 and not granted
         and database = (select oid from pg_database where datname = current_database())`,
      )
    ).rowCount === 1;
  const countEvents = async (attempts: readonly Attempt[]) =>
    (await holder.query('select from event_store.event where stream = any($1)', [attempts.map(({ stream }) => stream)]))
      .rowCount;

  it('are refused by their age: those that were not sent leave the queue, and no batch of them is sent', async () => {
    const store = open({ timeoutMs: 10_000 });
    const attempts = newAttempts(3 * BATCH);
    const refused = await appendAll(store, attempts);
    const reasons = refused.map((outcome) => (outcome.status === 'rejected' ? (outcome.reason as Error).name : 'none'));
    // The first batch was sent, and its outcome is unknown. The others were still in the queue.
    expect(reasons.slice(0, BATCH)).toEqual(Array.from({ length: BATCH }, () => Unavailable.name));
    expect(reasons.slice(BATCH)).toEqual(Array.from({ length: 2 * BATCH }, () => NotAppended.name));

    await holder.query('select pg_advisory_unlock_all()');
    const later = newAttempts(1);
    await until('the store appends', async () => (await appendAll(store, later))[0]!.status === 'fulfilled');
    expect(await countEvents(attempts.slice(BATCH))).toBe(0);
    const repeated = await appendAll(open({ timeoutMs: 60_000 }), attempts);
    expect(repeated.every(({ status }) => status === 'fulfilled')).toBe(true);
    expect(await countEvents(attempts)).toBe(attempts.length);
  });

  it.each([
    ['appends', { appends: 5, bytes: 1_000_000 }],
    ['bytes', { appends: 1_000, bytes: 5 * 400 }],
  ])('are refused at once if too many wait, by the number of %s', async (_, queueBounds) => {
    const store = open({ timeoutMs: 60_000, queueBounds });
    const sent = appendAll(store, newAttempts(1));
    await until('the first is sent', isSent);
    const attempts = newAttempts(12).map(({ stream, events }) => ({
      stream,
      events: events.map((event) => ({ ...event, data: `"${'x'.repeat(80)}"`, metadata: '{}' })),
    }));
    const outcomes: string[] = [];
    const appended = attempts.map(({ stream, events }) =>
      store.append(stream, 'noStream', events).then(
        () => outcomes.push('appended'),
        (error: Error) => outcomes.push(error.name),
      ),
    );
    await until('some are refused', () => outcomes.length > 0);
    expect(new Set(outcomes)).toEqual(new Set([NotAppended.name]));
    const refused = outcomes.length;
    expect(refused).toBeGreaterThanOrEqual(6);
    expect(refused).toBeLessThan(12);
    await holder.query('select pg_advisory_unlock_all()');
    await Promise.all([sent, ...appended]);
    expect(outcomes.filter((outcome) => outcome === 'appended')).toHaveLength(12 - refused);
  });

  it('are written once the lock is free, in the order of their arrival', async () => {
    const store = open({ timeoutMs: 60_000 });
    const [first, ...others] = newAttempts(50);
    const sent = appendAll(store, [first!]);
    await until('the first is sent', isSent);
    const waiting = appendAll(store, others);
    await holder.query('select pg_advisory_unlock_all()');
    const settled = [...(await sent), ...(await waiting)];
    const positions = settled.map((outcome) => (outcome.status === 'fulfilled' ? outcome.value.position : -1n));
    expect(positions).toEqual(positions.map((_, n) => positions[0]! + BigInt(n)));
  });
});
