import type { Position } from '../event-store/port.js';
import type { Change, ChangeKind } from './change.js';

/** Changes of one kind, combined. */
export interface ChangeMessage {
  /** Position that a reader resumes from after receiving this message. */
  readonly position: Position;
  readonly kind: ChangeKind;
  /** Without duplicates. */
  readonly ids: readonly string[];
}

/** Maximum number of ids in a message. */
export const MAX_IDS = 200;

interface OpenMessage {
  position: Position;
  readonly kind: ChangeKind;
  readonly ids: Set<string>;
}

/**
 * Combines changes into few messages: one per kind, or several if a kind has more than {@link MAX_IDS} ids, in the
 * order of their first changes. Each message's position precedes the first change of the next message, so that a reader
 * whose connection breaks between the two misses nothing; at worst, it receives a change twice.
 * @param changes in log order
 */
export const coalesceChanges = (changes: readonly Change[]): ChangeMessage[] => {
  const messages: OpenMessage[] = [];
  const open = new Map<ChangeKind, OpenMessage>();
  for (const { position, kind, ids } of changes) {
    let message = open.get(kind);
    if (!message || countNew(message.ids, ids) + message.ids.size > MAX_IDS) {
      message = { position, kind, ids: new Set() };
      messages.push(message);
      open.set(kind, message);
    }
    for (const id of ids) message.ids.add(id);
    // Together, the messages contain every change up to this position.
    messages.at(-1)!.position = position;
  }
  return messages.map(({ position, kind, ids }) => ({ position, kind, ids: [...ids] }));
};

const countNew = (known: ReadonlySet<string>, ids: readonly string[]): number =>
  ids.filter((id) => !known.has(id)).length;
