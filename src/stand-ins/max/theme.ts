import type { WallTheme } from '../walls/theme.js';

/** Look of MAX's wall. */
export const THEME: WallTheme = {
  light: {
    '--accent': '#6a4df5',
    '--ground-1': '#e2dcff',
    '--ground-2': '#cfd8ff',
    '--ground-3': '#f0e3ff',
    '--ground-4': '#bfc9fb',
  },
  dark: {
    '--accent': '#a596ff',
    '--ground-1': '#1b1730',
    '--ground-2': '#151226',
    '--ground-3': '#231d3d',
    '--ground-4': '#100e1d',
  },
};
