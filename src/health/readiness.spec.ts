import type { Pool } from 'pg';
import type { AppendFailure, EventStore } from '../event-store/port.js';
import type { WorkFailure } from '../runtime/failing-work.js';
import { SharedResult } from '../runtime/shared-result.js';
import { Readiness, type ReadinessReport } from './readiness.js';
import { EventTimes } from './times.js';

interface State {
  /** Live projections by name: the position, and the error if the projection has stopped. */
  readonly projections?: Readonly<Record<string, readonly [position: bigint, error?: string]>> | Error;
  /** Names of projections that have not reached the end of the log yet. */
  readonly unbuilt?: readonly string[];
  /** Sagas whose last attempt failed, by name: the position and the error. */
  readonly sagas?: Readonly<Record<string, readonly [position: bigint, error: string]>>;
  readonly head?: bigint | Error;
  readonly appendFailure?: AppendFailure;
  /** Problem with stored secrets. */
  readonly secrets?: string | Error | null;
  /** Problem with the files of archived history. */
  readonly archive?: string | null;
  readonly failingWork?: readonly WorkFailure[];
  /** Lead of the process's clock, and the uncertainty, in ms. */
  readonly clock?: readonly [ms: number, uncertaintyMs: number] | Error;
  /** Age of the event after each position, in ms; null if it is damaged. */
  readonly ages?: Readonly<Record<string, number | null>>;
}

const answer = <T>(value: T | Error): Promise<T> =>
  value instanceof Error ? Promise.reject(value) : Promise.resolve(value);

const writeEnvelope = (age: number | null): string => (age === null ? '{' : JSON.stringify({ at: Date.now() - age }));

const STORE = '3f0c5a52-9d0f-4c1e-8f6e-0a4d2b1c7e11';
const HELPERS = { files: 'ok', network: 'ok', memory: 'ok' };
const HISTORY = { origin: 'post.example.com/history', size: 9, ended: [] };
const BUILT = { discovery: [9n], posts: [9n] } as const;

/** Reads readiness once. */
const readiness = ({
  projections = BUILT,
  sagas = {},
  head = 9n,
  ages = {},
  appendFailure,
  unbuilt = [],
  secrets = null,
  failingWork = [],
  clock = [0, 0],
  archive = null,
}: State): Promise<ReadinessReport> => {
  const rows =
    projections instanceof Error
      ? projections
      : Object.entries(projections).map(([name, [position, error = null]]) => ({
          name,
          position,
          error,
          level: !unbuilt.includes(name),
        }));
  const failing = Object.entries(sagas).map(([name, [position, error]]) => ({ name, position, error }));
  const query = (text: string) => {
    if (text.includes('ops_history_log')) return answer({ rows: [HISTORY] });
    return answer(text.includes("'saga/%'") ? failing : rows).then((found) => ({ rows: found }));
  };
  const readAll = ({ after }: { after: bigint }) =>
    Promise.resolve(String(after) in ages ? [{ metadata: writeEnvelope(ages[String(after)] ?? null) }] : []);
  return new Readiness({
    pool: { query } as unknown as Pool,
    store: { appendFailure: appendFailure ?? null },
    eventTimes: new EventTimes({ readAll } as unknown as EventStore, {
      readEnvelope: ({ metadata }: { metadata: string }) => JSON.parse(metadata),
    }),
    failingWork: () => failingWork,
    clock: { read: () => answer(clock).then(([ms, uncertaintyMs]) => ({ ms, uncertaintyMs })) },
    storeHead: new SharedResult(() => answer(head), 0),
    connection: () => ({ id: STORE, problem: null, droppedSubscriptions: 2, lostConnections: 1 }),
    secrets: () => answer(secrets),
    setAside: () => null,
    mediaStore: () => Promise.resolve(null),
    archive: () => archive,
    helpers: () => HELPERS,
  }).read();
};

const OK = { database: 'ok', event_store: 'ok', discovery: 'ok' };

describe('readiness', () => {
  it('shows which event store it is, and how far the read models are behind it', async () => {
    const report = await readiness({ projections: { discovery: [9n], posts: [7n] } });
    expect(report.event_store).toEqual({
      id: STORE,
      position: '9',
      lag: { discovery: 0, posts: 2 },
      dropped_subscriptions: 2,
      lost_connections: 1,
    });
    const { event_store: unknown } = await readiness({ head: new Error('silent') });
    expect(unknown).toMatchObject({ id: STORE, position: null, lag: {} });
  });

  it('shows the log of the history, and those that have ended', async () => {
    expect((await readiness({})).history).toEqual(HISTORY);
  });

  it('is given if everything answers', async () => {
    expect(await readiness({})).toMatchObject({ ok: true, checks: OK, degraded: [], helpers: HELPERS });
  });

  it('is not given without the database, without the event store, or while `discovery` is stopped or not built', async () => {
    expect(await readiness({ projections: new Error('refused') })).toMatchObject({
      ok: false,
      checks: { ...OK, database: 'refused', discovery: 'refused' },
      degraded: [],
    });
    expect(await readiness({ head: new Error('silent') })).toMatchObject({
      ok: false,
      checks: { ...OK, event_store: 'silent' },
      degraded: [],
    });
    const full = { code: '53100', message: 'could not extend file: No space left on device', since: 0 };
    const cause = 'has refused appends since 1970-01-01T00:00:00.000Z: could not extend file: No space left on device';
    expect(await readiness({ appendFailure: full })).toMatchObject({
      ok: false,
      checks: { ...OK, event_store: expect.stringContaining(cause) },
      degraded: [],
    });
    expect(await readiness({ projections: { ...BUILT, discovery: [7n, 'no such event'] } })).toMatchObject({
      ok: false,
      checks: { ...OK, discovery: 'stopped: no such event' },
      degraded: [],
    });
    expect(await readiness({ unbuilt: ['discovery', 'posts'] })).toMatchObject({
      ok: false,
      checks: { ...OK, discovery: expect.stringMatching(/^being built from the events/) },
      degraded: [],
    });
    const { ok, checks } = await readiness({ projections: {} });
    expect({ ok, discovery: checks.discovery }).toEqual({
      ok: false,
      discovery: expect.stringMatching(/^not built yet/),
    });
  });

  it('is given, degraded, while stored secrets cannot be read', async () => {
    expect(await readiness({ secrets: '2 secrets' })).toMatchObject({
      ok: true,
      checks: OK,
      degraded: [{ name: 'secrets', reason: '2 secrets' }],
    });
    expect(await readiness({ secrets: new Error('the database is away') })).toMatchObject({ ok: true, degraded: [] });
  });

  it('is given, degraded, while files of archived history are missing', async () => {
    expect(await readiness({ archive: '2 files' })).toMatchObject({
      ok: true,
      checks: OK,
      degraded: [{ name: 'archive', reason: '2 files' }],
    });
  });

  it('is given, degraded, while work keeps failing, and names it once', async () => {
    const failingWork = [
      { name: 'prune-expired', reason: 'no such table', failures: 5, seconds: 31 },
      { name: 'saga/a', reason: 'a: no', failures: 9, seconds: 90 },
    ];
    expect(await readiness({ failingWork, sagas: { 'saga/a': [6n, 'a: no'] }, ages: { 6: 90_000 } })).toMatchObject({
      ok: true,
      checks: OK,
      degraded: [
        { name: 'saga/a', reason: 'stopped at an event, which it keeps retrying: a: no' },
        { name: 'prune-expired', reason: 'failed 5 times in 31 s, and is retried: no such table' },
      ],
    });
  });

  it.each([
    [[5_400, 100], "5.4 s ahead of the database's clock: "],
    [[-3_600_000, 2_000], "3600.0 s behind the database's clock: "],
  ] as const)('is given, degraded, while the clock is wrong by %p ms (D-85)', async (clock, reason) => {
    expect(await readiness({ clock })).toMatchObject({
      ok: true,
      checks: OK,
      degraded: [{ name: 'clock', reason: expect.stringContaining(reason) }],
    });
  });

  it.each([[[4_900, 0]], [[-6_000, 1_200]], [new Error('the database is away')]] as const)(
    'is given while the clock is not known to be wrong: %p ms (D-85)',
    async (clock) => {
      expect(await readiness({ clock })).toMatchObject({ ok: true, degraded: [] });
    },
  );

  it('is given, degraded, while another read model is stopped', async () => {
    expect(
      await readiness({ projections: { ...BUILT, posts: [7n, 'no such event'] }, ages: { 7: 90_000 } }),
    ).toMatchObject({
      ok: true,
      checks: OK,
      degraded: [{ name: 'posts', reason: 'stopped: no such event' }],
    });
  });

  it('is given, degraded, while a read model lacks an event of more than a minute ago', async () => {
    const projections = { discovery: [9n], posts: [7n], 'request-log': [8n] } as const;
    // The clock is stopped, because on a busy machine the event would get older.
    const [realNow, now] = [Date.now, Date.now()];
    Date.now = () => now;
    const report = await readiness({ projections, ages: { 7: 90_000, 8: 30_000 } }).finally(() => (Date.now = realNow));
    expect(report).toMatchObject({
      ok: true,
      checks: OK,
      degraded: [{ name: 'posts', reason: 'far behind: the next event to apply is 90 s old' }],
    });
  });

  it('is given, degraded, while a saga fails at an event of more than a minute ago, or at a damaged one', async () => {
    const sagas = { 'saga/a': [6n, 'a: no'], 'saga/b': [7n, 'b: no'], 'saga/c': [8n, 'c: damaged'] } as const;
    expect(await readiness({ sagas, ages: { 6: 90_000, 7: 30_000, 8: null } })).toMatchObject({
      ok: true,
      checks: OK,
      degraded: [
        { name: 'saga/a', reason: 'stopped at an event, which it keeps retrying: a: no' },
        { name: 'saga/c', reason: 'stopped at an event, which it keeps retrying: c: damaged' },
      ],
    });
  });

  it('names a read model that is far behind although the next event of another one is damaged', async () => {
    const projections = { discovery: [9n], posts: [7n], 'request-log': [8n] } as const;
    expect(await readiness({ projections, ages: { 7: 90_000, 8: null } })).toMatchObject({
      ok: true,
      degraded: [{ name: 'posts' }],
    });
  });
});
