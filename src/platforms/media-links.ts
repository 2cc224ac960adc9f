import { shiftEntities, type TextWithEntities } from '../payload/entities.js';
import { trimText, type TrimmedText } from '../payload/trim.js';
import { BLANK_LINE } from './signature.js';

/** A text with addresses below it. */
export interface LinkedText extends TrimmedText {
  /** Addresses that find no room even without the text. */
  readonly droppedLinks: number;
  /** Whether there is a signature that finds no room. */
  readonly droppedSignature: boolean;
}

/**
 * A text, formatting and all, with its signature and the addresses of media that cannot go below it (D-22, D-28). They
 * keep their room: the text is cut shorter instead (D-23).
 *
 * @param content empty where nothing of it can be seen
 * @param limit UTF-16 units in all
 */
export const withLinks = (
  content: TextWithEntities,
  links: readonly string[],
  limit: number,
  signature?: TextWithEntities,
): LinkedText => {
  const signed = signature !== undefined && signature.text.length <= limit ? signature : { text: '', entities: [] };
  const kept = linksThatFit(links, limit - roomOf(signed.text));
  const addresses = kept.join('\n');
  const trimmed = trimText(content, limit, { reserve: roomOf(signed.text) + roomOf(addresses) });
  const before = trimmed.text === '' ? 0 : roomOf(trimmed.text);
  return {
    text: [trimmed.text, signed.text, addresses].filter((part) => part !== '').join(BLANK_LINE),
    entities: [...trimmed.entities, ...shiftEntities(signed.entities, before)],
    trimmedChars: trimmed.trimmedChars,
    droppedLinks: links.length - kept.length,
    droppedSignature: signature !== undefined && signed !== signature,
  };
};

/** UTF-16 units of something and the blank line that parts it from the rest; 0 for nothing. */
const roomOf = (part: string): number => (part === '' ? 0 : part.length + BLANK_LINE.length);

/** As many as fit by themselves, in their order; one that is too long makes room for those behind it. */
const linksThatFit = (links: readonly string[], limit: number): string[] => {
  let used = -1;
  return links.filter((link) => {
    if (used + 1 + link.length > limit) return false;
    used += 1 + link.length;
    return true;
  });
};
