import type { WallTheme } from '../walls/theme.js';

/** Theme of VK's wall. */
export const THEME: WallTheme = {
  layout: 'cards',
  properties: {
    '--accent': 'light-dark(#0067e0, #71aaff)',
    '--bubble': 'light-dark(#ffffff, #19191a)',
    '--ground': 'light-dark(#edeef0, #0a0a0a)',
    '--like': "'♡  💬  ↪'",
  },
};
