import { message } from '../../../kernel/message.js';

/** Reasons why a rebuild's job waits, or failed without promoting its candidate. */
export const REBUILD_MESSAGES = {
  /** Job `failed` */
  discarded: 'The candidate was discarded.',
  /** Job `failed` */
  replaced: 'The candidate was abandoned: a newer version of the program builds its own.',
  /** Reason why a job waits. */
  otherProgram: message('Version {version} of {projection} is filled by another version of the program.'),
};
