import type { TextWithEntities } from '../payload/entities.js';
import { trimText, type TrimmedText } from '../payload/trim.js';

const BEFORE_LINKS = '\n\n';

/** A text with addresses below it. */
export interface LinkedText extends TrimmedText {
  /** Addresses that find no room even without the text. */
  readonly droppedLinks: number;
}

/**
 * A text, formatting and all, with the addresses of media that cannot go below it (D-22). The addresses keep their room:
 * the text is cut shorter instead (D-23).
 *
 * @param content empty where nothing of it can be seen
 * @param limit UTF-16 units in all
 */
export const withLinks = (content: TextWithEntities, links: readonly string[], limit: number): LinkedText => {
  const kept = linksThatFit(links, limit);
  const tail = kept.join('\n');
  const droppedLinks = links.length - kept.length;
  const reserve = tail ? BEFORE_LINKS.length + tail.length : 0;
  const trimmed = trimText(content, limit, { reserve });
  const text = trimmed.text && tail ? trimmed.text + BEFORE_LINKS + tail : trimmed.text || tail;
  return { ...trimmed, text, droppedLinks };
};

/** As many as fit by themselves, in their order; one that is too long makes room for those behind it. */
const linksThatFit = (links: readonly string[], limit: number): string[] => {
  let used = -1;
  return links.filter((link) => {
    if (used + 1 + link.length > limit) return false;
    used += 1 + link.length;
    return true;
  });
};
