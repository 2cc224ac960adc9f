import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';

/**
 * A header's value as text. HTTP has bytes there, which Node reads as Latin-1; clients write UTF-8. So what is UTF-8 is
 * read as such: a key has as many characters as its sender counts, and is the same key in a body (D-19, D-43).
 * @param name in lower case, of a header that is sent once at most or joined by commas
 */
export const headerText = ({ headers }: FastifyRequest, name: string): string | undefined => {
  const value = headers[name] as string | undefined;
  if (value === undefined || /^[\x20-\x7e]*$/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
};
