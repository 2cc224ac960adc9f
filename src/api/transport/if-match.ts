import type { FastifyRequest } from 'fastify';
import { readHeaderText } from './header-text.js';

/** A strong tag of a revision, as answers have it. */
const TAG = /^"(\d{1,9})"$/;

/**
 * Returns the revisions that `If-Match` names, as the `ETag` of answers did: `"3"`, or several with commas between them. Null if
 * there is no such header, or if it is `*`. Any other text, such as a weak tag, names no revision.
 */
export const readIfMatch = (request: FastifyRequest): readonly number[] | null => {
  const sent = readHeaderText(request, 'if-match')?.trim();
  if (sent === undefined || sent === '*') return null;
  return sent.split(',').flatMap((tag) => {
    const [, revision] = TAG.exec(tag.trim()) ?? [];
    return revision === undefined ? [] : [Number(revision)];
  });
};
