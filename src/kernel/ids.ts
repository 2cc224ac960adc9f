import { hash, randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import type { Instant } from './instant.js';

/** Public prefixes (D-2). */
export type IdPrefix = 'own' | 'tgt' | 'prj' | 'ep' | 'post' | 'pub' | 'whk' | 'dlv' | 'req' | 'job' | 'ntc';

/** A new public id: prefix and a UUID v7 in hex, time-ordered to the millisecond (D-2). */
export const newId = (prefix: IdPrefix): string => `${prefix}_${newHex()}`;

/** A new UUID v7, for commands and other things without a public name. */
export const newUuid = (): string => {
  const hex = newHex();
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};

/** Random digits of an id. */
const DIGITS = 19;
/** Digits for ids to come, drawn in bulk: a draw for each is the dearest part of accepting a post. */
let drawn = '';
let used = 0;
/** The millisecond in hand, and its digits. */
let now = 0;
let nowDigits = '';

/** A new UUID v7 (RFC 9562), its 32 digits. */
const newHex = (): string => {
  if (used === drawn.length) {
    drawn = randomBytes(128 * DIGITS).toString('hex');
    used = 0;
  }
  const at = used;
  used += DIGITS;
  if (now !== Date.now()) {
    now = Date.now();
    nowDigits = now.toString(16).padStart(12, '0');
  }
  const variant = VARIANTS[parseInt(drawn[at]!, 16) & 3]!;
  return `${nowDigits}7${drawn.slice(at + 1, at + 4)}${variant}${drawn.slice(at + 4, at + DIGITS)}`;
};

const VARIANTS = '89ab';

/** The namespace, and behind it the name in hand: names are short, and hashed one at a time. */
const named = Buffer.alloc(16 + 1_024);
named.write('6f1d3e545d0b5a4e9d3c0c2f9b1a7e11', 'hex');

/** The same name gives the same UUID (v5, RFC 9562), for ever: what makes an append safe to repeat. */
export const derivedUuid = (name: string): string => {
  const isShort = name.length * 3 <= named.length - 16; // a UTF-16 unit is at most three bytes of UTF-8
  const bytes = isShort
    ? named.subarray(0, 16 + named.write(name, 16))
    : Buffer.concat([named.subarray(0, 16), Buffer.from(name)]);
  const hex = hash('sha1', bytes);
  const variant = ((parseInt(hex[16]!, 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

/** A public id that follows from a name, e.g. a publication's from its post and channel. */
export const derivedId = (prefix: IdPrefix, name: string): string =>
  `${prefix}_${derivedUuid(name).replaceAll('-', '')}`;

/**
 * A public id that follows from a name and a moment: time-ordered like {@link newId}, and the same however often it is
 * made, so that a creation may be repeated.
 */
export const repeatableId = (prefix: IdPrefix, name: string, at: Instant): string => {
  const random = Buffer.from(derivedUuid(name).replaceAll('-', ''), 'hex');
  return `${prefix}_${v7({ msecs: at, random }).replaceAll('-', '')}`;
};
