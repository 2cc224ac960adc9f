import { message } from '../../kernel/message.js';

/** Reasons why messages could not be deleted, and what to do then. */
export const WITHDRAWAL_MESSAGES = {
  chatChanged:
    'The channel was moved to another chat since this was published. Delete the messages in the old chat by hand.',
  channelDeleted: 'The channel was deleted, and its credentials with it. Delete the messages on the network by hand.',
  notSeen: message(
    '{network} says that the message is not there, but another account published it, or that is not known: this account may only not see it. Look at the chat, and delete the message by hand if it is still there.',
  ),
  outcomeUnknown:
    'It is not known whether the network published this. What is known was deleted. Look at the chat, and delete the rest by hand.',
  lookingUp: message('{network} did not say whether it published this. It is asked again.'),
  notSupported: message('Messages on {network} cannot be deleted from here. Delete them by hand.'),
  gaveUp: message('It could not be deleted for 24 hours: {error} Delete it by hand, or take it back again.'),
};

/** Reasons why messages could not be edited or pinned, and what to do then. */
export const EDITING_MESSAGES = {
  messageGone: 'The message is not there any more, so it cannot be changed. Take the post back, and send a new one.',
  gaveUp: message('It could not be changed: {error} Send the same content once more to try again.'),
};
