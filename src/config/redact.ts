import { types } from 'node:util';
import { MASK } from './mask.js';

const SECRET =
  /authorization|token|secret|passw|pwd$|credential|cookie|signature|api_?key|(operator|owner|secrets|application|private)_?key|connection_?string|database_?url/i;
const DEPTH = 6;

/**
 * A copy of what is about to be logged with every field masked whose name sounds like a secret's, at any depth down
 * to six. Errors keep their class: they are serialised elsewhere.
 */
export const redact = (value: unknown, depth = 0): unknown => {
  if (typeof value !== 'object' || value === null || types.isNativeError(value) || types.isDate(value)) return value;
  if (depth > DEPTH) return '[…]';
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      SECRET.test(name) && holdsText(inner) ? MASK : redact(inner, depth + 1),
    ]),
  );
};

/** A count of tokens is no secret; whatever could carry text is. */
const holdsText = (value: unknown): boolean =>
  value !== null && value !== undefined && typeof value !== 'number' && typeof value !== 'boolean';
