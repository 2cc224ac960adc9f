import { useSyncExternalStore } from 'react';
import { createStore } from '../components/store.js';
import { type Locale, LOCALES, readLocale, STORAGE_KEY } from './locale.js';

export { type Locale, LOCALES };

const store = createStore<Locale>(readLocale());
if (typeof document !== 'undefined') document.documentElement.lang = store.get();

/** Changes the language for this browser. */
export const setLocale = (locale: Locale): void => {
  localStorage.setItem(STORAGE_KEY, locale);
  document.documentElement.lang = locale;
  store.set(locale);
};

/** Returns the current language. */
export const getLocale = store.get;

/** Calls the listener after each change of the language. */
export const onLocaleChange = store.subscribe;

/** Returns the current language, and renders again when it changes. Only the frame and its screens need that. */
export const useLocale = (): Locale => useSyncExternalStore(store.subscribe, store.get);

/** The messages of one area: in the current language, and in each language. */
export type Messages<T> = T & Readonly<Record<Locale, T>>;

/**
 * Declares the messages of an area. A message is a string, or a function that inserts values:
 * `defineMessages({ en: { paused: (name: string) => `${name} is paused` }, ru: { … } })`. The result has them in the
 * language of the moment in which they are read, so read them while rendering.
 */
export const defineMessages = <T extends Readonly<Record<string, unknown>>>(messages: {
  readonly en: T;
  readonly ru: { readonly [K in keyof T]: T[K] extends string ? string : T[K] };
}): Messages<T> =>
  new Proxy(messages, {
    get: (all, key) => Reflect.get(key in all ? all : all[getLocale()], key),
  }) as unknown as Messages<T>;

/** Declares messages that are looked up by a name from the gateway. Some names may have no message. */
export const byName = <T>(texts: Readonly<Record<string, T>>): Readonly<Record<string, T>> => texts;

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
