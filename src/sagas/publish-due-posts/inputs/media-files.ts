import type { Log } from '../../../kernel/log.js';
import { asSentence } from '../../../kernel/message.js';
import { fileNameOf } from '../../../media/file-name.js';
import type { MediaCache } from '../../../media/media-cache.js';
import { maxBytesOf } from '../../../media/media-rules.js';
import { isWithinPhotoLimits } from '../../../media/photo-limits.js';
import { FetchError } from '../../../outbound-http/fetch-error.js';
import type { Media } from '../../../payload/payload.js';
import {
  type MediaFile,
  type MediaLimits,
  type PublishError,
  type SendContext,
  videoFactsOf,
} from '../../../platforms/publisher.js';
import { MEDIUM_MESSAGES } from '../messages.js';

/** Media of a post that is being published. */
export interface PostMedia {
  readonly postId: string;
  readonly ownerId: string;
  readonly media: readonly Media[];
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
      const path = `media[${index}].url`;
      const medium = post.media[index];
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
    { type, url }: Media,
    path: string,
    wanted: MediaLimits,
    { postId, ownerId, signal }: PostMedia,
  ): Promise<MediaFile | PublishError> {
    // A photo can be scaled down. Any other file is downloaded only up to the size that may be sent.
    const maxBytes = type === 'photo' ? maxBytesOf(type) : Math.min(maxBytesOf(type), wanted.maxBytes);
    const original = await this.cache.fetchToDisk(url, { postId, ownerId, maxBytes, signal });
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
        isLent = true;
        const { path: file, sizeBytes, release } = original;
        const video = type === 'video' ? videoFactsOf(original) : undefined;
        return { path: file, sizeBytes, mime, filename: fileNameOf(url, mime), video, isFitted: false, release };
      }
      if (type !== 'photo') {
        const message = MEDIUM_MESSAGES.formatNotAccepted({ mime: mime ?? MEDIUM_MESSAGES.unknownFormat });
        return mediaError('media_unsuitable', 'media', `${path} ${message}`);
      }
      const photo = await this.cache.fitPhoto(original, wanted, ownerId, signal);
      if (!photo) return mediaError('media_unsuitable', 'media', `${path} ${MEDIUM_MESSAGES.photoNotConvertible}`);
      return { ...photo, filename: fileNameOf(url, photo.mime), isFitted: true };
    } finally {
      if (!isLent) original.release();
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
const hostOf = (medium: Media | undefined): string => {
  if (!medium || !URL.canParse(medium.url)) return '';
  return ` (${new URL(medium.url).host})`;
};

const mediaError = (code: string, category: PublishError['category'], message: string): PublishError => ({
  code,
  category,
  source: 'gateway',
  message: asSentence(message),
});
