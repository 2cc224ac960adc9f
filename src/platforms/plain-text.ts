import { countOf } from '../kernel/message.js';
import { entityKindOf, type TextWithEntities } from '../payload/entities.js';
import { Graphemes } from '../payload/graphemes.js';
import type { Button, Entity } from '../payload/payload.js';
import { ELLIPSIS, type Replacement, replaceRanges, type TrimmedText, trimText } from '../payload/replace-ranges.js';
import { isVisible } from '../validation/text-measure.js';
import { DEGRADATION_MESSAGES as MESSAGES } from './messages.js';
import type { Warning } from './publisher.js';

/** Invisible separator between a sign and the text after it. */
export const ZERO_WIDTH_SPACE = '\u200b';

/** Returns the offsets at which text needs an escape, ascending: each directly after a one-unit sign such as `@`. */
export type FindBreaks = (text: string) => readonly number[];

/** Range of an address in the text, in UTF-16 units; `end` is exclusive. */
export interface Address {
  readonly start: number;
  /** Offset of the path (after scheme and host), where `%40` is equivalent to `@`. */
  readonly path: number;
  readonly end: number;
}

/**
 * Returns the replacements that keep a network from interpreting signs such as `@`: a zero-width space after the sign,
 * or percent-encoding inside an address, which a space would break. A sign in a link's host or in an e-mail address is
 * unchanged, because neither replacement works there.
 *
 * @param links ranges of the addresses inserted for links, ascending; other addresses are detected in the text
 */
export const findEscapes = (text: string, links: readonly Address[], breaks: FindBreaks): Replacement[] => {
  const offsets = breaks(text);
  if (offsets.length === 0) return [];
  const linkAt = createAddressFinder(links);
  const isLink = createAddressFinder(links);
  const addressAt = createAddressFinder(findPaths(text).filter(({ start }) => !isLink(start)));
  return offsets.flatMap((at) => {
    const sign = at - 1;
    const address = linkAt(sign) ?? addressAt(sign);
    if (!address) return [{ start: at, end: at, text: ZERO_WIDTH_SPACE }];
    return sign < address.path ? [] : [{ start: sign, end: at, text: percentEncoded(text.charCodeAt(sign)) }];
  });
};

/** Returns the number of UTF-16 units before the path in the text inserted for a link, such as ` (https://a.b/c)`. */
export const unitsBeforePath = (link: string): number =>
  /^ \((?:[a-z]+:\/\/[^/?#]*|[a-z]+:[^?]*)/i.exec(link)?.[0].length ?? 0;

/** Matches a scheme and host, or a host followed by a path; captures the path. */
const ADDRESS =
  /(?:(?:https?|tg):\/\/[^\s/?#@()]+(?=[/?#])|(?<![\p{L}\p{N}.-])[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+(?::\d+)?(?=\/))([^\s<>"«»“”„]*)/giu;

/** Finds the path in each web address of a text. The rest of an address is treated like any other word. */
const findPaths = (text: string): Address[] =>
  Array.from(text.matchAll(ADDRESS), ({ index, 0: whole, 1: path }) => {
    const end = index + whole.length;
    const start = end - path!.length;
    return { start, path: start, end };
  });

/** Creates a function that returns the address that contains a UTF-16 unit; call it with units in ascending order. */
const createAddressFinder = (addresses: readonly Address[]): ((unit: number) => Address | undefined) => {
  let next = 0;
  return (unit) => {
    while (next < addresses.length && addresses[next]!.end <= unit) next++;
    const address = addresses[next];
    return address && address.start <= unit ? address : undefined;
  };
};

const percentEncoded = (unit: number): string => `%${unit.toString(16).toUpperCase()}`;

/** Separator between the text, the signature and the lines below. */
export const BLANK_LINE = '\n\n';

/**
 * Returns the lines that fit within a limit, in order. Skips a line that does not fit; later lines may still fit.
 * @param limit maximum total length in UTF-16 units, including the line breaks between lines
 */
export const fitLines = (lines: readonly string[], limit: number): string[] => {
  let used = -1;
  return lines.filter((line) => {
    if (used + 1 + line.length > limit) return false;
    used += 1 + line.length;
    return true;
  });
};

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

/** Returns the warning for text that exceeds a network's limit by `excess` UTF-16 units. */
export const trimmedWarnings = (network: string, limit: number, excess: number): Warning[] =>
  excess > 0 ? [{ code: 'text_trimmed', message: MESSAGES.textTrimmed({ network, limit, excess }) }] : [];

/** Returns the warning for links that do not fit into the text. */
export const droppedLinksWarnings = (code: 'links_dropped' | 'media_dropped', count: number): Warning[] =>
  count > 0 ? [{ code, message: MESSAGES.linksDropped({ links: countOf(count, 'link') }) }] : [];

/** Returns the warning for a signature that does not fit. */
export const signatureWarnings = ({ droppedSignature }: { readonly droppedSignature: boolean }): Warning[] =>
  droppedSignature ? [{ code: 'signature_dropped', message: MESSAGES.signatureDropped }] : [];

/** Returns all warnings for text on a network that does not support formatting. */
export const plainTextWarnings = (shown: PlainText, network: string, limit: number): Warning[] => [
  ...trimmedWarnings(network, limit, shown.trimmedChars),
  ...droppedLinksWarnings('links_dropped', shown.droppedLinks),
  ...(shown.losesFormatting ? [{ code: 'formatting_dropped', message: MESSAGES.plainTextOnly({ network }) }] : []),
  ...signatureWarnings(shown),
];

/** Returns the warning for a post that has nothing the network can publish (D-22). */
export const nothingToSend = (network: string): Warning => ({
  code: 'nothing_to_send',
  message: MESSAGES.nothingToSend({ network }),
});

export interface ButtonRules {
  /** The network's display name. */
  readonly network: string;
  /** Maximum length of a button's text, in UTF-16 units. */
  readonly limit: number;
  /** Converts a URL to a form that the network accepts; null if there is none. */
  readonly toUrl: (url: string) => string | null;
}

/**
 * Returns the buttons that a network accepts, with button text shortened to its limit.
 * @param warnings receives a warning for each button that is omitted or shortened
 */
export const fitButtons = (
  buttons: readonly Button[],
  { network, limit, toUrl }: ButtonRules,
  warnings: Warning[],
): Button[] =>
  buttons.flatMap(({ text, url }) => {
    const accepted = toUrl(url);
    if (accepted === null) {
      const shown = { url: url.slice(0, 80), text: text.slice(0, 40) };
      warnings.push({ code: 'button_dropped', message: MESSAGES.buttonNotAccepted({ network, ...shown }) });
      return [];
    }
    const { text: short, trimmedChars } = trimText({ text, entities: [] }, limit);
    if (trimmedChars > 0) {
      const message = MESSAGES.buttonShortened({ limit, text: short.slice(0, 40) });
      warnings.push({ code: 'button_text_shortened', message });
    }
    return [{ text: short, url: accepted }];
  });
