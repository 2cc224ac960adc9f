import { type Locale, useLocale } from './locale.js';

/** The messages of one area in all languages. The English messages define the shape of the others. */
export type Messages<T> = Readonly<Record<Locale, T>>;

/**
 * Declares the messages of an area. A message is a string, or a function that inserts values:
 * `defineMessages({ en: { paused: (name: string) => `${name} is paused` }, ru: { … } })`.
 */
export const defineMessages = <T extends Readonly<Record<string, unknown>>>(messages: {
  readonly en: T;
  readonly ru: { readonly [K in keyof T]: T[K] extends string ? string : T[K] };
}): Messages<T> => messages as Messages<T>;

/** Declares messages that are looked up by a name from the gateway. Some names may have no message. */
export const byName = <T>(texts: Readonly<Record<string, T>>): Readonly<Record<string, T>> => texts;

/** Returns the messages of an area in the current language. */
export const useMessages = <T>(messages: Messages<T>): T => messages[useLocale()];

const RULES = { en: new Intl.PluralRules('en'), ru: new Intl.PluralRules('ru') };

/** Chooses the singular or plural form of an English word. */
export const pluralEn = (count: number, one: string, other: string): string =>
  RULES.en.select(count) === 'one' ? one : other;

/** Chooses the plural form of a Russian word: 1 пост, 2 поста, 5 постов. Fractions use `few`: 1,5 поста. */
export const pluralRu = (count: number, one: string, few: string, many: string): string => {
  const rule = RULES.ru.select(count);
  if (rule === 'one') return one;
  return rule === 'many' ? many : few;
};
