const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for an HTML element or quoted attribute. */
export const escapeHtml = (text: string): string => text.replace(/[&<>"']/g, (char) => ENTITIES[char] ?? char);

/** A piece of text, or an element. The walls write nodes as HTML; the console builds page elements from them. */
export type WallNode = string | WallElement;

/** An element with its attributes, named as in HTML. */
export interface WallElement {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: readonly WallNode[];
}

/** Creates a {@link WallElement}. */
export const element = (
  tag: string,
  attributes: WallElement['attributes'] = {},
  children: readonly WallNode[] = [],
): WallElement => ({ tag, attributes, children });

/** Elements without an end tag. */
const VOID = new Set(['img']);

/** Writes nodes as HTML that is safe to insert: text and attribute values are escaped. */
export const toHtml = (nodes: readonly WallNode[]): string =>
  nodes
    .map((node) => {
      if (typeof node === 'string') return escapeHtml(node);
      const { tag, attributes, children } = node;
      const written = Object.entries(attributes).map(([name, value]) => ` ${name}="${escapeHtml(value)}"`);
      return `<${tag}${written.join('')}>${VOID.has(tag) ? '' : `${toHtml(children)}</${tag}>`}`;
    })
    .join('');
