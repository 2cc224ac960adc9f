import { message } from '../../kernel/message.js';

/** Messages for posts that OK refuses and for calls that fail. */
export const OK_MESSAGES = {
  /** `slow_down` */
  outOfService: 'OK is temporarily out of service.',
  /** `slow_down` */
  tooFrequent: 'OK delays posts that are too frequent.',
  /** `slow_down` */
  limitUsedUp: "One of OK's limits is used up.",
  /** `not_permitted` */
  rightMissing: 'The token lacks a right: issue one with GROUP_CONTENT, PHOTO_CONTENT and VIDEO_CONTENT.',
  /** `access_denied` */
  accessDenied: 'The account behind the token may not post in this group: make it a moderator.',
  /** `unknown_application` */
  unknownApplication: 'OK does not know an application with this key: check application_key.',
  /** `token_expired` */
  tokenExpired: 'The access token has expired: issue a new one.',
  /** `unauthorized` */
  unauthorized: 'OK does not accept the access token: issue a new one.',
  /** `unauthorized` */
  sessionNeeded: 'OK requires a session key that this token does not provide: issue a new one.',
  /** `bad_signature` */
  badSignature: "The application's secret does not belong to its key or token: set the credentials again.",
  /** `account_blocked` */
  accountBlocked: 'The account behind the token is blocked: sign in to it.',
  /** `application_blocked` */
  applicationBlocked: 'The application may not do this: check its settings on OK.',
  /** `credentials_missing` */
  credentialsMissing:
    "The channel lacks its access token or the application's key or secret: set the credentials again.",
  /** `chat_not_found` */
  groupNotFound: 'OK does not know this group: check group_id.',
  /** `bad_parameter` */
  badParameter: 'OK refuses part of the post.',
  /** `text_refused` */
  textRefused: 'OK refuses the wording of the post.',
  /** `media_refused` */
  mediaRefused: "OK refuses one of the post's media files.",
  /** `media_refused` */
  photoRefused: "OK refuses one of the post's photos.",
  /** `media_refused` */
  photoUnreadable: 'OK cannot read this photo.',
  /** `media_refused` */
  fileRefused: 'OK does not accept this file.',
  /** `too_many_blocks` */
  tooManyParts: 'The post has too many parts for OK.',
  /** `too_long` */
  tooLong: "The post is too long for OK: lower text_limit in the channel's settings.",
  /** `refused` */
  refused: 'OK refuses the post.',
  /** `refused` */
  callRefused: message('OK refuses the call with error {code}.'),
  /** `server_error` */
  failed: message('OK failed with error {code}.'),
  /** `server_error`, in doubt */
  failedInDoubt: message('OK failed with error {code}: the post may be visible there.'),
};

/** Results of a channel test on OK. */
export const OK_TEST_MESSAGES = {
  account: message('The token belongs to {name}.'),
  group: message('The group is "{name}".'),
  groupNotFound: message('OK does not know the group {id}: check group_id.'),
  rightMissing: message('The token lacks the right {right}: issue one with {rights}.'),
  mayPost: 'The account is a moderator or administrator of the group, and the token has the rights to post.',
};

/** Example addresses. */
export const OK_EXAMPLES = {
  groupId: "the group's number without a minus sign, such as 123456789",
};
