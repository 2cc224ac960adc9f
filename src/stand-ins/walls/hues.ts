/** Hues for avatars and names; all are readable on light and dark backgrounds. */
const HUES = [4, 24, 140, 178, 208, 262, 330];

/** CSS rules for the hues, because the Content-Security-Policy forbids style attributes. */
export const HUE_RULES = HUES.map((hue) => `[data-hue="${hue}"] { --hue: ${hue}; }`).join('\n');

/** Returns a stable hue for a channel. */
export const hueOf = (key: string): number =>
  HUES[[...key].reduce((sum, char) => (sum * 31 + (char.codePointAt(0) ?? 0)) % 9_973, 0) % HUES.length] ?? 0;
