import type { Replacement } from '../payload/replace-ranges.js';

/** What keeps a sign from what is behind it: nothing that a reader sees. */
export const ZERO_WIDTH_SPACE = '\u200b';

/** Before which units of a text something has to stand, right behind a sign of one unit (`@`); ascending. */
export type Breaks = (text: string) => readonly number[];

/** An address in a text, in UTF-16 units; `end` is the first behind it. */
export interface Address {
  readonly start: number;
  /** Where host and scheme are over: from here on, `%40` leads where `@` does. */
  readonly path: number;
  readonly end: number;
}

/**
 * What makes signs harmless: a zero-width space behind them; in an address, which it would make another one,
 * percent-encoding. A sign where neither will do, in a link's host or the address of an e-mail, stays as it is.
 *
 * @param links the addresses that were put in for links, ascending; those among the words are found
 */
export const stopsIn = (text: string, links: readonly Address[], breaks: Breaks): Replacement[] => {
  const places = breaks(text);
  if (places.length === 0) return [];
  const linkAt = inOrder(links);
  const isLink = inOrder(links);
  const addressAt = inOrder(pathsAmong(text).filter(({ start }) => !isLink(start)));
  return places.flatMap((at) => {
    const sign = at - 1;
    const address = linkAt(sign) ?? addressAt(sign);
    if (!address) return [{ start: at, end: at, text: ZERO_WIDTH_SPACE }];
    return sign < address.path ? [] : [{ start: sign, end: at, text: percentEncoded(text.charCodeAt(sign)) }];
  });
};

/** How many units a link's text has before the path of its address begins. */
export const pathOf = (link: string): number => /^ \((?:[a-z]+:\/\/[^/?#]*|[a-z]+:[^?]*)/i.exec(link)?.[0].length ?? 0;

/** Scheme and host, or a host alone with a path behind it; then the path, as far as addresses go in prose. */
const ADDRESS =
  /(?:(?:https?|tg):\/\/[^\s/?#@()]+(?=[/?#])|(?<![\p{L}\p{N}.-])[\p{L}\p{N}-]+(?:\.[\p{L}\p{N}-]+)+(?::\d+)?(?=\/))([^\s<>"«»“”„]*)/giu;

/** The paths of the addresses that stand in a text: what is before a path is read like any words. */
const pathsAmong = (text: string): Address[] =>
  Array.from(text.matchAll(ADDRESS), ({ index, 0: whole, 1: path }) => {
    const end = index + whole.length;
    const start = end - path!.length;
    return { start, path: start, end };
  });

/** Finds the address that has a unit in it, for units that ascend. */
const inOrder = (addresses: readonly Address[]): ((unit: number) => Address | undefined) => {
  let next = 0;
  return (unit) => {
    while (next < addresses.length && addresses[next]!.end <= unit) next++;
    const address = addresses[next];
    return address && address.start <= unit ? address : undefined;
  };
};

const percentEncoded = (unit: number): string => `%${unit.toString(16).toUpperCase()}`;
