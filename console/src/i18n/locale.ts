import { useSyncExternalStore } from 'react';
import { createStore } from '../components/store.js';

/** Languages of the console. */
export const LOCALES = ['en', 'ru'] as const;
export type Locale = (typeof LOCALES)[number];

const STORAGE_KEY = 'crosspost.locale';

/** Returns the chosen language; by default, the first of the browser's languages that the console supports. */
const readLocale = (): Locale => {
  if (typeof document === 'undefined') return 'en'; // in unit specs, which have no page
  const wanted = [localStorage.getItem(STORAGE_KEY), ...navigator.languages.map((tag) => tag.slice(0, 2))];
  return wanted.find((tag): tag is Locale => LOCALES.some((locale) => locale === tag)) ?? 'en';
};

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

/** Returns the current language, and renders again when it changes. Only the frame and its screens need that. */
export const useLocale = (): Locale => useSyncExternalStore(store.subscribe, store.get);
