import type { Signature } from '../domain/project/processing.js';
import { shiftEntities, type TextWithEntities } from '../payload/entities.js';
import type { PlatformPost } from '../platforms/publisher.js';
import { isVisible } from '../validation/text-measure.js';
import { editText } from './edit-text.js';

/**
 * Adds a project's signature to a post on the signature's networks (D-28), unless the post has neither text nor media.
 * Removes white space at the end of the text, which would widen the gap above the signature.
 */
export const addSignature = (
  post: PlatformPost,
  { text, entities = [], platforms }: Signature,
  platform: string,
): PlatformPost => {
  if (platforms && !platforms.includes(platform)) return post;
  if (!isVisible(post.text) && post.media.length === 0) return post;
  return { ...post, ...trimTrailingSpace(post), signature: { text, entities } };
};

/** Returns a post's text followed by its signature, without trimming (D-28). */
export const joinSignature = ({ text, entities, signature }: PlatformPost): TextWithEntities => {
  if (!signature) return { text, entities };
  const above = text === '' ? '' : `${text}\n\n`;
  return { text: above + signature.text, entities: [...entities, ...shiftEntities(signature.entities, above.length)] };
};

const trimTrailingSpace = ({ text, entities }: TextWithEntities): TextWithEntities => {
  const { length } = text.trimEnd();
  return length < text.length
    ? editText({ text, entities }, [{ start: length, end: text.length, text: '' }])
    : { text, entities };
};
