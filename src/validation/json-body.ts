import { isUtf8 } from 'node:buffer';
import { runToEnd, type Steps } from '../runtime/cooperative-work.js';
import { JSON_LIMITS, scanJson, scanJsonInSlices } from './json-scan.js';
import { JSON_MESSAGES } from './messages.js';
import type { Problem } from './problem-list.js';
import { aboutField, formatCount } from './wording.js';

/** Threshold, in bytes: larger JSON bodies are read in slices, so other requests do not have to wait (ADR-19). */
export const HEAVY_BYTES = 65_536;

/** The value of a body, or its problems; any problem means status 400 (D-5, D-43). */
export type JsonBody =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false;
      readonly problems: readonly Problem[];
      /** The parsed value, if the body is JSON despite its problems; used only to find more problems. */
      readonly unsafe?: { readonly value: unknown };
    };

const startsWithByteOrderMark = (bytes: Buffer): boolean => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;

/**
 * Parses a request body (D-5, D-43; security.md: Request pipeline, 5-7). The value is safe to traverse, to store and to
 * serialise again: at most 5,242,880 bytes, 32 nested containers and 50,000 members, no duplicate keys, no keys that
 * pollute prototypes, and only well-formed text.
 * @param bytes the body exactly as it was sent
 * @returns the value, or at most 50 problems, each with its path and a way to fix it
 */
export const parseJsonBody = (bytes: Buffer): JsonBody => runToEnd(parseJsonBodyInSlices(bytes));

/** Like {@link parseJsonBody}, in slices, for a large body. The limits bound the longest slice, `JSON.parse`. */
export function* parseJsonBodyInSlices(bytes: Buffer): Steps<JsonBody> {
  if (bytes.length > JSON_LIMITS.bytes)
    return refused(
      'body_too_large',
      JSON_MESSAGES.bodyTooLarge({ bytes: formatCount(bytes.length), limit: formatCount(JSON_LIMITS.bytes) }),
    );
  if (!isUtf8(bytes)) return refused('not_utf8', JSON_MESSAGES.notUtf8);
  if (startsWithByteOrderMark(bytes)) return refused('byte_order_mark', JSON_MESSAGES.byteOrderMark);
  const isHeavy = bytes.length > HEAVY_BYTES;
  if (isHeavy) yield;
  const text = bytes.toString('utf8');
  if (!/[^ \t\r\n]/.test(text)) return refused('empty_body', JSON_MESSAGES.emptyBody);
  if (isHeavy) yield;
  const { problems, isComplete } = isHeavy ? yield* scanJsonInSlices(text) : scanJson(text);
  if (!isComplete) return { ok: false, problems };
  if (isHeavy) yield;
  const value = JSON.parse(text) as unknown;
  return problems.length === 0 ? { ok: true, value } : { ok: false, problems, unsafe: { value } };
}

const refused = (code: string, predicate: string): JsonBody => ({
  ok: false,
  problems: [{ path: '', code, message: aboutField('', predicate) }],
});
