import { kindOf, type TextWithEntities } from '../payload/entities.js';
import { Graphemes } from '../payload/graphemes.js';
import type { Entity } from '../payload/payload.js';
import { type Replacement, replaceRanges } from '../payload/replace-ranges.js';
import { isVisible } from '../validation/text-measure.js';
import { ELLIPSIS, type TrimmedText, trimText } from '../payload/trim.js';
import { BLANK_LINE } from './signature.js';
import { type Address, type Breaks, pathOf, stopsIn } from './escape-signs.js';

/** A post's text for a network that shows no formatting. */
export interface PlainText {
  /** At most the limit, what follows included; empty where nothing of it would be seen. */
  readonly text: string;
  /** UTF-16 units cut from the original text; what was inserted does not count (D-44). */
  readonly trimmedChars: number;
  /** Addresses that found no room: lines that did not fit even without the text, and links that the cut took from words. */
  readonly droppedLinks: number;
  /** Whether a reader misses formatting that the original has. */
  readonly losesFormatting: boolean;
  /** Whether there is a signature that found no room. */
  readonly droppedSignature: boolean;
}

/** What a network makes of a text. */
export interface PlainTextOptions {
  /** UTF-16 units in all. */
  readonly limit: number;
  /** What follows after a blank line and keeps its room: the text is cut shorter instead (D-23). */
  readonly lines?: readonly string[];
  /** What follows before the lines, after a blank line of its own, and keeps its room as well (D-28). */
  readonly signature?: TextWithEntities | undefined;
  /** Where a network would read more into a text than its author did. */
  readonly breaks?: Breaks;
}

/**
 * Text without formatting (networks.md §2): a `text_link` becomes `text (url)`, everything else its own words. The
 * conversion comes first and the trimming after it, so that the limit holds for what will be seen; a link's address is
 * kept whole or left out.
 */
export const plainText = (content: TextWithEntities, options: PlainTextOptions): PlainText => {
  const { limit, lines = [], breaks = () => [], signature } = options;
  const signed = signature ? convert(signature, breaks).text : '';
  const fits = signed.length <= limit;
  const below = lines.map((line) => replaced(line, stopsIn(line, [], breaks)));
  const kept = linesThatFit(below, fits && signed !== '' ? limit - signed.length - BLANK_LINE.length : limit);
  const tail = [fits ? signed : '', kept.join('\n')].filter((part) => part !== '').join(BLANK_LINE);

  const { links, linked, addresses, stops, text: converted } = convert(content, breaks);
  const reserve = tail === '' ? 0 : tail.length + BLANK_LINE.length;
  const whole = { text: converted, entities: [] };
  const endIn = ({ trimmedChars }: TrimmedText): number =>
    trimmedChars > 0 ? undo(stops, converted.length - trimmedChars) : linked.length;
  const first = trimText(whole, limit, { reserve });
  const cut = endIn(first);
  const cutLink = addresses.find(({ start, end }) => start < cut && cut < end);
  // Cut anew where the address would begin, so that what is before it ends as any text that is cut.
  const trimmed = cutLink ? trimText(whole, redo(stops, cutLink.start) + ELLIPSIS.length) : first;
  const end = endIn(trimmed);
  const keptUnits = undo(links, end);
  const hasLostAddress = (at: number): boolean => content.text.slice(keptUnits, at).trim() === '';
  const unlinked = addresses.filter((address, i) => address.end > end && hasLostAddress(links[i]!.end)).length;
  const seen = isVisible(trimmed.text) ? trimmed.text : '';
  return {
    text: seen === '' || tail === '' ? seen + tail : seen + BLANK_LINE + tail,
    trimmedChars: content.text.length - keptUnits,
    droppedLinks: lines.length - kept.length + unlinked,
    losesFormatting: [content, signature].some((part) => part?.entities.some(losesIts)),
    droppedSignature: !fits,
  };
};

/** Whether a reader of plain text misses something of an entity. */
const losesIts = ({ type }: Entity): boolean => kindOf(type) !== 'label' || type === 'custom_emoji';

/** A text on its way to being plain; each step's places are those of the text before it. */
interface Converted {
  readonly links: readonly Replacement[];
  readonly linked: string;
  /** Where the links' addresses stand in `linked`. */
  readonly addresses: readonly Address[];
  readonly stops: readonly Replacement[];
  readonly text: string;
}

const convert = (content: TextWithEntities, breaks: Breaks): Converted => {
  const links = linksOf(content);
  const linked = replaced(content.text, links);
  const addresses = placed(links);
  const stops = stopsIn(linked, addresses, breaks);
  return { links, linked, addresses, stops, text: replaced(linked, stops) };
};

/**
 * The addresses behind links, each to stand right behind its words, and not within what readers see as one character;
 * none where the words are the address.
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

/** Where links stand in the text that has them. */
const placed = (links: readonly Replacement[]): Address[] => {
  let shift = 0;
  return links.map(({ start: at, text }) => {
    const start = at + shift;
    shift += text.length;
    return { start, path: start + pathOf(text), end: start + text.length };
  });
};

const replaced = (text: string, replacements: readonly Replacement[]): string =>
  replaceRanges({ text, entities: [] }, replacements).text;

/** The place in the original of a place in the text that was made of it; one inside of what came in counts as its start. */
const undo = (replacements: readonly Replacement[], position: number): number => {
  let shift = 0;
  for (const { start, end, text } of replacements) {
    if (position <= start + shift) break;
    if (position < start + shift + text.length) return start;
    shift += text.length - (end - start);
  }
  return position - shift;
};

/** The place of what begins at a place of the original in the text that was made of it. */
const redo = (replacements: readonly Replacement[], position: number): number => {
  let shift = 0;
  for (const { start, end, text } of replacements) {
    if (start >= position) break;
    shift += text.length - (end - start);
  }
  return position + shift;
};

/** As many lines as fit by themselves, in their order; one that is too long makes room for those behind it. */
const linesThatFit = (lines: readonly string[], limit: number): string[] => {
  let used = -1;
  return lines.filter((line) => {
    if (used + 1 + line.length > limit) return false;
    used += 1 + line.length;
    return true;
  });
};
