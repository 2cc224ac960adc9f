/** Reads an address as people type it: without a scheme, it is https. Returns null if it is not an address. */
export const readUrl = (typed: string): string | null => {
  const trimmed = typed.trim();
  const url = /^[a-z][a-z0-9+.-]*:/i.test(trimmed) ? trimmed : `https://${trimmed}`;
  if (trimmed === '' || !URL.canParse(url) || /\s/.test(url)) return null;
  const { protocol, hostname } = new URL(url);
  return protocol === 'tg:' || (/^https?:$/.test(protocol) && hostname !== '') ? url : null;
};
