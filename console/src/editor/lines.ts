import type { FormattedText, MarkType } from './marks.js';
import { lineStarts } from './normalise.js';

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
