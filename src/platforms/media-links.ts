import { shiftEntities, type TextWithEntities } from '../payload/entities.js';
import { type TrimmedText, trimText } from '../payload/trim.js';
import { BLANK_LINE, fitLines } from './fit-lines.js';

/** Text with links below it. */
export interface LinkedText extends TrimmedText {
  /** Number of links that do not fit even without the text. */
  readonly droppedLinks: number;
  readonly droppedSignature: boolean;
}

/**
 * Returns formatted text followed by its signature and the links of media that cannot be sent (D-22, D-28). Signature
 * and links are never cut: the text is trimmed instead (D-23).
 *
 * @param content the text; empty if no part of it is visible
 * @param limit maximum UTF-16 units of the whole result
 */
export const appendLinks = (
  content: TextWithEntities,
  links: readonly string[],
  limit: number,
  signature?: TextWithEntities,
): LinkedText => {
  const signed = signature !== undefined && signature.text.length <= limit ? signature : { text: '', entities: [] };
  const kept = fitLines(links, limit - unitsWithSeparator(signed.text));
  const addresses = kept.join('\n');
  const trimmed = trimText(content, limit, {
    reserve: unitsWithSeparator(signed.text) + unitsWithSeparator(addresses),
  });
  const before = trimmed.text === '' ? 0 : unitsWithSeparator(trimmed.text);
  return {
    text: [trimmed.text, signed.text, addresses].filter((part) => part !== '').join(BLANK_LINE),
    entities: [...trimmed.entities, ...shiftEntities(signed.entities, before)],
    trimmedChars: trimmed.trimmedChars,
    droppedLinks: links.length - kept.length,
    droppedSignature: signature !== undefined && signed !== signature,
  };
};

/** Returns the length of a part and its separating blank line, in UTF-16 units; 0 for an empty part. */
const unitsWithSeparator = (part: string): number => (part === '' ? 0 : part.length + BLANK_LINE.length);
