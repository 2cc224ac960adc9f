import { entityKindOf, type TextWithEntities } from '../payload/entities.js';
import { Graphemes } from '../payload/graphemes.js';
import type { Entity } from '../payload/payload.js';
import { type Replacement, replaceRanges } from '../payload/replace-ranges.js';
import { ELLIPSIS, type TrimmedText, trimText } from '../payload/trim.js';
import { isVisible } from '../validation/text-measure.js';
import { type Address, type FindBreaks, findEscapes, unitsBeforePath } from './escape-signs.js';
import { BLANK_LINE, fitLines } from './fit-lines.js';

/** A post's text for a network that does not support formatting. */
export interface PlainText {
  /** Within the limit, including signature and lines; empty if nothing would be visible. */
  readonly text: string;
  /** UTF-16 units cut from the original text; inserted text does not count (D-44). */
  readonly trimmedChars: number;
  /**
   * Number of links lost: lines that do not fit even without the text, and links in the text whose address does not
   * fit.
   */
  readonly droppedLinks: number;
  /** True if the original has formatting that plain text does not show. */
  readonly losesFormatting: boolean;
  readonly droppedSignature: boolean;
}

/** A network's rules for plain text, and the parts that follow the post's text. */
interface PlainTextOptions {
  /** Maximum length of the whole text, in UTF-16 units. */
  readonly limit: number;
  /** Lines below the text, after a blank line. They are never cut: the text is trimmed instead (D-23). */
  readonly lines?: readonly string[];
  /** Text between the post's text and the lines, after another blank line. It is never cut either (D-28). */
  readonly signature?: TextWithEntities | undefined;
  /** Finds offsets where the network would see markup that the author did not intend. */
  readonly breaks?: FindBreaks;
}

/**
 * Converts formatted text to plain text (networks.md §2): a `text_link` becomes `text (url)`; other entities are
 * reduced to their text. The text is trimmed after the conversion, so that the limit applies to the visible text. A
 * link's address is kept whole or omitted.
 */
export const plainText = (content: TextWithEntities, options: PlainTextOptions): PlainText => {
  const { limit, lines = [], breaks = () => [], signature } = options;
  const signed = signature ? convert(signature, breaks).text : '';
  const fits = signed.length <= limit;
  const below = lines.map((line) => replaceIn(line, findEscapes(line, [], breaks)));
  const kept = fitLines(below, fits && signed !== '' ? limit - signed.length - BLANK_LINE.length : limit);
  const tail = [fits ? signed : '', kept.join('\n')].filter((part) => part !== '').join(BLANK_LINE);

  const { links, linked, addresses, escapes, text: converted } = convert(content, breaks);
  const reserve = tail === '' ? 0 : tail.length + BLANK_LINE.length;
  const whole = { text: converted, entities: [] };
  const endIn = ({ trimmedChars }: TrimmedText): number =>
    trimmedChars > 0 ? toOriginalOffset(escapes, converted.length - trimmedChars) : linked.length;
  const first = trimText(whole, limit, { reserve });
  const cut = endIn(first);
  const cutLink = addresses.find(({ start, end }) => start < cut && cut < end);
  // Trim again before the address, so that the text ends like any other trimmed text.
  const trimmed = cutLink ? trimText(whole, toConvertedOffset(escapes, cutLink.start) + ELLIPSIS.length) : first;
  const end = endIn(trimmed);
  const keptUnits = toOriginalOffset(links, end);
  const hasLostAddress = (at: number): boolean => content.text.slice(keptUnits, at).trim() === '';
  const unlinked = addresses.filter((address, i) => address.end > end && hasLostAddress(links[i]!.end)).length;
  const seen = isVisible(trimmed.text) ? trimmed.text : '';
  return {
    text: seen === '' || tail === '' ? seen + tail : seen + BLANK_LINE + tail,
    trimmedChars: content.text.length - keptUnits,
    droppedLinks: lines.length - kept.length + unlinked,
    losesFormatting: [content, signature].some((part) => part?.entities.some(losesFormatting)),
    droppedSignature: !fits,
  };
};

/** True if plain text cannot show everything that an entity adds. */
const losesFormatting = ({ type }: Entity): boolean => entityKindOf(type) !== 'label' || type === 'custom_emoji';

/** Intermediate results of the conversion to plain text. Each step's offsets refer to the text before that step. */
interface Converted {
  readonly links: readonly Replacement[];
  readonly linked: string;
  /** Ranges of the link addresses in `linked`. */
  readonly addresses: readonly Address[];
  readonly escapes: readonly Replacement[];
  readonly text: string;
}

const convert = (content: TextWithEntities, breaks: FindBreaks): Converted => {
  const links = linksOf(content);
  const linked = replaceIn(content.text, links);
  const addresses = locateLinks(links);
  const escapes = findEscapes(linked, addresses, breaks);
  return { links, linked, addresses, escapes, text: replaceIn(linked, escapes) };
};

/**
 * Returns the insertions that add the link addresses. Each goes directly after its link text, and never inside a
 * grapheme. A link whose text is its address needs no insertion.
 */
const linksOf = ({ text, entities }: TextWithEntities): Replacement[] => {
  const graphemes = new Graphemes(text);
  return entities
    .flatMap(({ type, offset, length, url }) => {
      const end = offset + length;
      if (type !== 'text_link' || url === undefined || url === text.slice(offset, end)) return [];
      const at = graphemes.endOf(end);
      return [{ start: at, end: at, text: ` (${url})` }];
    })
    .sort((a, b) => a.start - b.start);
};

/** Returns where the inserted addresses are in the resulting text. */
const locateLinks = (links: readonly Replacement[]): Address[] => {
  let shift = 0;
  return links.map(({ start: at, text }) => {
    const start = at + shift;
    shift += text.length;
    return { start, path: start + unitsBeforePath(text), end: start + text.length };
  });
};

const replaceIn = (text: string, replacements: readonly Replacement[]): string =>
  replaceRanges({ text, entities: [] }, replacements).text;

/** Maps an offset in the converted text to the original. An offset inside inserted text maps to its start. */
const toOriginalOffset = (replacements: readonly Replacement[], position: number): number => {
  let shift = 0;
  for (const { start, end, text } of replacements) {
    if (position <= start + shift) break;
    if (position < start + shift + text.length) return start;
    shift += text.length - (end - start);
  }
  return position - shift;
};

/** Maps an offset in the original text to the converted text. */
const toConvertedOffset = (replacements: readonly Replacement[], position: number): number => {
  let shift = 0;
  for (const { start, end, text } of replacements) {
    if (start >= position) break;
    shift += text.length - (end - start);
  }
  return position + shift;
};
