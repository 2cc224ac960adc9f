import type { WallTheme } from '../walls/theme.js';

/** Look of VK's wall. */
export const THEME: WallTheme = {
  layout: 'cards',
  light: {
    '--accent': '#0077ff',
    '--ground-1': '#edeef0',
    '--ground-2': '#edeef0',
    '--ground-3': '#edeef0',
    '--ground-4': '#edeef0',
    '--like': "'♡  💬  ↪'",
  },
  dark: {
    '--accent': '#71aaff',
    '--bubble': '#19191a',
    '--ground-1': '#0a0a0a',
    '--ground-2': '#0a0a0a',
    '--ground-3': '#0a0a0a',
    '--ground-4': '#0a0a0a',
  },
};
