import { message } from '../../kernel/message.js';

/** The reason why a channel without credentials needs attention. */
export const LOST_CREDENTIALS_MESSAGES = {
  /** `credentials_missing` */
  enterAgain: message(
    'The gateway has no credentials for this channel, because its database was set up without them. Enter them again: {fields}.',
  ),
};
