import type { Signature } from '../domain/project/processing.js';
import type { TextWithEntities } from '../payload/entities.js';
import { isVisible } from '../validation/text-measure.js';
import type { PlatformPost } from '../platforms/publisher.js';
import { edit } from './edit.js';

/**
 * A post with what stands below it on a network (D-28). Below nothing there is no signature: a post needs text or media
 * to have one. White space at the text's end would add to the blank line, and goes.
 */
export const withSignature = (
  post: PlatformPost,
  { text: words, entities = [], platforms }: Signature,
  platform: string,
): PlatformPost => {
  if (platforms && !(platforms as readonly string[]).includes(platform)) return post;
  if (!isVisible(post.text) && post.media.length === 0) return post;
  return { ...post, ...withoutTrailingSpace(post), signature: { text: words, entities } };
};

const withoutTrailingSpace = ({ text, entities }: TextWithEntities): TextWithEntities => {
  const { length } = text.trimEnd();
  return length < text.length
    ? edit({ text, entities }, [{ start: length, end: text.length, text: '' }])
    : { text, entities };
};
