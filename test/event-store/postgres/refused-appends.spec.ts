import pg from 'pg';
import { StorageFailed } from '../../../src/event-store/port.js';
import { PostgresEventStore } from '../../../src/event-store/postgres/postgres-event-store.js';
import type { Log } from '../../../src/kernel/log.js';
import { until } from '../../e2e/until.js';
import { startTestPostgres, type TestPostgres } from '../../support/postgres.js';
import { newEvent, newStream } from '../contract/events.js';

/** Returns statements that make a real server refuse each append with an SQLSTATE, as for a full disk. */
const refusing = (sqlstate: string): string => `
  create or replace function refuse() returns trigger language plpgsql as $$
    begin raise exception 'could not extend file: No space left on device' using errcode = '${sqlstate}'; end $$;
  create or replace trigger refuse before insert on event_store.event for each statement execute function refuse()`;
const ALLOWED = 'drop trigger if exists refuse on event_store.event';

describe('a server that refuses appends', () => {
  let postgres: TestPostgres;
  let admin: pg.Client;
  let store: PostgresEventStore;
  let lines: { readonly level: keyof Log; readonly context: object; readonly message: string }[];

  const recordingLog = (): Log => {
    const record = (level: keyof Log) => (context: object, message: string) => lines.push({ level, context, message });
    return { debug: record('debug'), info: record('info'), warn: record('warn'), error: record('error') };
  };
  const open = (connectionString = postgres.connectionString) =>
    new PostgresEventStore({ connectionString, log: recordingLog(), probeIntervalMs: 50 });
  const append = () => store.append(newStream(), 'noStream', [newEvent()]);

  beforeAll(async () => {
    postgres = await startTestPostgres({ migrated: true });
    admin = new pg.Client({ connectionString: postgres.connectionString });
    await admin.connect();
  });
  beforeEach(() => {
    lines = [];
    store = open();
  });
  afterEach(async () => {
    await store.close();
    await admin.query(ALLOWED);
  });
  afterAll(async () => {
    await admin.end();
    await postgres.stop();
  });

  it('for a full disk: the append fails at once with the cause, which is shown and logged once until it has ended', async () => {
    await append();
    expect(store.appendFailure).toBeNull();
    await admin.query(refusing('53100'));
    for (let n = 0; n < 3; n++) {
      const refused = append();
      await expect(refused).rejects.toThrow(StorageFailed);
      await expect(refused).rejects.toMatchObject({ code: '53100' });
    }
    const { since, ...failure } = store.appendFailure!;
    expect(failure).toEqual({ code: '53100', message: 'could not extend file: No space left on device' });
    expect(since).toBeLessThanOrEqual(Date.now());
    expect(lines).toMatchObject([{ level: 'error', context: { code: '53100' } }]);

    await admin.query(ALLOWED);
    await append();
    expect(store.appendFailure).toBeNull();
    expect(lines).toMatchObject([
      { level: 'error', message: 'the event store refuses appends until the cause is fixed' },
      { level: 'info', message: 'the event store accepts appends again' },
    ]);
  });

  it('is probed while there are no appends, and the probe leaves nothing behind', async () => {
    await admin.query(refusing('53100'));
    await expect(append()).rejects.toThrow(StorageFailed);
    const head = await store.readHead();
    await admin.query(ALLOWED);
    await until('a probe finds out', () => store.appendFailure === null);
    const { rowCount } = await admin.query(`select from event_store.event where type = '$probe'`);
    expect([rowCount, await store.readHead()]).toEqual([0, head]);
    const { position } = await append();
    expect(position).toBe(head < 0n ? 1n : head + 1n);
  });

  it('is found by a check that a caller asks for', async () => {
    await admin.query(refusing('53100'));
    store.checkAppends();
    await until('the check finds out', () => store.appendFailure?.code === '53100');
  });

  it.each(['58030', '25006', 'XX001', 'XX002', '42501', '42P01'])('for SQLSTATE %s likewise', async (sqlstate) => {
    await admin.query(refusing(sqlstate));
    await expect(append()).rejects.toMatchObject({ name: 'StorageFailed', code: sqlstate });
    expect(store.appendFailure).toMatchObject({ code: sqlstate });
  });

  it('does not count an error of one append as a refusal', async () => {
    await admin.query(refusing('22021'));
    await expect(append()).rejects.toMatchObject({ code: '22021' });
    expect(store.appendFailure).toBeNull();
    expect(lines).toEqual([]);
  });

  it('for missing rights: reads and appends name them, and nothing waits', async () => {
    const url = new URL(postgres.connectionString);
    const role = `visitor_${url.pathname.slice(1)}`;
    await admin.query(`create role ${role} login password 'x'`);
    Object.assign(url, { username: role, password: 'x' });
    await store.close();
    store = open(url.href);
    await expect(store.start()).rejects.toMatchObject({ name: 'StorageFailed', code: '42501' });
    await expect(append()).rejects.toMatchObject({ name: 'StorageFailed', code: '42501' });
    await admin.query(`drop role ${role}`);
  });
});
