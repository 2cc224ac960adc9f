import { type Locale, useLocale } from './locale.js';

/** The texts of one area in all languages. The English texts define the shape of the others. */
export type Messages<T> = Readonly<Record<Locale, T>>;

/**
 * Declares the texts of an area. A text is a string, or a function that inserts values:
 * `defineMessages({ en: { paused: (name: string) => `${name} is paused` }, ru: { … } })`.
 */
export const defineMessages = <T extends Readonly<Record<string, unknown>>>(messages: {
  readonly en: T;
  readonly ru: { readonly [K in keyof T]: T[K] extends string ? string : T[K] };
}): Messages<T> => messages as Messages<T>;

/** Declares texts that are looked up by a name from the gateway. Some names may have no text. */
export const byName = <T>(texts: Readonly<Record<string, T>>): Readonly<Record<string, T>> => texts;

/** Returns the texts of an area in the current language. */
export const useMessages = <T>(messages: Messages<T>): T => messages[useLocale()];

const RULES = { en: new Intl.PluralRules('en'), ru: new Intl.PluralRules('ru') };

/** Chooses the singular or plural form of an English word. */
export const pluralEn = (count: number, one: string, other: string): string =>
  RULES.en.select(count) === 'one' ? one : other;

/** Chooses the form of a Russian word for a number: 1 пост, 2 поста, 5 постов. Fractions take `few`: 1,5 поста. */
export const pluralRu = (count: number, one: string, few: string, many: string): string => {
  const rule = RULES.ru.select(count);
  if (rule === 'one') return one;
  return rule === 'many' ? many : few;
};
