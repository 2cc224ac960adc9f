import type { Replacement } from '../payload/replace-ranges.js';

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

/** Finds the paths of addresses in the text; schemes and hosts count as ordinary words. */
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
