import type { Steps } from '../runtime/cooperative-work.js';
import { describeBrokenString, describeSyntaxError, describeUnexpected } from './json-syntax-error.js';
import { JSON_MESSAGES, JSON_SYNTAX_MESSAGES as SYNTAX } from './messages.js';
import { MAX_PROBLEMS, type Problem } from './problem-list.js';
import { aboutField, formatCount, joinPath, quoteShort } from './wording.js';

/** The UTF-16 units in JSON's grammar. */
export const Unit = {
  tab: 0x09,
  lineFeed: 0x0a,
  return: 0x0d,
  space: 0x20,
  quote: 0x22,
  plus: 0x2b,
  comma: 0x2c,
  minus: 0x2d,
  dot: 0x2e,
  zero: 0x30,
  nine: 0x39,
  colon: 0x3a,
  openArray: 0x5b,
  backslash: 0x5c,
  closeArray: 0x5d,
  e: 0x65,
  u: 0x75,
  openObject: 0x7b,
  closeObject: 0x7d,
} as const;

/** Returns the value of a hexadecimal digit; -1 for any other unit. */
export const hexDigit = (unit: number): number => {
  if (isDigit(unit)) return unit - Unit.zero;
  const letter = (unit | 0x20) - 0x61;
  return letter >= 0 && letter < 6 ? letter + 10 : -1;
};

/** Returns true for the digits 0 to 9. */
export const isDigit = (unit: number): boolean => unit >= Unit.zero && unit <= Unit.nine;

/** Number of units to examine one by one before a pattern search, which is faster but costs more to start. */
const SHORT_STRING = 64;
/** The units that end a string, begin an escape, or are not allowed in a string. */
const NOT_PLAIN = /["\\\u0000-\u001f]/g;

/** Returns the offset, at or after `from`, of the first unit of a string that does not represent itself. */
export const endOfPlainText = (text: string, from: number): number => {
  const near = from + SHORT_STRING;
  for (let at = from; at < near; at++) {
    const unit = text.charCodeAt(at);
    if (unit === Unit.quote || unit === Unit.backslash || !(unit >= Unit.space)) return at;
  }
  NOT_PLAIN.lastIndex = near;
  return NOT_PLAIN.exec(text)?.index ?? text.length;
};

/** Limits for a body: far above what a post needs, and far below what would harm the process (D-43). */
export const JSON_LIMITS = {
  /** Body size in bytes. */
  bytes: 5_242_880,
  /** Nested objects and arrays, including the outermost. */
  depth: 32,
  /** Members of all objects plus elements of all arrays. */
  members: 50_000,
} as const;

/** Number of members to read in one slice. */
const MEMBERS_PER_SLICE = 2_048;

/** Minimum length of an integer that may exceed the precision of a double; shorter integers are exact. */
const LONG_INTEGER = 16;

const LITERALS = ['true', 'false', 'null'];

/** A container that is open at the current position. */
interface Frame {
  readonly close: number;
  /** Keys seen so far in an object; undefined for an array. */
  readonly keys: Keys | undefined;
  /** Number of members or elements begun. */
  count: number;
  /** Key of the current member. */
  key: string;
}

/** Maximum number of keys at which a linear search is still faster than a set. */
const FEW_KEYS = 8;

/** The keys of one object. */
class Keys {
  private readonly list: string[] = [];
  private set: Set<string> | null = null;

  /** Adds a key; returns false if it is a duplicate. */
  add(key: string): boolean {
    if (this.set ? this.set.has(key) : this.list.includes(key)) return false;
    if (!this.set && this.list.length < FEW_KEYS) this.list.push(key);
    else (this.set ??= new Set(this.list)).add(key);
    return true;
  }
}

/** Thrown to end the scan when the rest cannot be parsed or need not be read. */
class ScanEnded extends Error {}

/**
 * Scans a body once, before anything is built from it (security.md: Request pipeline, 6). It checks that the text is
 * JSON (RFC 8259) within {@link JSON_LIMITS}, without duplicate keys, keys that pollute prototypes, lone surrogates
 * (D-43), null characters (PostgreSQL cannot store them), numbers too large for a double, or integers that a double
 * cannot hold exactly, such as long ids. Runs in linear time, without recursion, and keeps only the keys of open
 * containers.
 * @returns at most 50 problems; none if the result of `JSON.parse` may be stored
 */
export const scanJson = (text: string): JsonScanResult => {
  const scan = new JsonScan(text);
  scan.advance(Infinity);
  return scan;
};

/** Like {@link scanJson}, in slices, for long text. */
export function* scanJsonInSlices(text: string): Steps<JsonScanResult> {
  const scan = new JsonScan(text);
  while (!scan.advance(MEMBERS_PER_SLICE)) yield;
  return scan;
}

export interface JsonScanResult {
  readonly problems: readonly Problem[];
  /** True if the scan reached the end, so that the text is JSON within the limits, even if it has other problems. */
  readonly isComplete: boolean;
}

class JsonScan implements JsonScanResult {
  readonly problems: Problem[] = [];
  isComplete = false;
  private readonly frames: Frame[] = [];
  private at = 0;
  private members = 0;

  constructor(private readonly text: string) {}

  /** Scans at most this many more members and elements. @returns true if the scan has finished */
  advance(members: number): boolean {
    try {
      this.isComplete = this.read(members);
      return this.isComplete;
    } catch (stop) {
      if (!(stop instanceof ScanEnded)) throw stop;
      return true;
    }
  }

  /** @returns true if the end of the text has been reached */
  private read(members: number): boolean {
    if (this.at === 0) {
      this.skipSpace();
      this.value();
    }
    const enough = this.members + members;
    for (let frame = this.frames.at(-1); frame; frame = this.frames.at(-1)) {
      this.skipSpace();
      if (this.peek() === frame.close) {
        this.at++;
        this.frames.pop();
        continue;
      }
      if (frame.count > 0) this.comma(frame);
      if (frame.keys) this.key(frame, frame.keys);
      if (++this.members > JSON_LIMITS.members)
        this.stop('too_many_members', JSON_MESSAGES.tooManyMembers({ limit: formatCount(JSON_LIMITS.members) }));
      frame.count++;
      this.value();
      if (this.members === enough) return false;
    }
    this.skipSpace();
    if (this.at < this.text.length) this.unexpected(SYNTAX.expectedEnd);
    return true;
  }

  /** Returns the current unit. At the end, returns NaN, which is not equal to any unit. */
  private peek(): number {
    return this.text.charCodeAt(this.at);
  }

  private skipSpace(): void {
    const { text } = this;
    let at = this.at;
    for (;;) {
      const unit = text.charCodeAt(at);
      if (unit !== Unit.space && unit !== Unit.lineFeed && unit !== Unit.return && unit !== Unit.tab) break;
      at++;
    }
    this.at = at;
  }

  private comma(frame: Frame): void {
    if (this.peek() !== Unit.comma)
      this.unexpected(frame.keys ? SYNTAX.expectedCommaInObject : SYNTAX.expectedCommaInArray);
    this.at++;
    this.skipSpace();
    if (this.peek() === frame.close) this.syntax(SYNTAX.trailingComma);
  }

  private key(frame: Frame, keys: Keys): void {
    if (this.peek() !== Unit.quote) this.unexpected(frame.count > 0 ? SYNTAX.expectedKey : SYNTAX.expectedKeyOrEnd);
    const container = this.frames.length - 1;
    const start = this.at;
    this.string(container);
    const raw = this.text.slice(start, this.at);
    const key = raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1);
    if (!keys.add(key)) this.report(container, 'duplicate_key', JSON_MESSAGES.duplicateKey({ key: quoteShort(key) }));
    // "constructor" alone is an ordinary word, but with "prototype" inside, it can change other objects.
    const holder = this.frames[container - 1];
    if (key === '__proto__' || (key === 'prototype' && holder?.keys && holder.key === 'constructor'))
      this.report(container, 'forbidden_key', JSON_MESSAGES.forbiddenKey({ key: quoteShort(key) }));
    frame.key = key;
    this.skipSpace();
    if (this.peek() !== Unit.colon) this.unexpected(SYNTAX.expectedColon);
    this.at++;
    this.skipSpace();
  }

  private value(): void {
    const unit = this.peek();
    if (unit === Unit.quote) this.string(this.frames.length);
    else if (unit === Unit.openObject) this.open(Unit.closeObject, new Keys());
    else if (unit === Unit.openArray) this.open(Unit.closeArray, undefined);
    else if (unit === Unit.minus || isDigit(unit)) this.number();
    else this.literal();
  }

  private open(close: number, keys: Keys | undefined): void {
    if (this.frames.length === JSON_LIMITS.depth)
      this.stop('too_deep', JSON_MESSAGES.tooDeep({ limit: JSON_LIMITS.depth }));
    this.frames.push({ close, keys, count: 0, key: '' });
    this.at++;
  }

  private literal(): void {
    const literal = LITERALS.find((word) => this.text.startsWith(word, this.at));
    if (literal === undefined) this.unexpected(SYNTAX.expectedValue);
    this.at += literal.length;
  }

  private number(): void {
    const start = this.at;
    if (this.peek() === Unit.minus) this.at++;
    if (this.peek() === Unit.zero) this.at++;
    else this.digits();
    if (isDigit(this.peek())) this.syntax(SYNTAX.leadingZero);
    let isInteger = true;
    if (this.peek() === Unit.dot) {
      isInteger = false;
      this.at++;
      this.digits();
    }
    if ((this.peek() | 0x20) === Unit.e) {
      isInteger = false;
      this.at++;
      if (this.peek() === Unit.plus || this.peek() === Unit.minus) this.at++;
      this.digits();
    }
    if (isInteger && this.at - start < LONG_INTEGER) return;
    const literal = this.text.slice(start, this.at);
    const value = Number(literal);
    if (!Number.isFinite(value)) this.report(this.frames.length, 'number_too_large', JSON_MESSAGES.numberTooLarge);
    else if (isInteger && String(value) !== literal)
      this.report(this.frames.length, 'number_inexact', JSON_MESSAGES.numberInexact);
  }

  private digits(): void {
    if (!isDigit(this.peek())) this.unexpected(SYNTAX.expectedDigit);
    do this.at++;
    while (isDigit(this.peek()));
  }

  /** Reads the string that starts at the current quote; its problems are reported for the container at `depth`. */
  private string(depth: number): void {
    const { text } = this;
    const start = this.at;
    let at = start + 1;
    let loneSurrogate = false;
    let nullCharacter = false;
    for (;;) {
      at = endOfPlainText(text, at);
      const unit = text.charCodeAt(at);
      if (unit === Unit.quote) break;
      if (unit !== Unit.backslash) this.brokenString(start, at);
      if (text.charCodeAt(at + 1) !== Unit.u) {
        if (!'"\\/bfnrt'.includes(text[at + 1] ?? ' ')) this.brokenString(start, at + 1);
        at += 2;
        continue;
      }
      const code = this.escapedUnit(start, at);
      at += 6;
      if (code === 0) nullCharacter = true;
      if ((code & 0xf800) !== 0xd800) continue;
      // A high surrogate needs a low one directly after it; otherwise it is a lone surrogate.
      const paired = code < 0xdc00 && text.startsWith('\\u', at) && (this.escapedUnit(start, at) & 0xfc00) === 0xdc00;
      if (paired) at += 6;
      else loneSurrogate = true;
    }
    this.at = at + 1;
    if (loneSurrogate) this.report(depth, 'lone_surrogate', JSON_MESSAGES.loneSurrogate);
    if (nullCharacter) this.report(depth, 'null_character', JSON_MESSAGES.nullCharacter);
  }

  /** Returns the unit of the escape `\uXXXX` at `at`. */
  private escapedUnit(start: number, at: number): number {
    let code = 0;
    for (let i = at + 2; i < at + 6; i++) {
      const digit = hexDigit(this.text.charCodeAt(i));
      if (digit < 0) this.brokenString(start, at + 1);
      code = code * 16 + digit;
    }
    return code;
  }

  /** Returns the current path, made of the keys and indices of the outer `depth` containers: `metadata.a[2]`. */
  private path(depth: number): string {
    return this.frames.slice(0, depth).reduce((path, { keys, key, count }) => {
      if (!keys) return `${path}[${count - 1}]`;
      return joinPath(path === '' ? '' : `${path}.`, key);
    }, '');
  }

  private report(depth: number, code: string, what: string): void {
    const path = this.path(depth);
    this.problems.push({ path, code, message: aboutField(path, what) });
    if (this.problems.length >= MAX_PROBLEMS) throw new ScanEnded();
  }

  private stop(code: string, what: string): never {
    this.problems.push({ path: '', code, message: aboutField('', what) });
    throw new ScanEnded();
  }

  private notJson(predicate: string): never {
    this.stop('not_json', predicate);
  }

  private syntax(what: string): never {
    this.notJson(describeSyntaxError(this.text, this.at, what));
  }

  private unexpected(expected: string): never {
    this.notJson(describeUnexpected(this.text, this.at, expected));
  }

  /** Reports the string that began at `start` and is malformed at `at`. */
  private brokenString(start: number, at: number): never {
    this.notJson(describeBrokenString(this.text, start, at));
  }
}
