import type { Api } from '../../api/management.js';

/** Maximum length of a title, in UTF-16 units. */
const MAX_TITLE = 160;

/** Returns the first non-blank line of a post's text, shortened. Falls back to the number of media, then to the id. */
export const payloadTitle = (
  { id, payload }: Pick<Api<'PostWithPayload'>, 'id' | 'payload'>,
  mediaOnly: (count: number) => string,
): string => {
  const line = payload?.text
    ?.split('\n')
    .map((each) => each.trim())
    .find((each) => each !== '');
  if (line === undefined) return payload?.media?.length ? mediaOnly(payload.media.length) : id;
  if (line.length <= MAX_TITLE) return line;
  // Cuts between whole characters; half a character would show up as a box.
  let title = '';
  for (const { segment } of new Intl.Segmenter().segment(line)) {
    if (title.length + segment.length > MAX_TITLE) break;
    title += segment;
  }
  return `${title.trimEnd()}…`;
};
