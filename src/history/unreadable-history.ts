/** Thrown for an event whose text is damaged, or that a newer program has written. */
export { UndecodableEvent as UnreadableHistory } from '../event-store/codec.js';
