import { message } from '../../kernel/message.js';

/** Causes for which the transparency log is not written, or cannot be verified. They stand in the log, in /readyz and in jobs. */
export const LOG_MESSAGES = {
  tileWouldChange: 'a tile of the transparency log would change',
  moved: message('the transparency log is at {found}, not at {expected}'),
  movedElsewhere: 'another process has moved the checkpoint of the transparency log',
  behind: 'the transparency log is behind',
  tileDoesNotFit: message('tile {number} of level {level} does not fit the size {size}'),
  doesNotFitHead:
    'The tables of the transparency log do not fit its signed head, although every event is intact. Restore them from a backup of the database.',
};
