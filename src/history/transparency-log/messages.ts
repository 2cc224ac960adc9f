import { message } from '../../kernel/message.js';

/**
 * Reasons why the transparency log is not written, or cannot be verified. They appear in the log, in /readyz and in
 * jobs.
 */
export const LOG_MESSAGES = {
  tileWouldChange: 'a tile of the transparency log would change',
  moved: message('the head of the transparency log has moved: found {found}, expected {expected}'),
  checkpointMoved: message(
    'the checkpoint of the transparency log is at position {found}, but the head is at {expected}',
  ),
  movedElsewhere: 'another process has moved the checkpoint of the transparency log',
  behind: 'the transparency log is behind',
  catchingUp:
    'the database is older than the newest published checkpoint of the history: rebuilding the transparency log up to it before anything is signed',
  ended: message('The transparency log {origin} ended at size {size}: {reason} It continues as {next}.'),
  /** `store_reset` */
  store_reset:
    'The database was given another event store, or one that had lost events, by "projections reset --to-store".',
  /** `entries_lost` */
  entries_lost:
    'The database or the event store was lost or restored from a backup, and the remaining events do not, or may not, produce all checkpoints that were published.',
  tileDoesNotFit: message('tile {number} of level {level} does not match the size {size}'),
  doesNotFitHead:
    'The tables of the transparency log do not match its signed head, although every event is intact. Restore them from a backup of the database.',
};
