import { message } from '../../kernel/message.js';

/** Messages for posts that OK refuses and for calls that fail. */
export const OK_MESSAGES = {
  /** `access_denied` */
  accessDenied: 'The account behind the token may not post in this group: make it a moderator.',
  /** `credentials_missing` */
  credentialsMissing:
    "The channel lacks its access token or the application's key or secret: set the credentials again.",
  /** `media_refused` */
  photoUnreadable: 'OK cannot read this photo.',
  numbersNeedRight:
    "OK shows a topic's numbers only to the group's administrators and moderators: give the account behind the token such a role, with a token that has GROUP_CONTENT.",
};

/** Results of a channel test on OK. */
export const OK_TEST_MESSAGES = {
  account: message('The token belongs to {name}.'),
  group: message('The group is "{name}".'),
  groupNotFound: message('OK does not know the group {id}: check group_id.'),
  rightMissing: message('The token lacks the right {right}: issue one with {rights}.'),
  showsNumbers: 'The account may see the numbers of topics.',
  mayPost: 'The account is a moderator or administrator of the group, and the token has the rights to post.',
  mayDelete: 'The account may delete topics of the group.',
  cannotEdit: 'Topics on OK cannot be edited from here: take a post back and send a new one instead.',
};

/** Example addresses. */
export const OK_EXAMPLES = {
  groupId: "the group's number without a minus sign, such as 123456789, or a link such as ok.ru/group/123456789",
};
