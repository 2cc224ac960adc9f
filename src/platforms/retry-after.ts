import type { IncomingHttpHeaders } from 'node:http';

/** The wait that a `Retry-After` header names, in seconds as text: it may say how many, or until when (RFC 9110). */
export const retryAfterOf = ({ 'retry-after': said, date = '' }: IncomingHttpHeaders): string | undefined => {
  if (said === undefined || said.trim() === '') return undefined;
  const until = /[a-z]/i.test(said) ? Date.parse(said) : NaN;
  if (Number.isNaN(until)) return said;
  // By the clock of whoever named the moment, where it is told.
  const from = Date.parse(date);
  return String(Math.max(0, (until - (Number.isNaN(from) ? Date.now() : from)) / 1_000));
};
