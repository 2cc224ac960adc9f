import { isUtf8 } from 'node:buffer';
import { atOnce, type Steps } from '../runtime/cooperative-work.js';
import { scanJson, scanningJson } from './json-scan.js';
import { HEAVY_BYTES, LIMITS, type Problem } from '../payload/payload.js';
import { grouped } from './wording.js';

/** The value of a body, or everything that is wrong with it; all of it answered with 400 (D-5, D-43). */
export type JsonBody =
  | { readonly ok: true; readonly value: unknown }
  | {
      readonly ok: false;
      readonly problems: readonly Problem[];
      /** What it says for all that, where it is JSON: to tell what else is wrong with it, and for nothing else. */
      readonly unsafe?: { readonly value: unknown };
    };

const startsWithByteOrderMark = (bytes: Buffer): boolean => bytes[0] === 0xef && bytes[1] === 0xbb && bytes[2] === 0xbf;

/**
 * Parses a request body (D-5, D-43; security.md: Request pipeline, 5-7). What comes back is safe to walk, to store and
 * to write as JSON again: at most 5,242,880 bytes, at most 32 containers deep, at most 50,000 members, no key twice, no
 * key that poisons a prototype, well-formed text throughout.
 *
 * @param bytes the body exactly as it was sent.
 * @returns at most 50 problems, for people: where, what, and what to do.
 */
export const parseJsonBody = (bytes: Buffer): JsonBody => atOnce(parsingJsonBody(bytes));

/** {@link parseJsonBody} in steps, for a body that is heavy; the longest is `JSON.parse`, which the limits bound. */
export function* parsingJsonBody(bytes: Buffer): Steps<JsonBody> {
  if (bytes.length > LIMITS.payloadBytes)
    return refused(
      'body_too_large',
      `the body is ${grouped(bytes.length)} bytes long; at most ${grouped(LIMITS.payloadBytes)} are allowed`,
    );
  if (!isUtf8(bytes)) return refused('not_utf8', 'the body is not UTF-8: encode it as UTF-8');
  if (startsWithByteOrderMark(bytes))
    return refused('byte_order_mark', 'the body begins with a byte order mark (EF BB BF): send it without');
  const isHeavy = bytes.length > HEAVY_BYTES;
  if (isHeavy) yield;
  const text = bytes.toString('utf8');
  if (!/[^ \t\r\n]/.test(text)) return refused('empty_body', 'the body is empty: send a JSON object');
  if (isHeavy) yield;
  const { problems, isWhole } = isHeavy ? yield* scanningJson(text) : scanJson(text);
  if (!isWhole) return { ok: false, problems };
  if (isHeavy) yield;
  const value = JSON.parse(text) as unknown;
  return problems.length === 0 ? { ok: true, value } : { ok: false, problems, unsafe: { value } };
}

const refused = (code: string, message: string): JsonBody => ({ ok: false, problems: [{ path: '', code, message }] });
