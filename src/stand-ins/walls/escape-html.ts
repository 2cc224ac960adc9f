const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for an HTML element or quoted attribute. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);

/** Returns a link's address for `href`; null for unsafe schemes (`javascript:` …). */
export const safeHref = (url: string): string | null => {
  const absolute = /^[a-z][a-z0-9+.-]*:/i.test(url) ? url : `http://${url}`;
  return /^(?:https?|tg|mailto|tel):/i.test(absolute) ? escapeHtml(absolute) : null;
};
