import type { IncomingHttpHeaders } from 'node:http';

/**
 * Returns the delay from a `Retry-After` header (RFC 9110), in seconds, as text; undefined without the header. Converts
 * a date to the remaining seconds, and returns any other value unchanged, even if it is malformed.
 */
export const readRetryAfter = ({ 'retry-after': value, date = '' }: IncomingHttpHeaders): string | undefined => {
  if (value === undefined || value.trim() === '') return undefined;
  const until = /[a-z]/i.test(value) ? Date.parse(value) : NaN;
  if (Number.isNaN(until)) return value;
  // Compares with the server's own clock if the response has a date.
  const from = Date.parse(date);
  return String(Math.max(0, (until - (Number.isNaN(from) ? Date.now() : from)) / 1_000));
};
