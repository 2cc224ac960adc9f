import type { Change } from '../../../changes/change.js';
import { coalesceChanges } from '../../../changes/coalesce.js';

/** One owner's part of a batch of changes. */
interface OwnChanges {
  readonly changes: Change[];
  /** The changes as events; null until a reader needs them. */
  text: string | null;
}

/** Parts of each batch by owner id; null for all changes. Built once for all readers: there may be a thousand. */
const batches = new WeakMap<readonly Change[], Map<string | null, OwnChanges>>();

const partOf = (changes: readonly Change[], ownerId: string | null): OwnChanges | undefined => {
  let parts = batches.get(changes);
  if (!parts) {
    parts = new Map([[null, { changes: [...changes], text: null }]]);
    for (const change of changes) {
      if (change.ownerId === null) continue;
      const part = parts.get(change.ownerId);
      if (part) part.changes.push(change);
      else parts.set(change.ownerId, { changes: [change], text: null });
    }
    batches.set(changes, parts);
  }
  return parts.get(ownerId);
};

/** Returns an owner's changes in a batch. @param ownerId null for all owners */
export const selectChanges = (changes: readonly Change[], ownerId: string | null): readonly Change[] =>
  partOf(changes, ownerId)?.changes ?? [];

/**
 * Formats an owner's changes as server-sent events; empty if there are none. Readers of the same batch share the text.
 * @param ownerId null for all owners
 */
export const writeChanges = (changes: readonly Change[], ownerId: string | null): string => {
  const part = partOf(changes, ownerId);
  if (!part) return '';
  part.text ??= coalesceChanges(part.changes)
    .map(({ position, kind, ids }) => writeEvent('change', { kind, ids }, position))
    .join('');
  return part.text;
};

/** Formats one event. @param position where the reader resumes after the event; null if unchanged */
export const writeEvent = (event: 'change' | 'bye', data: object, position: bigint | null): string =>
  `${position === null ? '' : `id: ${position}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** Formats a keep-alive comment with the position that the reader has reached. */
export const writeComment = (text: string, position: bigint): string => `: ${text}\nid: ${position}\n\n`;
