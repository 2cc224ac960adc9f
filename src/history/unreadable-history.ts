/** Thrown for an event that is damaged or was written by a newer version of the program. */
export { UndecodableEvent as UnreadableHistory } from '../event-store/codec.js';
