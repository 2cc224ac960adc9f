import { type FormattedText, lineStarts, type MarkType } from './formatted-text.js';

/** A stretch of text with the same formatting. */
export interface Run {
  readonly text: string;
  readonly types: readonly MarkType[];
}

/** A line as the editor shows it. */
export interface Line {
  readonly isQuote: boolean;
  readonly runs: readonly Run[];
}

/** Splits text into lines, and lines into runs with the same formatting. */
export const linesOf = ({ text, marks }: FormattedText): Line[] => {
  const starts = lineStarts(text);
  return starts.map((start, index) => {
    const end = (starts[index + 1] ?? text.length + 1) - 1;
    const inside = marks.filter((mark) => mark.start <= end && start <= mark.end);
    const borders = [...new Set([start, end, ...inside.flatMap((mark) => [mark.start, mark.end])])]
      .filter((at) => start <= at && at <= end)
      .sort((a, b) => a - b);
    const runs = borders.slice(0, -1).map((from, place) => ({
      text: text.slice(from, borders[place + 1]),
      types: inside.filter((mark) => mark.type !== 'quote' && mark.start <= from && from < mark.end).map(typeOf),
    }));
    // An empty line is part of a quote that extends to it.
    const isQuote = inside.some((mark) => mark.type === 'quote' && (start < mark.end || start === end));
    return { isQuote, runs };
  });
};

const typeOf = ({ type }: { readonly type: MarkType }): MarkType => type;

/** Renders text in an editable element, with one child per line. Leaves unchanged lines alone. */
export const showText = (root: HTMLElement, value: FormattedText): void => {
  const lines = linesOf(value);
  const written = lines.map((line) => JSON.stringify(line));
  const shown = [...root.children].map((child) => shownLines.get(child));
  // A browser may leave text nodes next to the lines.
  const isSound = root.childNodes.length === root.children.length && shown.every((line) => line !== undefined);
  const max = isSound ? Math.min(written.length, shown.length) : 0;
  let first = 0;
  while (first < max && written[first] === shown[first]) first++;
  let last = 0;
  while (last < max - first && written.at(-1 - last) === shown.at(-1 - last)) last++;
  const before = isSound ? (root.children[shown.length - last] ?? null) : null;
  const removed = isSound ? [...root.children].slice(first, shown.length - last) : [...root.childNodes];
  for (const node of removed) node.remove();
  for (let index = first; index < lines.length - last; index++) {
    const element = createLine(lines[index]!);
    shownLines.set(element, written[index]!);
    root.insertBefore(element, before);
  }
};

const shownLines = new WeakMap<Element, string>();

/** Forgets the rendered lines after the browser has changed them itself, so that {@link showText} rebuilds them. */
export const forgetLines = (root: HTMLElement): void => {
  for (const child of root.children) shownLines.delete(child);
};

const createLine = ({ isQuote, runs }: Line): HTMLElement => {
  const line = document.createElement('div');
  line.dir = 'auto';
  if (isQuote) line.className = 'mark-quote';
  for (const { text, types } of runs) {
    const words = document.createElement('span');
    words.className = types.map((type) => `mark-${type}`).join(' ');
    words.textContent = text;
    line.append(words);
  }
  // A line without content has no height and cannot hold the caret.
  if (runs.length === 0) line.append(document.createElement('br'));
  return line;
};

/** Reads the text of an editable element. */
export const readText = (root: HTMLElement): string =>
  [...root.childNodes].map((node) => node.textContent ?? '').join('\n');

/** Returns the text offset of a position in an editable element. */
export const toOffset = (root: HTMLElement, node: Node, nodeOffset: number): number => {
  const range = document.createRange();
  let offset = 0;
  for (const [index, line] of [...root.childNodes].entries()) {
    if (node === root && index === nodeOffset) return Math.max(0, offset);
    if (line === node || line.contains(node)) {
      range.setStart(line, 0);
      range.setEnd(node, nodeOffset);
      return offset + range.toString().length;
    }
    offset += (line.textContent ?? '').length + 1;
  }
  return Math.max(0, offset - 1);
};

/** Converts an offset in the text to a position in an editable element: a node and the offset in it. */
const toPlace = (root: HTMLElement, offset: number): readonly [Node, number] => {
  let rest = offset;
  for (const line of root.children) {
    const length = (line.textContent ?? '').length;
    if (rest > length) {
      rest -= length + 1;
      continue;
    }
    for (const words of line.children) {
      const text = words.firstChild;
      const size = text?.nodeType === Node.TEXT_NODE ? (text as Text).length : -1;
      if (text && rest <= size) return [text, rest];
      rest -= Math.max(0, size);
    }
    return [line, 0];
  }
  return [root, root.childNodes.length];
};

/** Selects a range of the text in an editable element. */
export const select = (root: HTMLElement, start: number, end: number): void => {
  const [anchor, anchorOffset] = toPlace(root, start);
  const [focus, focusOffset] = toPlace(root, end);
  document.getSelection()?.setBaseAndExtent(anchor, anchorOffset, focus, focusOffset);
};

/** Returns the selected range of the text; null if the selection is outside the element. */
export const readSelection = (root: HTMLElement): { readonly start: number; readonly end: number } | null => {
  const selection = document.getSelection();
  if (!selection?.anchorNode || !selection.focusNode) return null;
  if (!root.contains(selection.anchorNode) || !root.contains(selection.focusNode)) return null;
  const anchor = toOffset(root, selection.anchorNode, selection.anchorOffset);
  const focus = toOffset(root, selection.focusNode, selection.focusOffset);
  return { start: Math.min(anchor, focus), end: Math.max(anchor, focus) };
};

/**
 * Scrolls an editable element so that the end of the selection is visible. Browsers do this only after their own
 * changes.
 */
export const scrollToCaret = (root: HTMLElement): void => {
  const selection = document.getSelection();
  if (!selection?.focusNode) return;
  const range = document.createRange();
  range.setStart(selection.focusNode, selection.focusOffset);
  const { focusNode } = selection;
  const line = focusNode instanceof Element ? focusNode : focusNode.parentElement;
  const caret = [...range.getClientRects()].at(-1) ?? line?.getBoundingClientRect();
  const { top, bottom } = root.getBoundingClientRect();
  if (!caret) return;
  if (caret.bottom > bottom - MARGIN) root.scrollTop += caret.bottom - bottom + MARGIN;
  if (caret.top < top + MARGIN) root.scrollTop -= top + MARGIN - caret.top;
};

/** Space between the caret and the edge, in pixels. */
const MARGIN = 8;
