/** A host of letters, digits and the like, with a dot in it; or an IPv6 address. */
const HOST = /^(?:[a-z0-9_-]+(?:\.[a-z0-9_-]+)+\.?|\[[\da-f:.]+\])$/;

/** A host that the Internet may have: by a name with a top-level domain, or an address. */
const REACHABLE = /(?:\.(?:[a-z]{2,}|xn--[a-z0-9-]+|\d+)|\])$/;
const MAX_BUTTON_URL = 2_048;

/**
 * Whether Telegram takes a URL behind a link: http(s) with a dot in its host (or an IPv6 address), or `tg://`. One that
 * it refuses would cost the whole post (400 `URL '…' is invalid`), so it is left out beforehand.
 */
export const takesUrl = (url: string): boolean => {
  if (/^tg:\/\/[a-z0-9_-]+(?:[/?#]|$)/i.test(url)) return true;
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return false;
  const { hostname, port } = new URL(url);
  return HOST.test(hostname) && port !== '0';
};

/** Whether Telegram takes a URL behind a button, of which it asks more (`BUTTON_URL_INVALID`). */
export const takesButtonUrl = (url: string): boolean =>
  takesUrl(url) && url.length <= MAX_BUTTON_URL && (/^tg:/i.test(url) || REACHABLE.test(new URL(url).hostname));

/** The public address of a message where there is one: by the chat's name, or the members' form of a `-100…` chat. */
export const messageUrl = (
  chat: { readonly id: string; readonly username?: string | undefined },
  messageId: string,
): string | null => {
  if (chat.username) return `https://t.me/${chat.username}/${messageId}`;
  return chat.id.startsWith('-100') ? `https://t.me/c/${chat.id.slice('-100'.length)}/${messageId}` : null;
};
