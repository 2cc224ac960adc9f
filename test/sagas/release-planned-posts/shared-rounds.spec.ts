import { createLogger } from '../../../src/config/logger.js';
import { ROUND } from '../../../src/sagas/release-planned-posts/ordered-releases.js';
import { until } from '../../e2e/until.js';
import { ReleaseBench } from './release-bench.js';

const POSTS = 3_000;

let bench: ReleaseBench;
beforeAll(async () => (bench = await ReleaseBench.start(createLogger({ logLevel: 'silent' }))));
afterAll(() => bench.stop());

it('a post waits for a round or two of another owner, not for the thousands that the owner has due (D-79)', async () => {
  const planMany = () => Promise.all(Array.from({ length: POSTS / 10 }, () => bench.plan(bench.now + 5, 'own_many')));
  for (let n = 0; n < 10; n++) await planMany();
  const same = await bench.plan(bench.now + 5, 'own_single');
  await bench.untilNothingIsDue();
  bench.now += 10;
  const saga = bench.startSaga(null);
  const countReleased = async () => (await bench.readStreamsOf('PostReleased')).length;
  await until('some are released', async () => (await countReleased()) > 0);
  const later = await bench.plan(bench.now, 'own_single');
  const before = await countReleased();
  await bench.untilNothingIsDue();
  await saga.stop();

  const released = await bench.readStreamsOf('PostReleased');
  expect(released).toHaveLength(POSTS + 2);
  expect(new Set(released).size).toBe(POSTS + 2);
  expect(released.indexOf(same.stream)).toBeLessThan(ROUND.posts);
  expect(released.indexOf(later.stream) - before).toBeLessThan(2 * ROUND.posts);
});
