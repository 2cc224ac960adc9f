import type { PlatformLimits } from '../platform-catalogue.js';

const MB = 1_048_576;

/** MAX's limits (networks.md §1, §2, §3). */
export const MAX_LIMITS = {
  /** Limit of the `text` field, in UTF-16 units; it is unknown whether tags count (networks.md §2). */
  text: 4_000,
  media: {
    photo: { maxBytes: 50 * MB, maxSide: 7_680, formats: ['image/jpeg', 'image/png', 'image/gif'] },
    video: { maxBytes: 250 * MB, formats: ['video/mp4', 'video/quicktime', 'video/webm'] },
    audio: { maxBytes: 256 * MB, formats: ['audio/mpeg', 'audio/mp4', 'audio/ogg'] },
  },
  pace: {
    perChannel: [{ calls: 2, perMs: 1_000 }],
    perCredential: [{ calls: 30, perMs: 1_000 }],
  },
} as const satisfies PlatformLimits;

/** The network's display name. */
export const TITLE = 'MAX';

/** Maximum length of a button's or link's URL (networks.md §2, §5). */
const MAX_URL = 2_048;

/**
 * Converts a URL to a form that MAX accepts: an http(s) URL stays unchanged, and `tg://resolve?domain=x` becomes
 * `https://t.me/x` with the other parameters. Returns null for any other link or scheme, for a malformed URL, and for a
 * URL of more than 2048 characters.
 */
export const toMaxUrl = (url: string): string | null => {
  const web = /^tg:/i.test(url) ? publicPage(url) : url;
  return web !== null && /^https?:\/\/./i.test(web) && URL.canParse(web) && web.length <= MAX_URL ? web : null;
};

/** Returns the t.me page of a Telegram link; null if there is none. */
const publicPage = (url: string): string | null => {
  if (!/^tg:\/\/resolve\/?\?/i.test(url) || !URL.canParse(url)) return null;
  const { domain = '', post, appname, ...rest } = Object.fromEntries(new URL(url).searchParams);
  const parts = [domain, ...(post === undefined ? [] : [post]), ...(appname === undefined ? [] : [appname])];
  const isPage = /^\w{1,64}$/.test(domain) && /^\d{1,19}$/.test(post ?? '1') && /^\w{1,64}$/.test(appname ?? 'none');
  if (!isPage || parts.length > 2) return null;
  // t.me uses the same parameter names: start, startapp, text, comment …
  const query = new URLSearchParams(rest).toString();
  return `https://t.me/${parts.join('/')}${query && `?${query}`}`;
};
