import type { Steps } from '../runtime/cooperative-work.js';
import { hexDigit, isDigit, Unit } from './json-units.js';
import { brokenString, syntaxError, unexpected } from './json-syntax-error.js';
import type { Problem } from '../payload/payload.js';
import { grouped, quoted } from './wording.js';

/** What a body may hold: far above what a post needs, far below what would hurt (D-43). */
export const JSON_LIMITS = {
  /** Objects and arrays inside one another, the outermost included. */
  depth: 32,
  /** Members of all objects and elements of all arrays together. */
  members: 50_000,
} as const;

/** More of them say nothing new to whoever reads the answer (D-6). */
const MAX_PROBLEMS = 50;

/** How many members are read in one step. */
const MEMBERS_A_STEP = 2_048;

/** Units from which on an integer may be more than a double holds: of fewer, every one comes back as it was. */
const LONG_INTEGER = 16;

const LITERALS = ['true', 'false', 'null'];

/** A container that is open at the place reached. */
interface Frame {
  readonly close: number;
  /** The keys seen, in an object; undefined for an array. */
  readonly keys: Keys | undefined;
  /** Members or elements begun. */
  count: number;
  /** The key of the member in hand. */
  key: string;
}

/** Most objects have few keys: to look through those costs less than to make a set of them. */
const FEW_KEYS = 8;

/** The keys of one object. */
class Keys {
  private readonly few: string[] = [];
  private many: Set<string> | null = null;

  /** Takes a key up; false where it was there already. */
  add(key: string): boolean {
    if (this.many ? this.many.has(key) : this.few.includes(key)) return false;
    if (!this.many && this.few.length < FEW_KEYS) this.few.push(key);
    else (this.many ??= new Set(this.few)).add(key);
    return true;
  }
}

/** Ends the scan: what follows cannot be made sense of, or is not worth reading. */
class Stop extends Error {}

/**
 * Reads a body once, before anything is built from it (security.md: Request pipeline, 6): that it is JSON (RFC 8259),
 * within {@link JSON_LIMITS}, and without duplicate keys, keys that poison prototypes, lone surrogates (D-43), null
 * characters, which no database holds, and numbers that no double holds, an id of many digits among them: it would come
 * back as another. Linear and never recursive; what it remembers
 * is the keys of the containers that are open.
 *
 * @returns what is wrong, at most 50 problems; none where what `JSON.parse` makes of the text may be kept.
 */
export const scanJson = (text: string): JsonScanned => {
  const scan = new JsonScan(text);
  scan.goOn(Infinity);
  return scan;
};

/** {@link scanJson} in steps, for a text that is heavy. */
export function* scanningJson(text: string): Steps<JsonScanned> {
  const scan = new JsonScan(text);
  while (!scan.goOn(MEMBERS_A_STEP)) yield;
  return scan;
}

/** What a scan has found. */
export interface JsonScanned {
  readonly problems: readonly Problem[];
  /** Whether it came to the end: the text is JSON within the limits, whatever else is wrong with it. */
  readonly isWhole: boolean;
}

class JsonScan implements JsonScanned {
  readonly problems: Problem[] = [];
  isWhole = false;
  private readonly frames: Frame[] = [];
  private at = 0;
  private members = 0;

  constructor(private readonly text: string) {}

  /** Goes on by so many members and elements. @returns whether there is nothing left to do */
  goOn(members: number): boolean {
    try {
      this.isWhole = this.read(members);
      return this.isWhole;
    } catch (stop) {
      if (!(stop instanceof Stop)) throw stop;
      return true;
    }
  }

  /** @returns whether the end is reached */
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
        this.stop('too_many_members', `has more than ${grouped(JSON_LIMITS.members)} members and elements: send fewer`);
      frame.count++;
      this.value();
      if (this.members === enough) return false;
    }
    this.skipSpace();
    if (this.at < this.text.length) this.unexpected('the end of the body');
    return true;
  }

  /** The unit in hand; NaN, which equals nothing, behind the last. */
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
    if (this.peek() !== Unit.comma) this.unexpected(frame.keys ? '"," or "}"' : '"," or "]"');
    this.at++;
    this.skipSpace();
    if (this.peek() === frame.close) this.syntax('a comma stands before this bracket: remove the comma');
  }

  private key(frame: Frame, keys: Keys): void {
    if (this.peek() !== Unit.quote) this.unexpected(`a key in double quotes${frame.count > 0 ? '' : ' or "}"'}`);
    const container = this.frames.length - 1;
    const start = this.at;
    this.string(container);
    const raw = this.text.slice(start, this.at);
    const key = raw.includes('\\') ? (JSON.parse(raw) as string) : raw.slice(1, -1);
    if (!keys.add(key)) this.report(container, 'duplicate_key', `has the key ${quoted(key)} twice: keep one of them`);
    // "constructor" alone is an ordinary word; with "prototype" inside it reaches beyond the object.
    const holder = this.frames[container - 1];
    if (key === '__proto__' || (key === 'prototype' && holder?.keys && holder.key === 'constructor'))
      this.report(container, 'forbidden_key', `has the key ${quoted(key)}, which is not allowed: rename it`);
    frame.key = key;
    this.skipSpace();
    if (this.peek() !== Unit.colon) this.unexpected('":" after the key');
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
      this.stop(
        'too_deep',
        `has more than ${JSON_LIMITS.depth} objects and arrays inside one another: make it flatter`,
      );
    this.frames.push({ close, keys, count: 0, key: '' });
    this.at++;
  }

  private literal(): void {
    const literal = LITERALS.find((word) => this.text.startsWith(word, this.at));
    if (literal === undefined) this.unexpected('a value');
    this.at += literal.length;
  }

  private number(): void {
    const start = this.at;
    if (this.peek() === Unit.minus) this.at++;
    if (this.peek() === Unit.zero) this.at++;
    else this.digits();
    if (isDigit(this.peek())) this.syntax('a number does not begin with 0: remove the 0');
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
    if (!Number.isFinite(value))
      this.report(this.frames.length, 'number_too_large', 'is a number too large to be kept: send it as a string');
    else if (isInteger && String(value) !== literal)
      this.report(
        this.frames.length,
        'number_inexact',
        'is an integer that would not keep its digits: send it as a string',
      );
  }

  private digits(): void {
    if (!isDigit(this.peek())) this.unexpected('a digit');
    do this.at++;
    while (isDigit(this.peek()));
  }

  /** Reads the string whose opening quote is in hand; a problem in it is told of the `depth`th container or value. */
  private string(depth: number): void {
    const { text } = this;
    const start = this.at;
    let at = start + 1;
    let loneSurrogate = false;
    let nullCharacter = false;
    for (;;) {
      const unit = text.charCodeAt(at);
      if (unit === Unit.quote) break;
      if (unit !== Unit.backslash) {
        if (!(unit >= Unit.space)) this.brokenString(start, at);
        at++;
        continue;
      }
      if (text.charCodeAt(at + 1) !== Unit.u) {
        if (!'"\\/bfnrt'.includes(text[at + 1] ?? ' ')) this.brokenString(start, at + 1);
        at += 2;
        continue;
      }
      const code = this.escapedUnit(start, at);
      at += 6;
      if (code === 0) nullCharacter = true;
      if ((code & 0xf800) !== 0xd800) continue;
      // A high half wants a low half right behind it; whatever else stands there is read for itself.
      const paired = code < 0xdc00 && text.startsWith('\\u', at) && (this.escapedUnit(start, at) & 0xfc00) === 0xdc00;
      if (paired) at += 6;
      else loneSurrogate = true;
    }
    this.at = at + 1;
    if (loneSurrogate)
      this.report(depth, 'lone_surrogate', 'has half a character in it (a lone surrogate): send both halves, or none');
    if (nullCharacter)
      this.report(depth, 'null_character', 'has the character \\u0000 in it, which cannot be kept: remove it');
  }

  /** The unit that the escape `\uXXXX` at `at` stands for. */
  private escapedUnit(start: number, at: number): number {
    let code = 0;
    for (let i = at + 2; i < at + 6; i++) {
      const digit = hexDigit(this.text.charCodeAt(i));
      if (digit < 0) this.brokenString(start, at + 1);
      code = code * 16 + digit;
    }
    return code;
  }

  /** Where the scan is, by the keys and indices of the outer `depth` containers: `metadata.a[2]`. */
  private path(depth: number): string {
    return this.frames.slice(0, depth).reduce((path, { keys, key, count }) => {
      if (!keys) return `${path}[${count - 1}]`;
      if (!/^[A-Za-z_$][\w$]{0,39}$/.test(key)) return `${path}[${quoted(key)}]`;
      return path === '' ? key : `${path}.${key}`;
    }, '');
  }

  private report(depth: number, code: string, what: string): void {
    const path = this.path(depth);
    this.problems.push({ path, code, message: `${path || 'the body'} ${what}` });
    if (this.problems.length >= MAX_PROBLEMS) throw new Stop();
  }

  private stop(code: string, what: string): never {
    this.problems.push({ path: '', code, message: `the body ${what}` });
    throw new Stop();
  }

  private notJson(why: string): never {
    this.stop('not_json', `is not JSON: ${why}`);
  }

  private syntax(what: string): never {
    this.notJson(syntaxError(this.text, this.at, what));
  }

  private unexpected(expected: string): never {
    this.notJson(unexpected(this.text, this.at, expected));
  }

  /** The string that began at `start` goes wrong at `at`. */
  private brokenString(start: number, at: number): never {
    this.notJson(brokenString(this.text, start, at));
  }
}
