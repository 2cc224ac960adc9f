import { deriveUuid } from '../kernel/ids.js';
import type { NewEvent } from './port.js';

/**
 * Marks that an import leaves in a store (ADR-133). They are not part of the history: `CheckedEventStore` hides them
 * from its callers, and the transparency log does not contain them.
 */
export const IMPORT_STREAM = 'historyImport-store';
/** Precedes an import's events. `CheckedEventStore` delivers none of them before {@link IMPORT_ENDED} is written. */
export const IMPORT_STARTED = 'HistoryImportStarted';
export const IMPORT_ENDED = 'HistoryImportEnded';
/** Placeholder that keeps the revision of an event that retention had removed before the history was exported. */
export const REMOVED = 'HistoryEventRemoved';

const IMPORT_MARKS: readonly string[] = [IMPORT_STARTED, IMPORT_ENDED, REMOVED];

/** True unless the event is an import mark. */
export const isHistory = ({ type }: Pick<NewEvent, 'type'>): boolean => !IMPORT_MARKS.includes(type);

/** Returns the mark for a revision of a stream. Its id is deterministic. */
export const createMark = (type: string, stream: string, revision: bigint): NewEvent => ({
  id: deriveUuid(`${type}/${stream}/${revision}`),
  type,
  data: '{}',
  metadata: '{}',
});
