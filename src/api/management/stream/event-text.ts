import type { Change } from '../../../changes/change.js';
import { coalesceChanges } from '../../../changes/coalesce.js';

/** Texts of the same changes, by the owner whose changes they contain; null for all owners'. */
const texts = new WeakMap<readonly Change[], Map<string | null, string>>();

/**
 * Writes changes as server-sent events; empty if the owner has none among them. Each text is written once for all readers that are
 * sent the same changes.
 * @param ownerId only the changes of this owner; null: all
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

/** Writes one event. @param position from which a reader that has received it resumes; null: unchanged */
export const writeEvent = (event: 'change' | 'bye', data: object, position: bigint | null): string =>
  `${position === null ? '' : `id: ${position}\n`}event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;

/** Writes a comment, which keeps an idle connection open, with the position that the reader has reached. */
export const writeComment = (text: string, position: bigint): string => `: ${text}\nid: ${position}\n\n`;
