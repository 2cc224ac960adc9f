/** Languages of the console. */
export const LOCALES = ['en', 'ru'] as const;
export type Locale = (typeof LOCALES)[number];

/** Where the browser keeps the chosen language. */
export const STORAGE_KEY = 'crosspost.locale';

/** Returns the chosen language; by default, the first of the browser's languages that the console supports. */
export const readLocale = (): Locale => {
  if (typeof document === 'undefined') return 'en'; // in unit specs, which have no page
  const wanted = [localStorage.getItem(STORAGE_KEY), ...navigator.languages.map((tag) => tag.slice(0, 2))];
  return wanted.find((tag): tag is Locale => LOCALES.some((locale) => locale === tag)) ?? 'en';
};
