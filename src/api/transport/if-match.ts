import type { FastifyRequest } from 'fastify';
import { readHeaderText } from './header-text.js';

/** A revision's strong tag, as in the `ETag` of answers. */
const TAG = /^"(\d{1,9})"$/;

/**
 * Returns the revisions that `If-Match` lists, separated by commas, each in the form of an `ETag`: `"3"`. Null if there
 * is no such header, or if it is `*`. Any other text, such as a weak tag, matches no revision.
 */
export const readIfMatch = (request: FastifyRequest): readonly number[] | null => {
  const sent = readHeaderText(request, 'if-match')?.trim();
  if (sent === undefined || sent === '*') return null;
  return sent.split(',').flatMap((tag) => {
    const [, revision] = TAG.exec(tag.trim()) ?? [];
    return revision === undefined ? [] : [Number(revision)];
  });
};
