/** An address that people copy from a browser or an app. */
export interface ChatLink {
  /** In lower case, without `www.` and `m.`. */
  readonly host: string;
  /** Segments of the path, decoded. */
  readonly path: readonly string[];
  readonly query: URLSearchParams;
  /** Without `#`. */
  readonly fragment: string;
}

/** Longest text that is read as a link. */
const MAX_LENGTH = 2_048;
/** A web address, with or without its scheme. */
const LINK = /^(?:https?:\/\/)?[a-z\d-]+(?:\.[a-z\d-]+)+(?::\d+)?(?:[/?#]|$)/i;

/** Reads a web address, with or without `https://`; undefined for any other text. */
export const parseChatLink = (text: string): ChatLink | undefined => {
  const trimmed = text.trim();
  if (trimmed.length > MAX_LENGTH || !LINK.test(trimmed)) return undefined;
  const address = /^https?:/i.test(trimmed) ? trimmed : `https://${trimmed}`;
  if (!URL.canParse(address)) return undefined;
  const { hostname, pathname, searchParams, hash } = new URL(address);
  return {
    host: hostname.replace(/^(?:www|m)\./, ''),
    path: pathname.split('/').filter(Boolean).map(decode),
    query: searchParams,
    fragment: decode(hash.slice(1)),
  };
};

const decode = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // not UTF-8
  }
};
