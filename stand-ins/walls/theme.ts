/** Appearance of a network's wall; the default resembles a messenger channel. */
export interface WallTheme {
  /** `cards` looks like a community's feed; the default is `messages`. */
  readonly layout?: 'messages' | 'cards';
  /** Custom properties that replace defaults in `post-style.ts`, such as `--accent`; colours as `light-dark(…, …)`. */
  readonly properties?: Readonly<Record<`--${string}`, string>>;
}

/** Returns the style sheet of one network's theme. */
export const themeCss = (selector: string, { properties = {} }: WallTheme): string => {
  const declarations = Object.entries(properties).map(([name, value]) => `${name}: ${value};`);
  return declarations.length > 0 ? `${selector} { ${declarations.join(' ')} }\n` : '';
};
