import type { Names } from '../../api/things.js';
import type { Ticks } from './data.js';

/** The pauses and stops of one thing, in one row of the chart. */
export interface SpanRow {
  readonly id: string;
  readonly name: string;
  readonly platform: string | null;
  readonly spans: readonly Ticks['spans'][number][];
}

/** Returns a row for each thing that was paused, stopped or disabled: pauses of projects first, then those with the most spans. */
export const groupSpans = (spans: Ticks['spans'], names: Names): readonly SpanRow[] => {
  const rows = new Map<string, Ticks['spans'][number][]>();
  for (const span of spans) rows.set(span.id, [...(rows.get(span.id) ?? []), span]);
  const rank = ({ spans: [first] }: SpanRow): number => (first?.kind === 'project_pause' ? 0 : 1);
  return [...rows]
    .map(([id, own]): SpanRow => {
      const channel = names.channel(id);
      const endpoint = names.endpoint(id);
      const name = channel?.name ?? names.project(id)?.name ?? endpoint?.name ?? endpoint?.slug ?? id;
      return { id, name, platform: channel?.platform ?? null, spans: own };
    })
    .sort((a, b) => rank(a) - rank(b) || b.spans.length - a.spans.length || a.name.localeCompare(b.name));
};

/** People's changes that are close together, as one mark. */
export interface ChangeMark {
  readonly at: number;
  readonly changes: readonly Ticks['changes'][number][];
}

/** Merges changes that are less than a part of the window apart. @param part between 0 and 1 */
export const mergeChanges = (changes: Ticks['changes'], length: number, part = 0.022): readonly ChangeMark[] => {
  const marks: { at: number; changes: Ticks['changes'][number][] }[] = [];
  for (const change of changes) {
    const at = Date.parse(change.at);
    const last = marks.at(-1);
    if (last && at - last.at < length * part) last.changes.push(change);
    else marks.push({ at, changes: [change] });
  }
  return marks;
};
