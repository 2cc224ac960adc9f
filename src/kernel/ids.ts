import { hash, randomBytes } from 'node:crypto';
import { v7 } from 'uuid';
import type { Instant } from './clock.js';

/** Prefixes of public ids (D-2). */
export type IdPrefix =
  'own' | 'tgt' | 'prj' | 'ep' | 'post' | 'pub' | 'req' | 'ntc' | 'whk' | 'dlv' | 'job' | 'med' | 'drf' | 'key';

/** Creates a public id: the prefix and a UUID v7 in hex, time-ordered to the millisecond (D-2). */
export const newId = (prefix: IdPrefix): string => `${prefix}_${newHex()}`;

/** Creates a UUID v7, for commands and anything else without a public id. */
export const newUuid = (): string => {
  const hex = newHex();
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
};

/** Number of random hex digits in an id. */
const RANDOM_DIGITS = 19;
/** Random hex digits for later ids, generated in bulk: a call per id would be the main cost of a post. */
let randomDigits = '';
let usedDigits = 0;
/** The current millisecond, and its hex digits. */
let currentMs = 0;
let currentMsDigits = '';

/** Creates a UUID v7 (RFC 9562) and returns its 32 hex digits. */
const newHex = (): string => {
  if (usedDigits === randomDigits.length) {
    randomDigits = randomBytes(128 * RANDOM_DIGITS).toString('hex');
    usedDigits = 0;
  }
  const at = usedDigits;
  usedDigits += RANDOM_DIGITS;
  if (currentMs !== Date.now()) {
    currentMs = Date.now();
    currentMsDigits = currentMs.toString(16).padStart(12, '0');
  }
  const variant = VARIANTS[parseInt(randomDigits[at]!, 16) & 3]!;
  return `${currentMsDigits}7${randomDigits.slice(at + 1, at + 4)}${variant}${randomDigits.slice(at + 4, at + RANDOM_DIGITS)}`;
};

const VARIANTS = '89ab';

/** The namespace, followed by the name to hash. Names share a buffer, because most are short. */
const nameBuffer = Buffer.alloc(16 + 1_024);
nameBuffer.write('6f1d3e545d0b5a4e9d3c0c2f9b1a7e11', 'hex');

/** Derives a UUID (v5, RFC 9562) from a name. The same name always gives the same UUID, so appends can be repeated. */
export const deriveUuid = (name: string): string => {
  const isShort = name.length * 3 <= nameBuffer.length - 16; // a UTF-16 unit is at most three bytes of UTF-8
  const bytes = isShort
    ? nameBuffer.subarray(0, 16 + nameBuffer.write(name, 16))
    : Buffer.concat([nameBuffer.subarray(0, 16), Buffer.from(name)]);
  const hex = hash('sha1', bytes);
  const variant = ((parseInt(hex[16]!, 16) & 0x3) | 0x8).toString(16);
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-5${hex.slice(13, 16)}-${variant}${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
};

/** Derives a public id from a name, for example a publication's id from its post and channel. */
export const deriveId = (prefix: IdPrefix, name: string): string => `${prefix}_${deriveUuid(name).replaceAll('-', '')}`;

/** Derives a public id from a name and a time. Time-ordered like {@link newId}; the same input gives the same id. */
export const deriveTimedId = (prefix: IdPrefix, name: string, at: Instant): string => {
  const random = Buffer.from(deriveUuid(name).replaceAll('-', ''), 'hex');
  return `${prefix}_${v7({ msecs: at, random }).replaceAll('-', '')}`;
};

/** A JSON value. Events, payloads and read models consist of JSON values. */
export type Json = string | number | boolean | null | readonly Json[] | JsonObject;
/** A JSON object. Undefined members are omitted. */
export interface JsonObject {
  readonly [key: string]: Json | undefined;
}

/** A part of a list. */
export interface PartOfList<Row> {
  readonly rows: readonly Row[];
  /**
   * True if the part was cut short because of its size: more items may follow, even though it has fewer than requested.
   */
  readonly isCut: boolean;
  /** Key of the last row that was looked at, if the part ends there and not at its last row. */
  readonly end?: string;
  /** Set at the end of a list that lacks what is older than this time, in ms since 1970, because it is archived (D-101). */
  readonly archivedBefore?: number;
}
