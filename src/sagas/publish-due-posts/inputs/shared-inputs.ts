import { setMaxListeners } from 'node:events';
import { initialRetryCounters, limitRetryAt } from '../../../domain/publication/retry-limits.js';
import type { Log } from '../../../kernel/log.js';
import { asSentence } from '../../../kernel/message.js';
import { fileNameOf } from '../../../media/download.js';
import type { MediaCache } from '../../../media/media-cache.js';
import { maxBytesOf } from '../../../media/media-rules.js';
import { isWithinPhotoLimits } from '../../../media/photo-limits.js';
import { FetchError } from '../../../outbound-http/answer-receiver.js';
import type { PostMedium } from '../../../payload/payload.js';
import { fieldOf, toLocated } from '../../../payload/uploads.js';
import {
  gatewayError,
  type MediaFile,
  type MediaLimits,
  type Publisher,
  type PublishError,
  type Rendering,
  type SendContext,
  videoFactsOf,
  type WantedMedium,
} from '../../../platforms/publisher.js';
import type { PostPayloads, PostWithPayload } from '../../../projections/posts/post-payloads.js';
import type { ScheduledPublication } from '../../../projections/publish-schedule/publish-schedule.tables.js';
import { sleepUnlessAborted } from '../../../runtime/sleep.js';
import { computeRetryAt } from '../attempt/attempt-state.js';
import { MEDIUM_MESSAGES } from '../messages.js';

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

/** One publication's access to its shared post. */
export interface PostUse {
  /** Reads the post, unless another publication has read it already. @throws Unavailable @throws UnreadablePost */
  readonly read: () => Promise<PostWithPayload>;
  readonly end: () => void;
}

interface Shared {
  users: number;
  reading: Promise<PostWithPayload> | null;
}

type ContentOfPost = Pick<ScheduledPublication, 'post_stream' | 'post_revision'>;

/** Reads each post once for all of its running publications, because every read returns all targets of the post. */
export class SharedPosts {
  private readonly posts = new Map<string, Shared>();

  constructor(private readonly payloads: Pick<PostPayloads, 'readPost'>) {}

  /** Keeps a post's content in memory until its last use ends. */
  use({ post_stream: stream, post_revision: revision }: ContentOfPost): PostUse {
    const id = `${stream}@${revision}`;
    const shared = this.posts.get(id) ?? { users: 0, reading: null };
    this.posts.set(id, shared);
    shared.users++;
    return {
      read: () => {
        if (shared.reading) return shared.reading;
        shared.reading = this.payloads.readPost(stream, revision);
        shared.reading.catch(() => (shared.reading = null)); // the next publication tries again
        return shared.reading;
      },
      end: () => {
        shared.users--;
        if (shared.users === 0) this.posts.delete(id);
      },
    };
  }
}

/** Media of a post that is being published. */
export interface PostMedia {
  readonly postId: string;
  readonly ownerId: string;
  readonly media: readonly PostMedium[];
  /** Aborts the downloads. */
  readonly signal: AbortSignal;
}

/**
 * Provides publishers with media files. Each file is downloaded once per post and gets the same checks as at acceptance
 * (D-24); photos are resized or converted to fit the network's limits (D-22).
 */
export class MediaFiles {
  constructor(
    private readonly cache: MediaCache,
    private readonly log: Log,
  ) {}

  /** Returns the function for {@link SendContext.media}; it never throws. */
  forPost(post: PostMedia): SendContext['media'] {
    return async (index, wanted) => {
      const medium = post.media[index];
      const path = fieldOf(medium ? toLocated(medium) : {}, index);
      try {
        if (!medium) throw new Error(`the post has no medium ${index}`);
        return await this.file(medium, path, wanted, post);
      } catch (error) {
        if (error instanceof FetchError) return fetchError(`${path}${hostOf(medium)}`, error);
        this.log.error({ post: post.postId, err: error }, 'failed to prepare a medium for publication');
        return mediaError('media_not_ready', 'internal', `${path} ${MEDIUM_MESSAGES.notReady}`);
      }
    };
  }

  private async file(
    medium: PostMedium,
    path: string,
    wanted: MediaLimits,
    post: PostMedia,
  ): Promise<MediaFile | PublishError> {
    const { postId, ownerId, signal } = post;
    const { type, id, url, filename } = toLocated(medium);
    const nameAs = (kind: string): string =>
      fileNameOf(id === undefined ? url : `upload:/${encodeURIComponent(filename ?? '')}`, kind);
    // A photo can be scaled down. Any other file is downloaded only up to the size that may be sent.
    const maxBytes = type === 'photo' ? maxBytesOf(type) : Math.min(maxBytesOf(type), wanted.maxBytes);
    const options = { ownerId, maxBytes, signal };
    const original =
      id === undefined
        ? await this.cache.fetchToDisk(url, { postId, ...options })
        : await this.cache.copyToDisk(id, options);
    let isLent = false;
    try {
      const problem = original.findProblemAs(type);
      if (problem) {
        original.discard();
        return mediaError(problem.code, 'media', `${path} ${problem.predicate}`);
      }
      const { mime } = original;
      const fits = type === 'photo' ? isWithinPhotoLimits(original, wanted) : original.sizeBytes <= wanted.maxBytes;
      if (fits && mime !== null && wanted.formats.includes(mime)) {
        const { path: file, sizeBytes } = original;
        const video = type === 'video' ? videoFactsOf(original) : undefined;
        const wantsCover = wanted.cover && type === 'video' && sizeBytes > wanted.cover.aboveBytes;
        const cover = wantsCover ? await this.cover(original, wanted.cover, post) : undefined;
        const release = (): void => {
          original.release();
          cover?.release();
        };
        isLent = true;
        return { path: file, sizeBytes, mime, filename: nameAs(mime), video, cover, isFitted: false, release };
      }
      if (type !== 'photo') {
        const message = MEDIUM_MESSAGES.formatNotAccepted({ mime: mime ?? MEDIUM_MESSAGES.unknownFormat });
        return mediaError('media_unsuitable', 'media', `${path} ${message}`);
      }
      const photo = await this.cache.fitPhoto(original, wanted, ownerId, signal);
      if (!photo) return mediaError('media_unsuitable', 'media', `${path} ${MEDIUM_MESSAGES.photoNotConvertible}`);
      return { ...photo, filename: nameAs(photo.mime), isFitted: true };
    } finally {
      if (!isLent) original.release();
    }
  }

  /** Without a cover, a video is sent without one: it never stops a post. */
  private async cover(
    video: Awaited<ReturnType<MediaCache['fetchToDisk']>>,
    limits: NonNullable<MediaLimits['cover']>,
    { postId, ownerId, signal }: PostMedia,
  ) {
    try {
      const photo = video.mime === 'video/mp4' ? await this.cache.fitCover(video, limits, ownerId, signal) : null;
      return photo ? { ...photo, filename: fileNameOf('', photo.mime) } : undefined;
    } catch (error) {
      this.log.warn({ post: postId, reason: String(error) }, 'the cover of a video could not be prepared');
      return undefined;
    }
  }
}

/**
 * Classifies a failed download (D-35): `media` if a retry would fail the same way, otherwise a category that is
 * retried. A file that is too large to download gets the error code that turns it into a link (D-22).
 */
const fetchError = (what: string, { code, isPermanent: permanent, message }: FetchError): PublishError => {
  const name = code === 'private_address' ? code : `media_${code}`;
  const category = permanent ? 'media' : code === 'storage' ? 'internal' : 'network';
  return mediaError(name, category, `${what} ${message}`);
};

/** Returns the host of a media URL in parentheses; the rest of the URL may be secret. */
const hostOf = (medium: PostMedium | undefined): string => {
  if (!medium) return '';
  const { id, url } = toLocated(medium);
  return id === undefined && URL.canParse(url) ? ` (${new URL(url).host})` : '';
};

const mediaError = (code: string, category: PublishError['category'], message: string): PublishError =>
  gatewayError(code, category, asSentence(message));
