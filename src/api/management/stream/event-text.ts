import type { Change } from '../../../changes/change.js';
import { coalesceChanges } from '../../../changes/coalesce.js';

/** Cached event text for each batch of changes, by owner id; null for all owners. */
const texts = new WeakMap<readonly Change[], Map<string | null, string>>();

/**
 * Formats an owner's changes as server-sent events; empty if there are none. Readers of the same batch share the text.
 * @param ownerId null for all owners
 */
export const writeChanges = (changes: readonly Change[], ownerId: string | null): string => {
  let ofChanges = texts.get(changes);
  if (!ofChanges) texts.set(changes, (ofChanges = new Map<string | null, string>()));
  let text = ofChanges.get(ownerId);
  if (text === undefined) {
    const own = ownerId === null ? changes : changes.filter((change) => change.ownerId === ownerId);
    text = coalesceChanges(own)
      .map(({ position, kind, ids }) => writeEvent('change', { kind, ids }, position))
      .join('');
    ofChanges.set(ownerId, text);
  }
  return text;
};

/** Formats one event. @param position where the reader resumes after the event; null if unchanged */
export const writeEvent = (event: 'change' | 'bye', data: object, position: bigint | null): string =>
  `${position === null ? '' : `id: ${position}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** Formats a keep-alive comment with the position that the reader has reached. */
export const writeComment = (text: string, position: bigint): string => `: ${text}\nid: ${position}\n\n`;
