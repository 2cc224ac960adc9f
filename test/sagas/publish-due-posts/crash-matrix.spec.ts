import { createLogger } from '../../../src/config/logger.js';
import { createPool } from '../../../src/postgres/pool.js';
import { posts } from '../../../src/projections/posts/posts.projection.js';
import type { Projection } from '../../../src/projections/engine/projection.js';
import { publishSchedule } from '../../../src/projections/publish-schedule/publish-schedule.projection.js';
import { ProjectionRunner } from '../../../src/projections/engine/runner.js';
import { Random } from '../../e2e/random.js';
import { casesOf, everyCut, nameOf, PLAYS, type Undisturbed } from './crash-cases.js';
import { CrashHouse } from './crash-harness.js';

const LONG = Boolean(process.env['TEST_LONG']);
const CASES = LONG ? 10_000 : 200;
/** Played side by side. */
const AT_A_TIME = 200;
/** On each network: chance may want one network more than the others. */
const CHANNELS = 100;
const TIMEOUT_MS = LONG ? 3_600_000 : 240_000;

const random = new Random();
let house: CrashHouse;
let undisturbed: ReadonlyMap<string, Undisturbed>;
beforeAll(async () => {
  house = await CrashHouse.start(CHANNELS);
  undisturbed = await house.undisturbed(PLAYS);
}, TIMEOUT_MS);
afterAll(() => house.stop());

describe('a worker that dies at any named step of a publication, before or after', () => {
  it('comes by all of these', () => {
    const points = Object.fromEntries(PLAYS.map((play) => [nameOf(play), undisturbed.get(nameOf(play))!.points]));
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
    expect(everyCut(undisturbed).length).toBeGreaterThan(150);
  });

  it(
    `${CASES} deaths: nothing lost, nothing twice or flagged, order kept, replays the same: L1, L2, L3, L5 (seed ${random.seed})`,
    async () => {
      const cases = casesOf(undisturbed, CASES, random);
      for (let from = 0; from < cases.length; from += AT_A_TIME) {
        await house.endure(cases.slice(from, from + AT_A_TIME), undisturbed);
      }
    },
    TIMEOUT_MS,
  );

  it(
    'leaves read models that a rebuild gives again: L4',
    async () => {
      await house.infrastructure.leases.start();
      for (const projection of [publishSchedule(20), posts]) {
        const before = await rowsOf(projection);
        expect(before.flat().length).toBeGreaterThan(CHANNELS);
        await rebuild(projection);
        expect(await rowsOf(projection)).toEqual(before);
      }
    },
    TIMEOUT_MS,
  );
});

/** Every row that a projection's views show. */
const rowsOf = ({ name, views }: Projection): Promise<string[][]> =>
  Promise.all(
    views.map(async (view) => {
      const text = `select to_jsonb(t)::text as row from ${name.replaceAll('-', '_')}.${view} t order by 1`;
      return (await house.pool.query<{ row: string }>(text)).rows.map(({ row }) => row);
    }),
  );

/** Folds the whole log into new tables, which take the views over. */
const rebuild = async (projection: Projection): Promise<void> => {
  const on = house.infrastructure;
  const log = createLogger({ logLevel: 'silent' });
  const pool = createPool(on.connectionString, { max: 1, applicationName: 'rebuild', logger: log });
  const rebuilding = new AbortController();
  const runner = new ProjectionRunner({ ...projection, version: projection.version + 1 }, { ...on, pool, log });
  const running = runner.run(rebuilding.signal);
  const isLive = await on.progress.waitFor([projection.name], await on.store.head(), TIMEOUT_MS);
  rebuilding.abort();
  await running;
  await pool.end();
  expect(isLive).toBe(true);
};
