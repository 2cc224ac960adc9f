import { message } from '../../../kernel/message.js';

/** Reasons why a rebuild job is waiting, or failed without promoting its candidate. */
export const REBUILD_MESSAGES = {
  /** Job `failed` */
  discarded: 'The candidate was discarded.',
  /** Job `failed` */
  replaced: 'The candidate was abandoned: a newer version of the program builds its own.',
  /** Reason why a job is waiting. */
  otherProgram: message('Another version of the program fills version {version} of {projection}.'),
};
