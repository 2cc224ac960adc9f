import { message } from '../../../kernel/message.js';

/** Ends of a rebuild's job that did not promote its candidate. */
export const REBUILD_MESSAGES = {
  /** Job `failed` */
  discarded: 'The candidate was discarded.',
  /** Job `failed` */
  replaced: 'The candidate was given up: a newer version of the program builds its own.',
  /** Job that waits */
  otherProgram: message('Version {version} of {projection} is filled by another version of the program.'),
};
