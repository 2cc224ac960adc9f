import { endpointName, type Names } from '../../api/things.js';
import type { Ticks } from './data.js';

/** A chart row with the pauses and holds of one channel, project or endpoint. */
export interface SpanRow {
  readonly id: string;
  readonly name: string;
  readonly platform: string | null;
  readonly spans: readonly Ticks['spans'][number][];
}

/**
 * Returns a row for each project, channel and endpoint that was paused, on hold or disabled: projects first, then rows
 * with the most spans.
 */
export const groupSpans = (spans: Ticks['spans'], names: Names): readonly SpanRow[] => {
  const rows = new Map<string, Ticks['spans'][number][]>();
  for (const span of spans) rows.set(span.id, [...(rows.get(span.id) ?? []), span]);
  const rank = ({ spans: [first] }: SpanRow): number => (first?.kind === 'project_pause' ? 0 : 1);
  return [...rows]
    .map(([id, own]): SpanRow => {
      const channel = names.channel(id);
      const endpoint = names.endpoint(id);
      const name = channel?.name ?? names.project(id)?.name ?? (endpoint && endpointName(endpoint)) ?? id;
      return { id, name, platform: channel?.platform ?? null, spans: own };
    })
    .sort((a, b) => rank(a) - rank(b) || b.spans.length - a.spans.length || a.name.localeCompare(b.name));
};

/** Changes that people made at about the same time, shown as one mark. */
export interface ChangeMark {
  readonly at: number;
  readonly changes: readonly Ticks['changes'][number][];
}

/**
 * Merges changes into marks. A change joins a mark if it is close enough to the mark's first change.
 * @param changes earliest first
 * @param length length of the window, in ms
 * @param part minimum distance between two marks, as a fraction of `length`
 */
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
