import type { WallTheme } from '../walls/theme.js';

/** Theme of MAX's wall. */
export const THEME: WallTheme = {
  properties: {
    '--accent': 'light-dark(#6a4df5, #a596ff)',
    '--over': 'light-dark(rgb(61 51 112 / 74%), rgb(255 255 255 / 12%))',
    '--ground-1': 'light-dark(#e2dcff, #1b1730)',
    '--ground-2': 'light-dark(#cfd8ff, #151226)',
    '--ground-3': 'light-dark(#f0e3ff, #231d3d)',
    '--ground-4': 'light-dark(#bfc9fb, #100e1d)',
  },
};
