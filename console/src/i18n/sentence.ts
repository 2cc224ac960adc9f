import type { Format } from './format.js';

/** A value in a sentence: console text, a name or text written by a user, or a time (ISO 8601). */
export type SentenceValue = string | { readonly name: string } | { readonly at: string };

/**
 * A sentence with placeholders and their values: `{name} is paused until {until}`. On the page, names and times have
 * their own elements.
 */
export interface Sentence {
  readonly text: string;
  readonly values: Readonly<Record<string, SentenceValue>>;
}

/** Creates a sentence from text with placeholders and the values for them. */
export const sentence = (text: string, values: Sentence['values'] = {}): Sentence => ({ text, values });

/**
 * Returns the parts of a sentence in order. A placeholder without a value is left as it is, so that the mistake is
 * visible.
 */
export const splitSentence = ({ text, values }: Sentence): readonly SentenceValue[] =>
  text
    .split(/(\{\w+\})/)
    .filter((part) => part !== '')
    .map((part) => (part.startsWith('{') ? values[part.slice(1, -1)] : undefined) ?? part);

/**
 * Returns a sentence as plain text, for tooltips and screen readers. Names are wrapped in invisible characters that
 * isolate their text direction.
 */
export const plainSentence = (given: Sentence, format: Format, now: number): string =>
  splitSentence(given)
    .map((part) => {
      if (typeof part === 'string') return part;
      return 'name' in part ? `\u2068${part.name}\u2069` : format.moment(part.at, now);
    })
    .join('');
