import type { Message } from '../kernel/message.js';

/** The sentences of an area in another language: every sentence must have a form, or the compiler refuses the table. */
type Forms<Messages> = {
  readonly [Name in keyof Messages]: Messages[Name] extends string | ((values: never) => string)
    ? string
    : Forms<Messages[Name]>;
};

/** English sentences and words with their form in another language. `{…}` is a value in both. */
export interface Translation {
  /** The messages that it covers; null if it covers words or tables. */
  readonly of: object | null;
  readonly pairs: readonly (readonly [english: string, translated: string])[];
}

/** Translates the messages of an area, by their names. */
export const translate = <Messages extends object>(messages: Messages, forms: Forms<Messages>): Translation => ({
  of: messages,
  pairs: Object.entries(messages).flatMap(([name, message]) =>
    pairsOf(message, (forms as Record<string, unknown>)[name]),
  ),
});

const pairsOf = (message: unknown, form: unknown): Translation['pairs'] => {
  if (typeof message === 'string') return [[message, form as string]];
  if (typeof message === 'function') return [[(message as Message<string>).template, form as string]];
  return Object.entries(message as object).flatMap(([name, one]) =>
    pairsOf(one, (form as Record<string, unknown>)[name]),
  );
};

/**
 * Values that are words or sentences of the gateway themselves, and are translated too. All other values come from
 * people, networks or requests and stay as they are.
 */
const OWN_WORDS = new Set([
  ...['advice', 'aggregates', 'attempt', 'channel', 'channels', 'detail', 'entities', 'error', 'example', 'expected'],
  ...['first', 'form', 'formats', 'found', 'instead', 'interval', 'kind', 'limit', 'links', 'match', 'mime', 'others'],
  ...['parts', 'problem', 'project', 'reason', 'remedy', 'resource', 'rules', 'schemes', 'side', 'size', 'state'],
  ...['things', 'type', 'units', 'value', 'values', 'wanted', 'what', 'when', 'whose'],
]);

/** A sentence with placeholders: the text between them, and their names in both languages. */
interface Template {
  readonly literals: readonly string[];
  readonly names: readonly string[];
  readonly translated: readonly string[];
}

/** The path of a field, with the host of its URL where a message names it: `media[0].url (cdn.example.org)`. */
const PATH = /^(?:the body|(?:[\w$.]|\[(?:\d+|"(?:[^"\\]|\\.)*"…?)\])+(?: \([^ )]+\))?) /;

/** What may follow a sentence: a full stop that was added, and a network's words. */
const ENDS = [/^(.+)(\.)$/s, /^(.+)( \(.*\)\.?)$/s, /^(.+?)(: .*)$/s];

/** Longest text, in UTF-16 units, that is searched for a sentence inside it. */
const LONGEST = 4_000;

/** How deep sentences contain others: an attempt's error that quotes a reason that quotes a field's problem. */
const MAX_DEPTH = 5;

/**
 * Translates sentences by finding the message that they were made from (ADR-320). Sentences in events, read models and
 * stored responses are found too, because only their text counts.
 */
export class Translator {
  private readonly exact = new Map<string, string>();
  private readonly templates: readonly Template[];

  constructor(
    translations: readonly Translation[],
    private readonly body: string,
    private readonly or: string,
  ) {
    const templates: Template[] = [];
    for (const [english, translated] of translations.flatMap(({ pairs }) => pairs)) {
      const parts = english.split(/\{(\w+)\}/);
      if (parts.length === 1) this.exact.set(english, translated);
      else templates.push({ ...splitTemplate(parts), translated: translated.split(/\{(\w+)\}/) });
    }
    // The message with most words of its own fits best.
    const weight = ({ literals }: Template): number => literals.join('').length;
    this.templates = templates.sort((one, other) => weight(other) - weight(one));
  }

  /** Returns a sentence in the other language; unchanged if it is not one of the gateway's. */
  translate(text: string): string {
    return this.find(text, 0) ?? text;
  }

  private find(text: string, depth: number): string | undefined {
    if (text === '' || depth > MAX_DEPTH) return undefined;
    return this.exact.get(text) ?? this.fill(text, depth) ?? this.findInside(text, depth);
  }

  private fill(text: string, depth: number): string | undefined {
    for (const { literals, names, translated } of this.templates) {
      const values = readValues(text, literals);
      if (!values) continue;
      return translated
        .map((part, index) => {
          if (index % 2 === 0) return part;
          const value = values[names.indexOf(part)] ?? '';
          return OWN_WORDS.has(part) ? (this.find(value, depth + 1) ?? this.join(value)) : value;
        })
        .join('');
    }
    return undefined;
  }

  /** Translates a sentence that follows a field's path, or that is followed by one of the {@link ENDS}. */
  private findInside(text: string, depth: number): string | undefined {
    if (text.length > LONGEST) return undefined;
    const path = PATH.exec(text)?.[0];
    if (path !== undefined) {
      const predicate = this.find(text.slice(path.length), depth + 1);
      if (predicate !== undefined) return `${path === 'the body ' ? `${this.body} ` : path}${predicate}`;
    }
    for (const end of ENDS) {
      const [, sentence, rest] = end.exec(text) ?? [];
      const found = sentence === undefined ? undefined : this.find(sentence, depth + 1);
      if (found !== undefined) return `${found}${rest}`;
    }
    return undefined;
  }

  /** Translates the last comma of a list: `a, b or c`. */
  private join(value: string): string {
    return /^[\w"./:+-]+(?:, [\w"./:+-]+)* or [\w"./:+-]+$/.test(value)
      ? value.replace(/ or (?=[^ ]+$)/, ` ${this.or} `)
      : value;
  }
}

const splitTemplate = (parts: readonly string[]): Pick<Template, 'literals' | 'names'> => ({
  literals: parts.filter((_, index) => index % 2 === 0),
  names: parts.filter((_, index) => index % 2 === 1),
});

/** Returns the values in a text that has these literals in this order; undefined if it does not. Takes linear time. */
const readValues = (text: string, literals: readonly string[]): string[] | undefined => {
  const [first, last] = [literals[0]!, literals.at(-1)!];
  if (!text.startsWith(first) || !text.endsWith(last) || text.length < first.length + last.length) return undefined;
  const end = text.length - last.length;
  const values: string[] = [];
  let from = first.length;
  for (const literal of literals.slice(1, -1)) {
    const at = text.indexOf(literal, from);
    if (at < 0 || at + literal.length > end) return undefined;
    values.push(text.slice(from, at));
    from = at + literal.length;
  }
  return [...values, text.slice(from, end)];
};
