import { types } from 'node:util';
import { MASK } from './mask.js';

const SECRET =
  /authorization|token|secret|passw|pwd$|credential|cookie|signature|api_?key|(operator|owner|secrets|application|private)_?key|connection_?string|database_?url/i;
const DEPTH = 6;

/**
 * Copies a value for the log and masks every field whose name suggests a secret, down to a depth of six. Errors are not
 * copied: they keep their class, because they are serialised elsewhere.
 */
export const redact = (value: unknown, depth = 0): unknown => {
  if (typeof value !== 'object' || value === null || types.isNativeError(value) || types.isDate(value)) return value;
  if (depth > DEPTH) return '[…]';
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (Array.isArray(value)) return value.map((item) => redact(item, depth + 1));
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => [
      name,
      SECRET.test(name) && canHoldText(inner) ? MASK : redact(inner, depth + 1),
    ]),
  );
};

/** True if a value can contain text: a number of tokens is not a secret. */
const canHoldText = (value: unknown): boolean =>
  value !== null && value !== undefined && typeof value !== 'number' && typeof value !== 'boolean';
