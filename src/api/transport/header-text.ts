import { isUtf8 } from 'node:buffer';
import type { FastifyRequest } from 'fastify';

/**
 * Returns a header's value as text. Node decodes headers as Latin-1, but clients send UTF-8. Valid UTF-8 is therefore
 * decoded as UTF-8, so that a key has the length its sender expects and equals the same key in a body (D-19, D-43).
 * @param name in lower case; the header is sent at most once, or joined by commas
 */
export const readHeaderText = ({ headers }: FastifyRequest, name: string): string | undefined => {
  const value = headers[name] as string | undefined;
  if (value === undefined || /^[\x20-\x7e]*$/.test(value)) return value;
  const bytes = Buffer.from(value, 'latin1');
  return isUtf8(bytes) ? bytes.toString('utf8') : value;
};
