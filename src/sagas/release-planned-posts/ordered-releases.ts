import type { EncodedChange, PlannedPosts } from '../../commands/post/planned-posts.js';
import { WrongExpectedRevision } from '../../event-store/port.js';

type ReleaseAppends = Pick<PlannedPosts, 'append' | 'appendTogether' | 'canAppendTogether'>;

/**
 * Appends releases in order, up to the first post that has changed since it was read: that post may still be due and
 * must not be overtaken. If the store cannot append to several streams together, posts that share no channel may end up
 * in a different order.
 * @param isHeld false once the lease is lost @param onReleased receives each appended release @throws Unavailable
 */
export const appendReleases = async (
  posts: ReleaseAppends,
  releases: readonly EncodedChange[],
  isHeld: () => boolean,
  onReleased: (release: EncodedChange) => void,
): Promise<void> => {
  const append = async (wave: readonly EncodedChange[]): Promise<boolean> => {
    const isAppended = await appendUnlessChanged(posts, wave);
    if (isAppended) wave.forEach(onReleased);
    return isAppended;
  };
  /** @returns false if a post was changed */
  const appendUpToChanged = async (wave: readonly EncodedChange[]): Promise<boolean> => {
    if (await append(wave)) return true;
    if (wave.length === 1) return false;
    const half = wave.length >> 1;
    return (await appendUpToChanged(wave.slice(0, half))) && (await appendUpToChanged(wave.slice(half)));
  };
  for (const wave of divideIntoWaves(releases, posts.canAppendTogether)) {
    if (!isHeld()) return;
    if (posts.canAppendTogether) {
      if (!(await appendUpToChanged(wave))) return;
    } else {
      const outcomes = await Promise.all(wave.map((release) => append([release])));
      if (outcomes.includes(false)) return;
    }
  }
};

/** @returns false, and appends nothing, if one of the posts was changed in the meantime */
const appendUnlessChanged = async (posts: ReleaseAppends, wave: readonly EncodedChange[]): Promise<boolean> => {
  try {
    await (wave.length === 1 ? posts.append(wave[0]!) : posts.appendTogether(wave));
    return true;
  } catch (error) {
    if (error instanceof WrongExpectedRevision) return false;
    throw error;
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
  for (const change of changes) {
    const { stream, state } = change.loaded;
    const keys = isTogether ? [stream] : [stream, ...state.targets.map(({ channelId }) => channelId)];
    if (waves.length === 0 || keys.some((key) => taken.has(key))) {
      waves.push([]);
      taken = new Set();
    }
    for (const key of keys) taken.add(key);
    waves.at(-1)!.push(change);
  }
  return waves;
};
