import { checkRelease } from '../api/release.js';
import { defineMessages } from '../i18n/messages.js';
import { toastError } from './toasts.js';

const m = defineMessages({
  en: { notLoaded: 'A part of the console could not be loaded. Check the connection, and try again.' },
  ru: { notLoaded: 'Часть консоли не загрузилась. Проверьте соединение и попробуйте ещё раз.' },
});

/** Returns scripts that a screen can be shown without. */
export const loadedLater = <Scripts>(get: () => Promise<Scripts>) => {
  let loaded: Scripts | undefined;
  const load = async (): Promise<void> => {
    loaded ??= await get();
  };
  return {
    get loaded() {
      return loaded;
    },
    /** Loads them before they are needed. If this fails, they are loaded again then. */
    loadAhead: (): void => void load().catch(() => undefined),
    /** Loads them now; a message says so if this fails, perhaps because the gateway serves a newer console. */
    load: (onLoaded: () => void): void =>
      void load().then(onLoaded, (error: unknown) => {
        toastError(error, m.notLoaded);
        checkRelease();
      }),
  };
};
