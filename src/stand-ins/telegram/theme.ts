import type { WallTheme } from '../walls/theme.js';

/** Look of Telegram's wall. */
export const THEME: WallTheme = {};
