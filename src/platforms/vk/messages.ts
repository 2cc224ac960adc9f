import { message } from '../../kernel/message.js';

/** Messages for posts that VK refuses and for calls that fail. */
export const VK_MESSAGES = {
  /** `slow_down` */
  fewerCalls: 'VK requires fewer calls per second.',
  /** `slow_down` */
  tooFrequent: 'VK delays posts that are too frequent or too similar.',
  /** `slow_down` */
  limitUsedUp: "One of VK's daily limits is used up.",
  /** `slow_down` */
  outOfService: 'This part of VK is temporarily out of service.',
  /** `daily_limit` */
  dailyLimit: 'VK accepts no more posts on this wall today.',
  /** `unauthorized` */
  unauthorized: 'VK does not accept the access token: issue a new one.',
  /** `not_permitted` */
  rightMissing: 'The token lacks the right for this: issue one with the rights wall, photos and video.',
  /** `captcha_needed` */
  captchaNeeded: 'VK requires a captcha: sign in to the account and solve it.',
  /** `access_denied` */
  accessDenied: "The token may not post in this community: use an editor's token or the community's own.",
  /** `validation_needed` */
  validationNeeded: 'VK requires the account to be confirmed: sign in and confirm it.',
  /** `account_gone` */
  accountGone:
    'The account or community behind the token was deleted or banned: use a token of another account or community.',
  /** `wrong_kind_of_token` */
  wrongKind: 'This type of token cannot do this: issue a community token, or a user token from a standalone app.',
  /** `wrong_kind_of_token` */
  communityToken: "A community's token cannot do this: set a user's token as upload_token.",
  /** `wrong_kind_of_token` */
  applicationToken: "An application's token cannot do this: issue a user's token or the community's.",
  /** `wrong_kind_of_token` */
  vkIdToken: "A VK ID token (vk2.a.…) cannot do this: issue a community's token or an older type of token.",
  /** `banned` */
  banned: 'The account behind the token is banned in this community: have it unbanned, or use another token.',
  /** `group_access_denied` */
  groupAccessDenied: "The token may not act for this community: use an editor's token or the community's own.",
  /** `access_token_missing` */
  accessTokenMissing: 'The channel has no access token: set the credentials again.',
  /** `upload_token_missing` */
  uploadTokenMissing: 'The channel has no upload token: set the credentials again.',
  /** `chat_not_found` */
  communityNotFound: 'VK does not know this community: check group_id, its number without a minus sign.',
  /** `posting_denied` */
  wallClosed: "The token may not write on this wall: open the wall, or use an editor's token.",
  /** `posting_denied` */
  postingDenied: 'VK currently does not accept posts on this wall.',
  /** `bad_parameter` */
  badParameter: 'VK refuses part of the post.',
  /** `advertisement_too_soon` */
  advertisementTooSoon: 'Another advertisement was posted here recently.',
  /** `links_forbidden` */
  linksForbidden: 'VK does not accept a post with this link.',
  /** `too_many_advertisements` */
  tooManyAdvertisements: 'VK accepts no more advertisements here today.',
  /** `refused` */
  callRefused: message('VK refuses the call with error {code}.'),
  /** `server_error` */
  failed: message('VK failed with error {code}.'),
  /** `server_error`, in doubt */
  failedInDoubt: message('VK failed with error {code}: the post may be visible there.'),
  /** `media_refused` */
  photoUnreadable: 'VK cannot read this photo.',
  /** `media_refused` */
  fileRefused: 'VK does not accept this file.',
};

/** Results of a channel test on VK. */
export const VK_TEST_MESSAGES = {
  communityNotFound: message('VK does not know the community {id}: check group_id, its number without a minus sign.'),
  tokenOfUser: 'VK accepts the token, which belongs to a user.',
  tokenOfCommunity: 'VK accepts the token, which belongs to a community.',
  community: message('The community is "{name}".'),
  mayUpload: 'The second token may upload photos and videos.',
  wallRight: 'The token has the right to post on the wall.',
  wallRightMissing: 'The token lacks the right to post on the wall: issue a community\'s token with the right "wall".',
  wallsRightMissing: 'The token lacks the right to post on walls: issue one with the right "wall".',
  editor: 'The user is an editor or administrator of the community.',
  notEditor: 'The user may not post on behalf of the community: make the user an editor there.',
};

/** Example addresses. */
export const VK_EXAMPLES = {
  groupId: "the group's number without a minus sign, such as 123456789",
};
