/**
 * Whether Telegram takes a URL behind a link or a button: http(s) with a dot in its host (or an IPv6 address), or
 * `tg://`. One that it refuses would cost the whole post (400 `URL '…' is invalid`), so it is left out beforehand.
 */
export const takesUrl = (url: string): boolean => {
  if (/^tg:\/\/[a-z0-9_-]+(?:[/?#]|$)/i.test(url)) return true;
  if (!/^https?:\/\//i.test(url) || !URL.canParse(url)) return false;
  const { hostname } = new URL(url);
  return hostname.includes('.') || hostname.startsWith('[');
};

/** The public address of a message where there is one: by the chat's name, or the members' form of a `-100…` chat. */
export const messageUrl = (
  chat: { readonly id: string; readonly username?: string | undefined },
  messageId: string,
): string | null => {
  if (chat.username) return `https://t.me/${chat.username}/${messageId}`;
  return chat.id.startsWith('-100') ? `https://t.me/c/${chat.id.slice('-100'.length)}/${messageId}` : null;
};
