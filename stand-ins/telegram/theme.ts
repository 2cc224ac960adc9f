import type { WallTheme } from '../walls/theme.js';

/** Theme of Telegram's wall. */
export const THEME: WallTheme = {};
