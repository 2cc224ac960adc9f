/** Names of the placeholders in a template: `'{field} is {length} long'` has `field` and `length`. */
type Placeholder<Template extends string> = Template extends `${string}{${infer Name}}${infer Rest}`
  ? Name | Placeholder<Rest>
  : never;

/** A value for each placeholder in a template, and nothing else. */
export type MessageValues<Template extends string> = {
  readonly [Name in Placeholder<Template>]: string | number;
};

/** A message with placeholders: call it with their values. */
export type Message<Template extends string> = ((values: MessageValues<Template>) => string) & {
  /** Its text with the placeholders. */
  readonly template: string;
};

/**
 * Creates a message with placeholders (ADR-119). The template is split once, when its file is loaded; a call only joins
 * strings. A missing or extra value is a type error. Braces always mark placeholders: a literal brace must come from a
 * value.
 */
export const message = <const Template extends string>(template: Template): Message<Template> => {
  const parts = template.split(/[{}]/);
  const fill = (values: MessageValues<Template>): string => {
    const valueOf = values as Readonly<Record<string, string | number>>;
    let text = parts[0] as string;
    for (let i = 1; i < parts.length; i += 2) text += `${valueOf[parts[i] as string]}${parts[i + 1]}`;
    return text;
  };
  return Object.assign(fill, { template });
};

/** Formats a count with its noun: `1 post`, `2 posts`. */
export const countOf = (count: number, one: string, many = `${one}s`): string =>
  `${count.toLocaleString('en-US')} ${count === 1 ? one : many}`;

/** Formats alternatives as a list: `a`, `a or b`, `a, b or c`. */
export const oneOf = (words: readonly string[]): string =>
  words.length > 1 ? `${words.slice(0, -1).join(', ')} or ${words.at(-1)}` : (words[0] ?? '');

/** Ends text with a full stop, unless it already ends with punctuation. */
export const asSentence = (text: string): string => (/[.!?…]$/.test(text) ? text : `${text}.`);
