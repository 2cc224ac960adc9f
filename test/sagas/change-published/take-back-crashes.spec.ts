// More than 20 s: in each story, up to three processes are killed, and others take over.
import { Random } from '../../e2e/random.js';
import type { KillPoint } from '../publish-due-posts/kill-points.js';
import { TakeBackHarness } from './take-back-harness.js';
import { tellStory } from './take-back-stories.js';

const LONG = Boolean(process.env['TEST_LONG']);
const CRASHES = Number(process.env['TAKE_BACK_CRASHES'] ?? (LONG ? 10_000 : 48));
/** Number of stories that happen side by side. */
const STAGES = Math.min(CRASHES, LONG ? 120 : 32);
/** Number of stories after which the test no longer waits for a way to end. */
const MOST_STORIES = Math.max(2 * CRASHES, 8 * STAGES);
const KINDS = ['dismissed', 'none', 'refused', 'shown', 'withdraw_failed', 'withdrawn'];
const TIMEOUT_MS = LONG ? 3_600_000 : 600_000;
/** The first points are named one by one: those of a publication, then those of its take-back. */
const POINTS: readonly KillPoint[] = Array.from({ length: 9 }, (_, point) =>
  (['before', 'after'] as const).map((when) => ({ point, when })),
).flat();

const random = new Random();
let harness: TakeBackHarness;
beforeAll(async () => {
  harness = await TakeBackHarness.start(STAGES);
}, TIMEOUT_MS);
afterAll(() => harness.stop());

describe('posts that are taken back and edited while processes are killed', () => {
  it(
    `disappear or show the newest content where the network allows it, and are never sent again, in ${CRASHES} crashes (seed ${random.seed})`,
    async () => {
      // How a story ends depends on its timing, so new ones begin until each way to end has been seen.
      const isEnough = () => harness.crashes >= CRASHES && harness.kinds.length >= KINDS.length;
      for (let from = 0; !isEnough() && from < MOST_STORIES; from += STAGES)
        await harness.tell(Array.from({ length: STAGES }, (_, i) => tellStory(random, POINTS[from + i])));
      expect(harness.kinds).toEqual(KINDS);
      expect(harness.crashes).toBeGreaterThanOrEqual(CRASHES);
    },
    TIMEOUT_MS,
  );
});
