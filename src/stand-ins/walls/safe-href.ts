/** Returns a link's address; null for unsafe schemes (`javascript:` …). If there is no scheme, assumes http. */
export const safeHref = (url: string): string | null => {
  const absolute = /^[a-z][a-z0-9+.-]*:/i.test(url) ? url : `http://${url}`;
  return /^(?:https?|tg|mailto|tel):/i.test(absolute) ? absolute : null;
};

/** Attributes for a link to another site. */
export const EXTERNAL = { target: '_blank', rel: 'noopener noreferrer nofollow' } as const;
