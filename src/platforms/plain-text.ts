import { kindOf, type TextWithEntities } from '../payload/entities.js';
import type { Entity } from '../payload/payload.js';
import { replaceRanges } from '../payload/replace-ranges.js';
import { isVisible } from '../payload/text-measure.js';
import { trimText } from '../payload/trim.js';
import { BLANK_LINE } from './signature.js';

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
  /** Before which units of a text a network needs something harmless inserted; ascending. */
  readonly breaks?: (text: string) => readonly number[];
}

/** What {@link PlainTextOptions.breaks} inserts: nothing that a reader sees. */
export const ZERO_WIDTH_SPACE = '\u200b';

/** Text put between the units of another: before unit `at`. */
interface Insertion {
  readonly at: number;
  readonly text: string;
}

/**
 * Text without formatting (platforms.md §2): a `text_link` becomes `text (url)`, everything else its own words. The
 * conversion comes first and the trimming after it, so that the limit holds for what will be seen; a link's address is
 * kept whole or left out.
 */
export const plainText = (content: TextWithEntities, options: PlainTextOptions): PlainText => {
  const { limit, lines = [], breaks, signature } = options;
  const stopsIn = (text: string) => (breaks?.(text) ?? []).map((at): Insertion => ({ at, text: ZERO_WIDTH_SPACE }));
  const signed = signature ? withStops(insert(signature.text, linksOf(signature)), stopsIn) : '';
  const fits = signed.length <= limit;
  const kept = linesThatFit(lines, fits && signed !== '' ? limit - signed.length - BLANK_LINE.length : limit);
  const tail = [fits ? signed : '', kept.join('\n')].filter((part) => part !== '').join(BLANK_LINE);

  const links = linksOf(content);
  const linked = insert(content.text, links);
  const stops = stopsIn(linked);
  const converted = insert(linked, stops);

  const reserve = tail === '' ? 0 : tail.length + BLANK_LINE.length;
  const trimmed = trimText({ text: converted, entities: [] }, limit, { reserve });
  const cut = trimmed.trimmedChars > 0 ? undo(stops, converted.length - trimmed.trimmedChars) : linked.length;
  const addresses = placed(links);
  const cutLink = addresses.find(({ at, end }) => at < cut && cut < end);
  const end = cutLink?.at ?? cut;
  const keptUnits = undo(links, end);
  const unlinked = addresses.filter((address, i) => address.end > end && links[i]!.at <= keptUnits).length;
  const text = cutLink ? `${insert(linked.slice(0, end), upTo(stops, end))}…` : trimmed.text;
  const seen = isVisible(text) ? text : '';
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

const withStops = (text: string, stopsIn: (text: string) => readonly Insertion[]): string =>
  insert(text, stopsIn(text));

/** The addresses behind links, each to stand right behind its words; none where the words are the address. */
const linksOf = ({ text, entities }: TextWithEntities): Insertion[] =>
  entities
    .flatMap(({ type, offset, length, url }) => {
      const end = offset + length;
      const hasOwnAddress = type === 'text_link' && url !== undefined && url !== text.slice(offset, end);
      return hasOwnAddress ? [{ at: end, text: ` (${url})` }] : [];
    })
    .sort((a, b) => a.at - b.at);

const insert = (text: string, insertions: readonly Insertion[]): string =>
  replaceRanges(
    { text, entities: [] },
    insertions.map(({ at, text: inserted }) => ({ start: at, end: at, text: inserted })),
  ).text;

const upTo = (insertions: readonly Insertion[], end: number): readonly Insertion[] =>
  insertions.filter(({ at }) => at < end);

/** Where insertions stand in the text that has them. */
const placed = (insertions: readonly Insertion[]): { readonly at: number; readonly end: number }[] => {
  let shift = 0;
  return insertions.map(({ at, text }) => {
    const start = at + shift;
    shift += text.length;
    return { at: start, end: start + text.length };
  });
};

/** The place in the original of a place in the text with insertions; one inside an insertion counts as its start. */
const undo = (insertions: readonly Insertion[], position: number): number => {
  let shift = 0;
  for (const { at, text } of insertions) {
    if (position <= at + shift) break;
    if (position < at + shift + text.length) return at;
    shift += text.length;
  }
  return position - shift;
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
