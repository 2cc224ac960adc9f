/**
 * Parses a URL as typed by a user, assuming https if it has no scheme. Returns null unless it is a valid http:, https:
 * or tg: URL.
 */
export const readUrl = (typed: string): string | null => {
  const trimmed = typed.trim();
  const url = /^[a-z][a-z0-9+.-]*:/i.test(trimmed) ? trimmed : `https://${trimmed}`;
  if (trimmed === '' || !URL.canParse(url) || /\s/.test(url)) return null;
  const { protocol, hostname } = new URL(url);
  return protocol === 'tg:' || (/^https?:$/.test(protocol) && hostname !== '') ? url : null;
};
