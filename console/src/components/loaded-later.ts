import { checkRelease } from '../api/release.js';
import { defineMessages } from '../i18n/messages.js';
import { toastError } from './toasts.js';

const m = defineMessages({
  en: { notLoaded: 'A part of the console could not be loaded. Check the connection, and try again.' },
  ru: { notLoaded: 'Часть консоли не загрузилась. Проверьте соединение и попробуйте ещё раз.' },
});

/** Wraps scripts that are loaded after the screen is shown, or when they are first needed. */
export const loadedLater = <Scripts>(get: () => Promise<Scripts>) => {
  let loaded: Scripts | undefined;
  const load = async (): Promise<void> => {
    loaded ??= await get();
  };
  return {
    get loaded() {
      return loaded;
    },
    /** Loads the scripts before they are needed. If this fails, {@link load} tries again. */
    loadAhead: (): void => void load().catch(() => undefined),
    /** Loads the scripts now, or shows an error. The gateway may serve a newer console, which does not have them. */
    load: (onLoaded: () => void): void =>
      void load().then(onLoaded, (error: unknown) => {
        toastError(error, m.notLoaded);
        checkRelease();
      }),
  };
};
