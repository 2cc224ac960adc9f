// More than 20 s: some hundred processes are killed at steps of releases and changes.
import { createLogger } from '../../../src/config/logger.js';
import type { PostReleased } from '../../../src/domain/post/post.events.js';
import type { RecordedEventOf } from '../../../src/kernel/events.js';
import { Random } from '../../e2e/random.js';
import { type Kind, KINDS, type PlannedInTest, ReleaseBench } from './release-bench.js';

const LONG = Boolean(process.env.TEST_LONG);
const CRASHES = LONG ? 10_000 : 120;
const POSTS = 8;

const random = new Random();
let bench: ReleaseBench;
beforeAll(async () => (bench = await ReleaseBench.start(createLogger({ logLevel: 'silent' }))));
afterAll(() => bench.stop());

const anyKill = (steps: number) => ({
  point: random.below(steps),
  when: (['before', 'after'] as const)[random.below(2)]!,
});

/**
 * Changes and releases posts at the same time in processes that are killed; then repeats the changes, and releases the
 * rest.
 */
const runRound = async (): Promise<number> => {
  const posts: PlannedInTest[] = [];
  for (let n = 0; n < POSTS; n++) posts.push(await bench.plan(bench.now + 1 + random.below(5)));
  const changed = posts
    .filter(() => random.below(3) > 0)
    .map((post) => ({ post, kind: KINDS[random.below(KINDS.length)]! }));
  bench.now += 10;
  // The saga reads the head and each post, then appends.
  const saga = bench.startSaga(anyKill(POSTS + 3));
  const killed = await Promise.all(changed.map(({ post, kind }) => bench.change(post, kind, anyKill(stepsOf(kind)))));
  await bench.untilNothingIsDue(saga);
  await saga.stop();
  // Clients repeat changes that were not answered.
  for (const [n, { post, kind }] of changed.entries()) if (killed[n]) await bench.change(post, kind, null);
  bench.now += 1_000;
  const second = bench.startSaga(random.below(2) === 0 ? anyKill(POSTS + 3) : null);
  await bench.untilNothingIsDue(second);
  await second.stop();
  const last = bench.startSaga(null);
  await bench.untilNothingIsDue();
  await last.stop();
  await audit(posts);
  return killed.filter(Boolean).length + [saga, second].filter(({ isDead }) => isDead).length;
};

/** Steps of a change: a read and an append, and the parts of a large payload. */
const stepsOf = (kind: Kind): number => (kind === 'large' ? 5 : 2);

/**
 * Expects that each post has ended or was released once, not early, with its last content, and that the saga kept the
 * order.
 */
const audit = async (posts: readonly PlannedInTest[]): Promise<void> => {
  const bySaga: { readonly post: PlannedInTest; readonly release: RecordedEventOf<PostReleased> }[] = [];
  for (const post of posts) {
    const events = await bench.readEvents(post);
    const releases = events.filter(({ type }) => type === 'PostReleased') as unknown as RecordedEventOf<PostReleased>[];
    const hasEnded = events.some(
      ({ type, data }) => type === 'PlannedPublicationsCancelled' && (data as { readonly isLast: boolean }).isLast,
    );
    const types = events.map(({ type }) => type);
    expect({ types, ended: releases.length + Number(hasEnded) }).toEqual({ types, ended: 1 });
    const [release] = releases;
    if (!release) continue;
    // Nothing comes after the release, and it refers to the last content.
    expect(types.at(-1)).toBe('PostReleased');
    const content = events.findLast(({ type }) => type === 'PostAccepted' || type === 'PostRevised')!;
    expect(release.data.contentRevision).toBe(Number(content.revision));
    expect(release.data.at).toBeGreaterThanOrEqual(release.data.publishAt ?? 0);
    const { payload } = await bench.readPost(post, release.revision);
    expect(payload.text).toBe(content.type === 'PostAccepted' ? post.text : post.newText);
    if (release.actor.startsWith('system:')) bySaga.push({ post, release });
  }
  bySaga.sort((a, b) => (a.release.position < b.release.position ? -1 : 1));
  const due = bySaga.map(({ post, release }) => [release.data.publishAt!, post.number] as const);
  expect(due).toEqual(due.toSorted((a, b) => a[0] - b[0] || a[1] - b[1]));
};

it(
  `loses, doubles and reorders nothing in ${CRASHES} crashes at steps of releases and changes (seed ${random.seed})`,
  async () => {
    for (let crashes = 0; crashes < CRASHES;) crashes += await runRound();
  },
  LONG ? 3_600_000 : undefined,
);

it('passes all steps', async () => {
  const post = await bench.plan(bench.now + 1);
  const other = await bench.plan(bench.now + 1);
  await bench.untilNothingIsDue(); // the read model shows both: if it were late, the saga would read the head again
  bench.now += 1;
  const saga = bench.startSaga(null);
  await bench.untilNothingIsDue();
  await saga.stop();
  expect(saga.trace.slice(0, 4)).toEqual(['readHead', 'readStream', 'readStream', 'appendTogether']);
  expect((await bench.readEvents(other)).at(-1)!.type).toBe('PostReleased');
  const third = await bench.plan(bench.now + 5);
  expect(await bench.traceChange(third, 'large')).toEqual(['readStream', 'append', 'append', 'readStream', 'append']);
  expect(await bench.traceChange(post, 'move')).toEqual(['readStream']);
  expect(await bench.traceChange(third, 'move')).toEqual(['readStream', 'append']);
});
