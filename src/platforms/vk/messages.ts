import { message } from '../../kernel/message.js';

/** Messages for posts that VK refuses and for calls that fail. */
export const VK_MESSAGES = {
  /** `access_token_missing` */
  accessTokenMissing: 'The channel has no access token: set the credentials again.',
  /** `upload_token_missing` */
  uploadTokenMissing: 'The channel has no upload token: set the credentials again.',
  /** `media_refused` */
  photoUnreadable: 'VK cannot read this photo.',
  /** `media_refused` */
  fileRefused: 'VK does not accept this file.',
  /** `user_token_needed` */
  userTokenRefused: message('VK does not accept the user token in upload_token: set a new one and {then}.'),
  /** `no_right_to_delete`, `no_right_to_edit` */
  userMayNot: message(
    'The account behind upload_token has no right to this: make it an editor of the community and {then}.',
  ),
  thenDelete: 'take the post back again, or delete it by hand on VK',
  thenEdit: 'send the content again, or correct the post by hand on VK',
  thenPin: 'pin this post by hand on VK',
  /** Forecast of a deletion. */
  deletingNeedsUserToken:
    'Only VK knows whether this token may delete posts. The token of an editor of the community, set as upload_token, may.',
  /** Forecast of an edit. */
  editingNeedsUserToken:
    'Only VK knows whether this token may edit posts; media become links. The token of an editor of the community, set as upload_token, may edit and upload.',
  numbersNeedUserToken:
    "VK shows numbers only to a user's token: set the token of an editor of the community as upload_token.",
  numbersTokenRefused: 'VK does not accept the user token in upload_token: set a new one.',
  numbersAccessDenied:
    'The account behind upload_token may not see the post: make it an editor of the community, with the right "wall".',
};

/** Results of a channel test on VK. */
export const VK_TEST_MESSAGES = {
  communityNotFound: message('VK does not know the community {id}: check group_id, its number without a minus sign.'),
  tokenOfUser: 'VK accepts the token, which belongs to a user.',
  tokenOfCommunity: 'VK accepts the token, which belongs to a community.',
  community: message('The community is "{name}".'),
  showsNumbers: 'The token shows the numbers of posts.',
  mayUpload: 'The second token may upload photos and videos.',
  wallRight: 'The token has the right to post on the wall.',
  wallRightMissing: 'The token lacks the right to post on the wall: issue a community\'s token with the right "wall".',
  wallsRightMissing: 'The token lacks the right to post on walls: issue one with the right "wall".',
  editor: 'The user is an editor or administrator of the community.',
  mayDelete: 'The user may delete posts of the community.',
  mayEdit: 'The user may edit posts of the community.',
  notEditor: 'The user may not post on behalf of the community: make the user an editor there.',
};

/** Example addresses. */
export const VK_EXAMPLES = {
  groupId: "the group's number without a minus sign, such as 123456789, or a link such as vk.com/acme_news",
};
