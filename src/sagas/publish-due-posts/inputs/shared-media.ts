import { setMaxListeners } from 'node:events';
import { initialRetryCounters, limitRetryAt } from '../../../domain/publication/retry-limits.js';
import type { Publisher, PublishError, Rendering, SendContext, WantedMedium } from '../../../platforms/publisher.js';
import { sleepUnlessAborted } from '../../../runtime/sleep.js';
import { computeRetryAt } from '../attempt/retry-delay.js';
import type { MediaFiles, PostMedia } from './media-files.js';

/** Errors for media that no later attempt can fetch either, by {@link keyOfMedium}. */
export type RefusedMedia = ReadonlyMap<string, PublishError>;

/** The media that a publication needs, once the wait for them is over. */
export type PreparedMedia =
  /** The media are on disk in the network's format, except for refused files. */
  | { readonly kind: 'ready'; readonly key: string; readonly refused: RefusedMedia }
  /**
   * The media could not be fetched; this publication records the failure. `isFinal`: no further attempt follows (D-20).
   */
  | { readonly kind: 'failed'; readonly key: string; readonly error: PublishError; readonly isFinal: boolean }
  /** The worker is stopping. */
  | { readonly kind: 'abandoned' };

/** Attempts to fetch a post's media for one network while publications are waiting for the media. */
interface Series {
  users: number;
  failures: number;
  /** `performance.now()` timestamps. */
  firstFailedAt: number | null;
  nextTryAt: number;
  current: Promise<Tried> | null;
  /** Aborts the attempt once no publication is waiting for it. */
  readonly stop: AbortController;
}

interface Tried {
  readonly refused: RefusedMedia;
  /** The failure that a later attempt may avoid; null if there was none. */
  readonly error: PublishError | null;
  readonly isFinal: boolean;
}

/**
 * Prepares post media before the publications start. A post's publications on a network share each attempt: the
 * publication that began a failed attempt records it, and the others wait for the next attempt without recording an
 * event (D-68). The last attempt ends the wait for all of them.
 */
export class SharedMedia {
  private readonly series = new Map<string, Series>();

  constructor(private readonly files: Pick<MediaFiles, 'forPost'>) {}

  /** Waits for a post's media. Never throws. @param post the post; its signal ends the wait */
  async prepare(post: PostMedia, wanted: readonly WantedMedium[]): Promise<PreparedMedia> {
    const key = keyOfWanted(wanted);
    // Targets of one post may have different media (D-61).
    const id = JSON.stringify([post.postId, key, post.media]);
    const series = this.series.get(id) ?? newSeries();
    this.series.set(id, series);
    series.users++;
    try {
      while (!post.signal.aborted) {
        const isFirst = series.current === null && performance.now() >= series.nextTryAt;
        if (isFirst) series.current = this.tryOnce({ ...post, signal: series.stop.signal }, wanted, series);
        if (series.current === null) {
          await sleepUnlessAborted(series.nextTryAt - performance.now(), post.signal);
          continue;
        }
        const tried = await unlessAborted(series.current, post.signal);
        if (tried === null) break;
        const { refused, error, isFinal } = tried;
        if (error === null) return { kind: 'ready', key, refused };
        if (isFirst || isFinal) return { kind: 'failed', key, error, isFinal };
      }
      return { kind: 'abandoned' };
    } finally {
      series.users--;
      if (series.users === 0) {
        this.series.delete(id);
        series.stop.abort();
      }
    }
  }

  /** Fetches the media once, and plans the next attempt if they could not be fetched. */
  private async tryOnce(post: PostMedia, wanted: readonly WantedMedium[], series: Series): Promise<Tried> {
    const lend = this.files.forPost(post);
    const refused = new Map<string, PublishError>();
    let error: PublishError | null = null;
    await Promise.all(
      wanted.map(async (medium) => {
        const file = await lend(medium.index, medium.limits);
        if (!('code' in file)) file.release();
        else if (file.category === 'media') refused.set(keyOfMedium(medium), file);
        else error ??= file;
      }),
    );
    series.current = null;
    // A refused file decides the outcome of the post, whatever happens to the other files.
    if (error === null || refused.size > 0) return { refused, error: null, isFinal: false };
    const at = performance.now();
    series.firstFailedAt ??= at;
    const { failures, firstFailedAt: firstStartedAt } = series;
    const retryAt = computeRetryAt(at, failures, null);
    const nextTryAt = limitRetryAt(
      { ...initialRetryCounters, failures, firstStartedAt },
      { at, retryAt, rule: 'retry' },
    );
    series.failures++;
    series.nextTryAt = nextTryAt ?? at;
    return { refused, error, isFinal: nextTryAt === null };
  }
}

const newSeries = (): Series => {
  const stop = new AbortController();
  setMaxListeners(0, stop.signal); // one listener per media file is not a leak
  return { users: 0, failures: 0, firstFailedAt: null, nextTryAt: 0, current: null, stop };
};

/** Returns the resolved value of a promise, or null if the signal aborts first. */
const unlessAborted = async <T>(promise: Promise<T>, signal: AbortSignal): Promise<T | null> => {
  if (signal.aborted) return null;
  let onAbort = (): void => undefined;
  const aborted = new Promise<null>((resolve) => {
    onAbort = () => resolve(null);
    signal.addEventListener('abort', onAbort, { once: true });
  });
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', onAbort));
};

/** Lists the media that the remaining steps of a rendering need, without duplicates. */
export const listWantedMedia = (
  publisher: Publisher,
  { steps }: Rendering,
  results: SendContext['results'],
): readonly WantedMedium[] => {
  const wanted = steps.filter(({ name }) => !(name in results)).flatMap((step) => publisher.mediaOf(step));
  return [...new Map(wanted.map((medium) => [keyOfMedium(medium), medium])).values()];
};

/** Returns the key of a media file, which includes the network's limits for it. */
export const keyOfMedium = ({ index, limits }: WantedMedium): string => `${index} ${JSON.stringify(limits)}`;

/** Returns the key of a list of media files. */
export const keyOfWanted = (wanted: readonly WantedMedium[]): string => wanted.map(keyOfMedium).join(' ');
