import { message } from '../../kernel/message.js';

/** MAX's refusals of a post, and failures of its calls. */
export const MAX_MESSAGES = {
  /** `attachment_not_ready` */
  attachmentNotReady: 'MAX is still processing the upload.',
  /** `server_error` */
  failed: message('MAX failed with {status}.'),
  /** `server_error`, in doubt */
  failedInDoubt: message('MAX failed with {status}: the post may be visible there.'),
  /** `too_many_requests` */
  asksToWait: message('MAX asks the gateway to wait {seconds} s.'),
  /** `unauthorized` */
  unauthorized: 'MAX does not accept the bot token: set the current one.',
  /** `malformed_token` */
  malformedToken: 'This is not a bot token: set the token that MAX issued for the bot, which has no spaces.',
  /** `forbidden` */
  forbidden: 'The bot may not post there: make it an administrator of the channel with the right to post.',
  /** `chat_not_found` */
  chatNotFound: 'MAX does not know this chat, or the bot is not in it: check chat_id, and add the bot to the chat.',
  /** `method_not_found` */
  methodNotFound: 'The server at this address does not know this call: check MAX_API_URL.',
  /** `media_too_large` */
  tooLarge: 'The post is too large for MAX: send fewer or smaller media.',
  /** `bad_button` */
  badButton: 'MAX refuses a button of the post.',
  /** `media_refused` */
  mediaRefused: 'MAX refuses a medium of the post.',
  /** `bad_request` */
  badRequest: 'MAX refuses the post.',
  /** `upload_url_refused` */
  uploadUrlRefused: 'MAX refuses its own upload URL.',
};

/** Results of a channel test on MAX. */
export const MAX_TEST_MESSAGES = {
  bot: message('The token belongs to the bot "{name}".'),
  leftChat: message('The status of the bot in the chat is "{status}": add it to the chat again.'),
  chat: message('The chat is "{title}" ({type}).'),
  mayWriteToPerson: 'The bot may write to this person.',
  owner: 'The bot owns the chat.',
  notAdministrator: 'The bot is not an administrator of the channel: make it one, with the right to write.',
  member: 'The bot is a member and may write.',
  administrator: 'The bot is an administrator and may write.',
  administratorWithoutRight: 'The bot is an administrator without the right to write: give it that right.',
};

/** Examples of addresses. */
export const MAX_EXAMPLES = {
  chatId: 'a number such as -70912345678901',
};
