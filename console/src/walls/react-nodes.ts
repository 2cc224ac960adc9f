import { createElement, type ReactNode } from 'react';
import type { WallNode } from '../../../stand-ins/walls/wall-node.js';

/** Attributes whose React name differs from the HTML name. */
const NAMES: Readonly<Record<string, string>> = {
  class: 'className',
  tabindex: 'tabIndex',
  datetime: 'dateTime',
  'stroke-width': 'strokeWidth',
};

/** URL schemes that the console makes clickable. A network may allow more. */
const LINKED = /^(https|tg):/i;

/** Converts a wall's nodes to React nodes. Strings stay strings, so they are never parsed as HTML. */
export const toReact = (nodes: readonly WallNode[]): ReactNode[] =>
  nodes.map((node, index) => {
    if (typeof node === 'string') return node;
    const { tag, attributes, children } = node;
    const isDead = tag === 'a' && !LINKED.test(attributes['href'] ?? '');
    const given = Object.entries(attributes).filter(([name]) => !isDead || name === 'class');
    const props = Object.fromEntries(given.map(([name, value]) => [NAMES[name] ?? name, value]));
    return createElement(isDead ? 'span' : tag, { ...props, key: index }, ...toReact(children));
  });
