/** Look of a network's wall. By default a wall looks like a channel of a messenger. */
export interface WallTheme {
  /** Cards look like the feed of a community; `messages` is the default. */
  readonly layout?: 'messages' | 'cards';
  /** Values of the page's custom properties, such as `--accent`. */
  readonly light?: Readonly<Record<`--${string}`, string>>;
  /** Values for readers with a dark system theme. */
  readonly dark?: Readonly<Record<`--${string}`, string>>;
}

/** Returns the style sheet of one network's theme. */
export const themeCss = (platform: string, { light = {}, dark = {} }: WallTheme): string => {
  const selector = `[data-platform='${platform}']`;
  return (
    ruleOf(selector, light) +
    (Object.keys(dark).length > 0 ? `@media (prefers-color-scheme: dark) { ${ruleOf(selector, dark)} }\n` : '')
  );
};

const ruleOf = (selector: string, properties: Readonly<Record<string, string>>): string => {
  const declarations = Object.entries(properties).map(([name, value]) => `${name}: ${value};`);
  return declarations.length > 0 ? `${selector} { ${declarations.join(' ')} }\n` : '';
};
