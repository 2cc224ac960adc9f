import { useEffect, useSyncExternalStore } from 'react';
import { createStore } from '../components/store.js';
import { useLocale } from './messages.js';

const russian = createStore<ReadonlyMap<string, string> | null>(null);
let isLoading = false;

/** Few people need the translations, so they are not part of the first view. */
const loadRussian = (): void => {
  if (isLoading) return;
  isLoading = true;
  import('./russian-advice.js').then(
    ({ RUSSIAN_ADVICE }) => russian.set(RUSSIAN_ADVICE),
    () => (isLoading = false),
  );
};

/**
 * Returns a function that translates the gateway's advice about a network's error into the current language. It returns
 * null if there is no translation, or none yet.
 */
export const useAdvice = (): ((message: string) => string | null) => {
  const locale = useLocale();
  const translations = useSyncExternalStore(russian.subscribe, russian.get);
  useEffect(() => {
    if (locale === 'ru') loadRussian();
  }, [locale]);
  return (message) => (locale === 'en' ? message : (translations?.get(message) ?? null));
};
