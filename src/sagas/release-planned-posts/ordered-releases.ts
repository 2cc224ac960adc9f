import type { EncodedChange, PlannedPosts } from '../../commands/post/planned-posts.js';
import { AppendTooLarge, countAppendBytes, WrongExpectedRevision } from '../../event-store/port.js';

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
