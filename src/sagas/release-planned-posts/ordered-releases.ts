import type { EncodedChange, PlannedPosts } from '../../commands/post/planned-posts.js';
import { AppendTooLarge, countAppendBytes, WrongExpectedRevision } from '../../event-store/port.js';
import type { DuePost } from '../../projections/planned-posts/planned-posts.queries.js';

type ReleaseAppends = Pick<PlannedPosts, 'append' | 'appendTogether' | 'canAppendTogether'>;

/** Receives the outcomes of releases. */
interface ReleaseListener {
  readonly onReleased: (release: EncodedChange) => void;
  /** Called for a release that the store can never take. */
  readonly onRefused: (release: EncodedChange, error: AppendTooLarge) => void;
}

/** Limits of the releases that are appended at the same time. */
const WAVE = { releases: 500, bytes: 4 * 1_048_576 };

/**
 * Appends releases in order, up to the first post that has changed since it was read: that post may still be due and
 * must not be overtaken. If the store cannot append to several streams together, posts that share no channel may end up
 * in a different order.
 * @param isHeld false once the lease is lost @throws Unavailable
 */
export const appendReleases = async (
  posts: ReleaseAppends,
  releases: readonly EncodedChange[],
  isHeld: () => boolean,
  { onReleased, onRefused }: ReleaseListener,
): Promise<void> => {
  /** @returns true if all were appended; otherwise why none was */
  const append = async (wave: readonly EncodedChange[]): Promise<true | AppendTooLarge | WrongExpectedRevision> => {
    try {
      await (wave.length === 1 ? posts.append(wave[0]!) : posts.appendTogether(wave));
    } catch (error) {
      if (error instanceof WrongExpectedRevision || error instanceof AppendTooLarge) return error;
      throw error;
    }
    wave.forEach(onReleased);
    return true;
  };
  /** Appends a wave, in smaller parts if it is refused. @returns false if a post was changed */
  const appendUpToChanged = async (wave: readonly EncodedChange[]): Promise<boolean> => {
    const outcome = await append(wave);
    if (outcome === true) return true;
    if (wave.length > 1) {
      const half = wave.length >> 1;
      return (await appendUpToChanged(wave.slice(0, half))) && (await appendUpToChanged(wave.slice(half)));
    }
    if (outcome instanceof WrongExpectedRevision) return false;
    onRefused(wave[0]!, outcome);
    return true;
  };
  for (const wave of divideIntoWaves(releases, posts.canAppendTogether)) {
    if (!isHeld()) return;
    const outcomes = posts.canAppendTogether
      ? [await appendUpToChanged(wave)]
      : await Promise.all(wave.map((release) => appendUpToChanged([release])));
    if (outcomes.includes(false)) return;
  }
};

/**
 * Divides releases into groups that may be appended at the same time. Each stream occurs at most once per group and,
 * unless the group is appended together, so does each channel.
 */
const divideIntoWaves = (
  changes: readonly EncodedChange[],
  isTogether: boolean,
): readonly (readonly EncodedChange[])[] => {
  const waves: EncodedChange[][] = [];
  let taken = new Set<string>();
  let bytes = 0;
  for (const change of changes) {
    const { stream, state } = change.loaded;
    const keys = isTogether ? [stream] : [stream, ...state.targets.map(({ channelId }) => channelId)];
    const size = countAppendBytes(change.encoded);
    const isFull = waves.at(-1)?.length === WAVE.releases || bytes + size > WAVE.bytes;
    if (waves.length === 0 || isFull || keys.some((key) => taken.has(key))) {
      waves.push([]);
      taken = new Set();
      bytes = 0;
    }
    for (const key of keys) taken.add(key);
    bytes += size;
    waves.at(-1)!.push(change);
  }
  return waves;
};

/** Limits of a round. */
export interface RoundBounds {
  readonly owners: number;
  readonly posts: number;
  readonly targets: number;
}

/** The largest round. */
export const ROUND: RoundBounds = { owners: 250, posts: 500, targets: 4_000 };
/** How long a round should take, in ms: another owner's post waits for the end of one, and for its own. */
const ROUND_MS = 250;
const FEWEST_POSTS = 50;
/** Maximum number of targets of a post that counts as small in rounds of any size. */
const SMALL_POST = 400;

/** Returns the bounds of a round with a number of posts. */
const boundsOf = (posts: number): RoundBounds => ({
  owners: Math.min(ROUND.owners, posts),
  posts,
  targets: Math.ceil((ROUND.targets * posts) / ROUND.posts),
});

/** The first round of many is small: how long it takes shows how large the next ones may be. */
export const FIRST_ROUND = boundsOf(FEWEST_POSTS);

/** Returns the bounds of the next round: smaller if a round took too long, for example because the machine is busy. */
export const nextRound = ({ posts }: RoundBounds, tookMs: number): RoundBounds => {
  const fitting = Math.floor(posts * Math.min(2, ROUND_MS / Math.max(1, tookMs)));
  return boundsOf(Math.min(ROUND.posts, Math.max(FEWEST_POSTS, fitting)));
};

/** The posts of a round, by owner. */
export interface SharedRound {
  /** Owners whose posts fit into their share, those with the fewest first: posts are read in this order. */
  readonly small: readonly (readonly DuePost[])[];
  /** Owners whose first post is larger than their share, or has more than 400 targets. */
  readonly large: readonly (readonly DuePost[])[];
  /** The owner after whom the next round begins. */
  readonly last: string;
}

/**
 * Divides a round between owners (D-79): each gets an equal share of its targets. A post that is larger than a share
 * must not keep the others waiting, so the round has all owners without one, and as many owners with one as fit, but at
 * least one. The next round begins with the first that did not fit.
 * @param due due posts, grouped by owner
 */
export const shareRound = (due: readonly DuePost[], { targets: most }: Pick<RoundBounds, 'targets'>): SharedRound => {
  const byOwner: DuePost[][] = [];
  for (const post of due)
    if (byOwner.at(-1)?.[0]!.ownerId === post.ownerId) byOwner.at(-1)!.push(post);
    else byOwner.push([post]);
  const share = most / Math.max(1, byOwner.length);
  const small: DuePost[][] = [];
  const large: DuePost[][] = [];
  for (const posts of byOwner) {
    const taken = takeShare(posts, share);
    (taken[0]!.targets <= Math.min(share, SMALL_POST) ? small : large).push(taken);
  }
  let total = countTargets(small.flat());
  const end = large.findIndex((posts, i) => (total += countTargets(posts)) > most && i > 0);
  const next = end < 0 ? byOwner.length : byOwner.findIndex(([first]) => first === large[end]![0]);
  return {
    small: small.sort((a, b) => a.length - b.length),
    large: end < 0 ? large : large.slice(0, end),
    last: byOwner[next - 1]?.[0]!.ownerId ?? '',
  };
};

const takeShare = (posts: readonly DuePost[], share: number): DuePost[] => {
  let targets = 0;
  const end = posts.findIndex((post, i) => (targets += post.targets) > share && i > 0);
  return posts.slice(0, end < 0 ? posts.length : end);
};

/** Returns how many publications the releases queue. */
export const countTargets = (posts: readonly DuePost[]): number => posts.reduce((sum, { targets }) => sum + targets, 0);
