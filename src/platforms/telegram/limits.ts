import type { PlatformLimits } from '../platform-catalogue.js';

const MB = 1_048_576;

/** Telegram's limits (networks.md §1, §2, §3). */
export const TELEGRAM_LIMITS = {
  /** Safe whether Telegram counts UTF-16 units or code points (networks.md §2). */
  text: 4_096,
  caption: 1_024,
  media: {
    photo: { maxBytes: 10 * MB, maxSum: 10_000, maxRatio: 20, formats: ['image/jpeg', 'image/png'] },
    video: {
      maxBytes: 50 * MB,
      formats: ['video/mp4', 'video/quicktime', 'video/webm'],
      // "Below 200 kB, at most 320 px a side", for videos that Telegram does not look into (networks.md §1).
      cover: { aboveBytes: 10 * MB, maxBytes: 199_000, maxSide: 320, formats: ['image/jpeg'] },
    },
    audio: { maxBytes: 50 * MB, formats: ['audio/mpeg', 'audio/mp4', 'audio/ogg'] },
  },
  /** Measured by third parties; a chat and a bot have separate budgets (networks.md §3, D-41). */
  pace: {
    perChannel: [
      { calls: 1, perMs: 1_000 },
      { calls: 20, perMs: 60_000 },
    ],
    perCredential: [{ calls: 30, perMs: 1_000 }],
  },
} as const satisfies PlatformLimits;

/** The network's display name. */
export const TITLE = 'Telegram';

/** A host name with a dot, or an IPv6 address. */
const HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)+\.?|\[[\da-f:.]+\])$/;

/** A host that may exist on the Internet: a name with a top-level domain, or an address. */
const REACHABLE = /(?:\.(?:[a-z]{2,}|xn--[a-z0-9-]+|\d+)|\])$/;
const MAX_BUTTON_URL = 2_048;

/**
 * True if Telegram accepts the URL in a link: http(s) with a dot in its host (or an IPv6 address), or `tg://`. A single
 * bad URL makes Telegram refuse the whole post (400 `URL '…' is invalid`).
 */
export const acceptsUrl = (url: string): boolean => {
  if (/^tg:\/\/[a-z0-9_-]+(?:[/?#]|$)/i.test(url)) return true;
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return false;
  const { hostname, port } = new URL(url);
  return HOST.test(hostname) && port !== '0';
};

/** True if Telegram accepts the URL for a button; its rules for buttons are stricter (`BUTTON_URL_INVALID`). */
export const acceptsButtonUrl = (url: string): boolean =>
  acceptsUrl(url) && url.length <= MAX_BUTTON_URL && (/^tg:/i.test(url) || REACHABLE.test(new URL(url).hostname));

/**
 * Returns the public URL of a message. For a `-100…` chat without a name, returns a URL that works only for members;
 * null for any other chat.
 */
export const messageUrl = (
  chat: { readonly id: string; readonly username?: string | undefined },
  messageId: string,
): string | null => {
  if (chat.username) return `https://t.me/${chat.username}/${messageId}`;
  return chat.id.startsWith('-100') ? `https://t.me/c/${chat.id.slice('-100'.length)}/${messageId}` : null;
};
