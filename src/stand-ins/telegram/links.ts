/**
 * Returns the server's reason for rejecting the URL of a link or button; null if the server accepts it. If there is no
 * scheme, assumes http.
 */
export const findLinkProblem = (url: string): string | null => {
  const reason = findUrlProblem(url);
  return reason === null ? null : `URL '${url}' is invalid: ${reason}`;
};

const findUrlProblem = (url: string): string | null => {
  const telegramScheme = /^(?:tg|ton|tonsite):(?:\/\/)?/i.exec(url)?.[0];
  const rest = telegramScheme ? url.slice(telegramScheme.length) : url;
  const scheme = /^([^:/?#@[\]]*):\/\//.exec(rest)?.[1]?.toLowerCase();
  if (scheme !== undefined && scheme !== 'http' && scheme !== 'https') return 'Unsupported URL protocol';
  const authority = /^[^/?#]*/.exec(scheme === undefined ? rest : rest.slice(scheme.length + 3))?.[0] ?? '';
  const host = authority.slice(authority.lastIndexOf('@') + 1).replace(/:(\d*)$/, '');
  const port = /:(\d+)$/.exec(authority)?.[1];
  if (port !== undefined && (Number(port) < 1 || Number(port) > 65_535)) {
    return 'Wrong port number specified in the URL';
  }
  if (host === '') return 'URL host is empty';
  if (telegramScheme) return /^[a-z0-9_-]+$/i.test(host) ? null : 'Unallowed characters in URL host';
  if (host.startsWith('[')) return null;
  if (/[\0-\x20"#/<>?@[\\\]^`{|}]/.test(host)) return 'Disallowed character in URL host';
  return host.includes('.') ? null : 'Wrong HTTP URL';
};
