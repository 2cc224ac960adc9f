import type { WallTheme } from '../walls/theme.js';

/** Theme of OK's wall. */
export const THEME: WallTheme = {
  layout: 'cards',
  properties: {
    '--accent': 'light-dark(#b85c00, #ffab5c)',
    '--bubble': 'light-dark(#ffffff, #222326)',
    '--ground': 'light-dark(#f0f2f5, #121314)',
    '--like': "'👍 Klass!'",
  },
};
