import type { Position } from '../event-store/port.js';
import type { Change, ChangeKind } from './change.js';

/** Consecutive changes of one kind, combined. */
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
 * Combines changes into messages in the order of the log (ADR-286). If a resource changed several times, only its last
 * change counts. A message holds all of these between the position of the message before it and its own, and nothing
 * else: wherever a reader's connection breaks, it resumes after the last message, misses nothing and receives
 * nothing twice.
 * @param changes in log order
 */
export const coalesceChanges = (changes: readonly Change[]): ChangeMessage[] => {
  const lastOf = new Map(changes.map((change) => [keyOf(change), change.position]));
  const messages: OpenMessage[] = [];
  for (const change of changes) {
    const { position, kind, ids } = change;
    if (lastOf.get(keyOf(change)) !== position) continue;
    let message = messages.at(-1);
    if (message?.kind !== kind || countNew(message.ids, ids) + message.ids.size > MAX_IDS) {
      message = { position, kind, ids: new Set() };
      messages.push(message);
    }
    for (const id of ids) message.ids.add(id);
    message.position = position;
  }
  return messages.map(({ position, kind, ids }) => ({ position, kind, ids: [...ids] }));
};

const keyOf = ({ kind, ids }: Change): string => [kind, ...ids].join(' ');

const countNew = (known: ReadonlySet<string>, ids: readonly string[]): number =>
  ids.filter((id) => !known.has(id)).length;
