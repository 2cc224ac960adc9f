import { message } from '../kernel/message.js';

/** Refusals by the state of a resource: status 409. */
export const STATE_MESSAGES = {
  /** `already_exists` */
  alreadyExists: message('This {what} already exists.'),
  /** `channel_disabled` */
  channelDisabled: 'The channel is disabled. Enable it, and its posts are tried again.',
  /** `channel_disabled` */
  channelDisabledAndRefused:
    'The channel is disabled, and it needs attention. Enable it, then ask for the retry again: its posts are held until then.',
  /** `nothing_to_retry` */
  nothingToRetry: 'The channel does not need attention: no refusal holds its posts.',
  /** `cooldown` */
  slugCooldown: message('The slug was rotated less than 24 hours ago. Rotate it again from {at}.'),
  /** `replay` */
  keyUsed: 'This key was used within the last 24 hours.',
};

/** Refusals by the state of a publication: status 409. */
export const PUBLICATION_MESSAGES = {
  alreadyStarted: 'An attempt is under way.',
  over: message('The publication is {status}.'),
  /** `wrong_state` */
  notResendable: message(
    'Only a publication that is in_doubt or failed can be sent again or dismissed; this one is {status}.',
  ),
  /** `publishing` */
  beingSent:
    'This publication is being sent at this moment. Wait for the end of the attempt: if it is queued again then, it can be cancelled.',
  /** `wrong_state` */
  dismissInstead: message(
    'Only a publication that is queued can be cancelled; this one is {status}. POST …/dismiss closes it.',
  ),
  /** `wrong_state` */
  published: 'Only a publication that is queued can be cancelled; this one is published, and readers see it.',
  /** `wrong_state` */
  notSentAnyway: message(
    'Only a publication that is queued can be cancelled; this one is {status}, and is not sent anyway.',
  ),
  attemptReplaced: 'Another attempt has replaced this one.',
  stepReported: 'Another worker has reported this step.',
};
