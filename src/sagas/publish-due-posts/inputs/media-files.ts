import type { Log } from '../../../kernel/log.js';
import { photoFits } from '../../../media/fits.js';
import type { MediaCache } from '../../../media/media-cache.js';
import { MediaFetchError } from '../../../outbound-http/fetch-error.js';
import { maxBytesOf } from '../../../media/media-rules.js';
import type { Media } from '../../../payload/payload.js';
import type { MediaFile, PublishError, SendContext, WantedMedia } from '../../../platforms/publisher.js';
import { fileNameOf } from '../../../media/file-name.js';

/** A post's media, as they are being published. */
export interface PostMedia {
  readonly postId: string;
  readonly media: readonly Media[];
  /** Breaks downloads off. */
  readonly signal: AbortSignal;
}

/**
 * Media as files, for publishers: each is fetched once per post, checked again as it was at acceptance (D-24), and made to
 * fit what a network takes (D-22).
 */
export class MediaFiles {
  constructor(
    private readonly cache: MediaCache,
    private readonly log: Log,
  ) {}

  /** See {@link SendContext.media}; never throws. */
  of(post: PostMedia): SendContext['media'] {
    return async (index, wanted) => {
      const path = `media[${index}].url`;
      const medium = post.media[index];
      try {
        if (!medium) throw new Error(`the post has no medium ${index}`);
        return await this.file(medium, path, wanted, post);
      } catch (error) {
        if (error instanceof MediaFetchError) return fetchError(path, error);
        this.log.error({ post: post.postId, error: String(error) }, 'a medium could not be made ready');
        return told('media_not_ready', 'internal', `${path} could not be made ready to be sent.`);
      }
    };
  }

  private async file(
    { type, url }: Media,
    path: string,
    wanted: WantedMedia,
    { postId, signal }: PostMedia,
  ): Promise<MediaFile | PublishError> {
    // A photo can be made smaller; of anything else no more is fetched than may be sent.
    const maxBytes = type === 'photo' ? maxBytesOf(type) : Math.min(maxBytesOf(type), wanted.maxBytes);
    const original = await this.cache.fetchToDisk(url, { owner: postId, maxBytes, signal });
    let isLent = false;
    try {
      const complaint = original.complaintAs(type);
      if (complaint) {
        original.discard();
        return told(complaint.code, 'media', `${path} ${complaint.what}`);
      }
      const { mime } = original;
      const fits = type === 'photo' ? photoFits(original, wanted) : original.sizeBytes <= wanted.maxBytes;
      if (fits && mime !== null && wanted.formats.includes(mime)) {
        isLent = true;
        const { path: file, sizeBytes, release } = original;
        return { path: file, sizeBytes, mime, filename: fileNameOf(url, mime), isFitted: false, release };
      }
      if (type !== 'photo')
        return told('media_unsuitable', 'media', `${path} is ${mime ?? 'of no known type'}, which cannot go.`);
      const photo = await this.cache.fitPhoto(original, wanted, signal);
      if (!photo) return told('media_unsuitable', 'media', `${path} cannot be made into a photo that can go.`);
      return { ...photo, filename: fileNameOf(url, photo.mime), isFitted: true };
    } finally {
      if (!isLent) original.release();
    }
  }
}

/**
 * What a failed download means (D-35): for good where it would end the same way again, `media`; else worth another try.
 * A file too large to be fetched is there and sound all the same: its code is the one that makes it a link (D-22).
 */
const fetchError = (path: string, { code, permanent, message }: MediaFetchError): PublishError => {
  const name = code === 'private_address' ? code : `media_${code}`;
  const category = permanent ? 'media' : code === 'storage' ? 'internal' : 'network';
  return told(name, category, `${path} ${message}`);
};

const told = (code: string, category: PublishError['category'], message: string): PublishError => ({
  code,
  category,
  source: 'gateway',
  message,
});
