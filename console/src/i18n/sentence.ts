import type { Format } from './format.js';

/** A value in a sentence: a text of the console, a name or text written by a person, or a time (ISO 8601). */
export type SentenceValue = string | { readonly name: string } | { readonly at: string };

/**
 * A sentence with values in it: `{name} is paused until {until}`. On the page, names and times have their own elements.
 */
export interface Sentence {
  readonly text: string;
  readonly values: Readonly<Record<string, SentenceValue>>;
}

/** Creates a sentence from a text with slots and the values for them. */
export const sentence = (text: string, values: Sentence['values'] = {}): Sentence => ({ text, values });

/** Returns the parts of a sentence in order. A slot without a value stays as it is, so that the mistake is visible. */
export const splitSentence = ({ text, values }: Sentence): readonly SentenceValue[] =>
  text
    .split(/(\{\w+\})/)
    .filter((part) => part !== '')
    .map((part) => (part.startsWith('{') ? values[part.slice(1, -1)] : undefined) ?? part);

/**
 * Returns a sentence as plain text, for tooltips and screen readers. Invisible marks isolate the text direction of
 * names.
 */
export const plainSentence = (given: Sentence, format: Format, now: number): string =>
  splitSentence(given)
    .map((part) => {
      if (typeof part === 'string') return part;
      return 'name' in part ? `\u2068${part.name}\u2069` : format.moment(part.at, now);
    })
    .join('');
