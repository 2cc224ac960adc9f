import { message } from '../../kernel/message.js';

/** Errors of publication attempts that the gateway itself causes. */
export const ATTEMPT_MESSAGES = {
  withdrawn: 'The post was taken back during this attempt, so the rest of it was not sent.',
  /** `interrupted` */
  endedBeforeSending: 'The process stopped before anything was sent.',
  /** `interrupted` */
  endedWhileSending: message('The process stopped while "{step}" was being sent: the post may or may not be visible.'),
  /** `interrupted` */
  leaseLost: 'The process lost its connection to the database before anything was sent.',
  /** `credentials_missing` */
  credentialsMissing: 'The gateway has no credentials for this channel: set them.',
  /** `credentials_unreadable` */
  credentialsUnreadable: 'The stored credentials for this channel cannot be decrypted: set them again.',
  /** `channel_moved` */
  channelMoved: 'The network has moved this channel; the post is sent to its new address.',
  /** `internal_error` */
  internal:
    "The gateway failed to prepare this post for the network. The operator can find the cause in the gateway's log.",
  /** `internal_error` */
  internalWhileSending: message(
    'The gateway failed while "{step}" was being sent: the post may or may not be visible. The operator can find the cause in the gateway\'s log.',
  ),
  /** `post_unreadable` */
  postUnreadable: "The stored post cannot be read. The operator can find the cause in the gateway's log.",
  /** `history_unreadable` */
  historyUnreadable:
    'The stored history of this publication is damaged: the post may or may not be visible. Check the channel.',
  /** `nothing_to_send` */
  nothingToSend: 'The post has no content that this network can show.',
};

/**
 * Predicates for messages about media files that could not be prepared for a network. The subject is the path of the
 * file's URL.
 */
export const MEDIUM_MESSAGES = {
  /** `media_not_ready` */
  notReady: 'could not be prepared for sending',
  /** `media_unsuitable` */
  formatNotAccepted: message('is {mime}, which the network does not accept'),
  unknownFormat: 'a file of an unknown type',
  /** `media_unsuitable` */
  photoNotConvertible: 'cannot be converted into a photo that the network accepts',
};
