import type { WallTheme } from '../walls/theme.js';

/** Look of OK's wall. */
export const THEME: WallTheme = {
  layout: 'cards',
  light: {
    '--accent': '#ee8208',
    '--ground-1': '#f0f2f5',
    '--ground-2': '#f0f2f5',
    '--ground-3': '#f0f2f5',
    '--ground-4': '#f0f2f5',
    '--like': "'👍 Klass!'",
  },
  dark: {
    '--accent': '#ffab5c',
    '--bubble': '#222326',
    '--ground-1': '#121314',
    '--ground-2': '#121314',
    '--ground-3': '#121314',
    '--ground-4': '#121314',
  },
};
