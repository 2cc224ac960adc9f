import { useSyncExternalStore } from 'react';
import { createStore } from '../components/store.js';

/** Light, dark, or the system's setting. */
export const THEMES = ['auto', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

const STORAGE_KEY = 'crosspost.theme';

const store = createStore<Theme>(THEMES.find((theme) => theme === localStorage.getItem(STORAGE_KEY)) ?? 'auto');

const apply = (): void => {
  document.documentElement.dataset.theme = store.get();
};
apply();

/** Changes the theme for this browser. */
export const setTheme = (theme: Theme): void => {
  localStorage.setItem(STORAGE_KEY, theme);
  store.set(theme);
  apply();
};

/** Returns the chosen theme. */
export const useTheme = (): Theme => useSyncExternalStore(store.subscribe, store.get);
