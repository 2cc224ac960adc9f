import type { FormattedText, LedgerEntity } from '../kit/ledger-entry.js';
import { badPayload } from './api-error.js';

/** Formatting by tag in MAX's HTML. */
const TYPES: Readonly<Record<string, string>> = {
  b: 'bold',
  strong: 'bold',
  i: 'italic',
  em: 'italic',
  u: 'underline',
  ins: 'underline',
  s: 'strikethrough',
  del: 'strikethrough',
  code: 'code',
  pre: 'pre',
  a: 'text_link',
};

const CHARACTERS: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', '#39': "'" };

/** Matches a tag, a character reference, or text in the HTML. */
const PIECE = /<(\/?)([a-z]+)((?:\s[^<>]*)?)>|&([a-z]+|#\d+);|[^<&]+|[<&]/gi;

/**
 * Parses MAX's HTML. Rejects anything that the real server might misread, because it is not known how lenient the
 * server is: unknown tags, invalid nesting, a bare `<` or `&`, a link without an address.
 */
export const parseHtml = (html: string): FormattedText => {
  let text = '';
  const open: { readonly tag: string; readonly offset: number; readonly url: string | null }[] = [];
  const entities: LedgerEntity[] = [];
  for (const [piece, slash, name, attributes = '', reference] of html.matchAll(PIECE)) {
    if (name !== undefined) {
      const tag = name.toLowerCase();
      const type = Object.hasOwn(TYPES, tag) ? TYPES[tag] : undefined;
      if (!type) throw badPayload(`text: tag ${piece} is not supported`);
      if (slash) {
        const opened = open.pop();
        if (opened?.tag !== tag) throw badPayload(`text: ${piece} has no opening tag`);
        const { offset, url } = opened;
        entities.push({ type, offset, length: text.length - offset, ...(url === null ? {} : { url }) });
      } else open.push({ tag, offset: text.length, url: tag === 'a' ? readHref(attributes) : null });
    } else if (reference !== undefined) {
      const name = reference.toLowerCase();
      const character = Object.hasOwn(CHARACTERS, name) ? CHARACTERS[name] : undefined;
      if (character === undefined) throw badPayload(`text: ${piece} is not a known character reference`);
      text += character;
    } else if (piece === '<' || piece === '&') throw badPayload(`text: ${piece} must be escaped`);
    else text += piece;
  }
  if (open.length > 0) throw badPayload(`text: <${open.at(-1)?.tag}> is not closed`);
  const sorted = entities.filter(({ length }) => length > 0).sort((a, b) => a.offset - b.offset || b.length - a.length);
  return { text, entities: sorted };
};

const readHref = (attributes: string): string => {
  const value = /^\s+href="([^"]*)"\s*$/i.exec(attributes)?.[1];
  const url = value?.replace(/&(amp|lt|gt|quot);/g, (_, name: string) => CHARACTERS[name] ?? '');
  if (url === undefined || !isLink(url)) throw badPayload('text: <a> needs an href');
  return url;
};

/** True if a link or button may have this URL. */
export const isLink = (url: string): boolean => url.length <= 2_048 && /^https?:\/\/./i.test(url) && URL.canParse(url);

/** Maximum number of UTF-16 units in the raw field. Tags count until the real rule is known (networks.md §2). */
export const MAX_TEXT = 4_000;
