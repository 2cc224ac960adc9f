// More than 20 s: 48 workers are killed, each at a different step, and other workers take over their channels.
import { createLogger } from '../../../src/config/logger.js';
import { createPool } from '../../../src/postgres/pool.js';
import { ProjectionProgress } from '../../../src/projections/engine/progress.js';
import type { Projection } from '../../../src/projections/engine/projection.js';
import { ProjectionRunner } from '../../../src/projections/engine/runner.js';
import { posts } from '../../../src/projections/posts/posts.projection.js';
import { publishSchedule } from '../../../src/projections/publish-schedule/publish-schedule.projection.js';
import { Random } from '../../e2e/random.js';
import { chooseCases, listAllCases, type ReferenceRun, scenarioName, SCENARIOS } from './crash-cases.js';
import { CrashHarness } from './crash-harness.js';

const LONG = Boolean(process.env['TEST_LONG']);
const CASES = LONG ? 10_000 : 48;
/** Number of cases that run side by side. */
const BATCH_SIZE = 200;
/** Channels on each network: the random choice may prefer one network. */
const CHANNELS = LONG ? 100 : CASES;
const TIMEOUT_MS = LONG ? 3_600_000 : 600_000;

const random = new Random();
let harness: CrashHarness;
let referenceRuns: ReadonlyMap<string, ReferenceRun>;
beforeAll(async () => {
  harness = await CrashHarness.start(CHANNELS);
  referenceRuns = await harness.recordReferenceRuns(SCENARIOS);
}, TIMEOUT_MS);
afterAll(() => harness.stop());

describe('a worker that is killed at any named step of a publication, before or after it', () => {
  it('passes all named steps', () => {
    const points = Object.fromEntries(
      SCENARIOS.map((scenario) => [scenarioName(scenario), referenceRuns.get(scenarioName(scenario))!.points]),
    );
    expect(points['telegram: album, then words with buttons']).toEqual([
      'PublicationStarted',
      'PublicationStepCompleted',
      'call sendMediaGroup',
      'PublicationStepCompleted',
      'call sendMessage',
      'PublicationSucceeded',
    ]);
    expect(points['vk: advertisement that pauses its channel']).toEqual([
      'PublicationStarted',
      'call wall.post',
      'ChannelPaused',
      'PublicationSucceeded',
    ]);
    expect(
      new Set(
        Object.values(points)
          .flat()
          .filter((name) => name.startsWith('call ')),
      ),
    ).toEqual(
      new Set(
        [
          ...['sendMessage', 'sendPhoto', 'sendAudio', 'sendMediaGroup'],
          ...['photos.getWallUploadServer', 'upload', 'photos.saveWallPhoto', 'wall.post'],
          ...['uploads', 'messages', 'photosV2.getUploadUrl', 'mediatopic.post'],
        ].map((name) => `call ${name}`),
      ),
    );
    expect(listAllCases(referenceRuns).length).toBeGreaterThan(150);
  });

  it(
    `loses nothing, publishes nothing twice, keeps the order and its replays in ${CASES} crashes: L1, L2, L3, L5 (seed ${random.seed})`,
    async () => {
      const cases = chooseCases(referenceRuns, CASES, random);
      for (let from = 0; from < cases.length; from += BATCH_SIZE) {
        await harness.runCases(cases.slice(from, from + BATCH_SIZE), referenceRuns);
      }
    },
    TIMEOUT_MS,
  );

  it(
    'leaves read models that equal their rebuild: L4',
    async () => {
      await harness.infrastructure.leases.start();
      for (const projection of [publishSchedule(20), posts]) {
        const before = await readRows(projection);
        expect(before.flat().length).toBeGreaterThan(CHANNELS);
        await rebuild(projection);
        expect(await readRows(projection)).toEqual(before);
      }
    },
    TIMEOUT_MS,
  );
});

/** Reads all rows of a projection's views. */
const readRows = ({ name, views }: Projection): Promise<string[][]> =>
  Promise.all(
    views.map(async (view) => {
      const text = `select to_jsonb(t)::text as row from ${name.replaceAll('-', '_')}.${view} t order by 1`;
      return (await harness.pool.query<{ row: string }>(text)).rows.map(({ row }) => row);
    }),
  );

/** Projects the whole log into new tables, to which the views then switch. */
const rebuild = async (projection: Projection): Promise<void> => {
  const { infrastructure } = harness;
  const log = createLogger({ logLevel: 'silent' });
  const pool = createPool(infrastructure.connectionString, { max: 1, applicationName: 'rebuild', logger: log });
  const rebuilding = new AbortController();
  const next = { ...projection, version: projection.version + 1 };
  const progress = new ProjectionProgress(pool, infrastructure.notifications, [next]);
  const running = new ProjectionRunner(next, { ...infrastructure, pool, progress, log }).run(rebuilding.signal);
  const isLive = await progress.waitForOwnVersions([projection.name], TIMEOUT_MS);
  rebuilding.abort();
  await running;
  await pool.end();
  expect(isLive).toBe(true);
};
