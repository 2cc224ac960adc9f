import type { FastifyRequest } from 'fastify';
import { readHeaderText } from './default-headers.js';

/** A revision's strong entity tag, as in the `ETag` response header. */
const TAG = /^"(\d{1,9})"$/;

/**
 * Returns the revisions listed in `If-Match`, separated by commas and written like an `ETag`: `"3"`. Null if the header
 * is missing or is `*`. Any other value, such as a weak tag, matches no revision.
 */
export const readIfMatch = (request: FastifyRequest): readonly number[] | null => {
  const sent = readHeaderText(request, 'if-match')?.trim();
  if (sent === undefined || sent === '*') return null;
  return sent.split(',').flatMap((tag) => {
    const [, revision] = TAG.exec(tag.trim()) ?? [];
    return revision === undefined ? [] : [Number(revision)];
  });
};
