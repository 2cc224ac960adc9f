import { message } from '../../kernel/message.js';

/** Messages for posts that Telegram refuses and for calls that fail. */
export const TELEGRAM_MESSAGES = {
  /** `server_error` */
  failedInDoubt: message('Telegram failed with error {code}: the post may be visible there.'),
  /** `album_incomplete` */
  albumIncomplete: 'Telegram refused part of the album: other parts may be visible there.',
  /** `too_many_requests` */
  asksToWait: message('Telegram asks the gateway to wait {seconds} s.'),
  /** `unauthorized` */
  unauthorized: 'Telegram does not accept the bot token: set the current one from @BotFather.',
  /** `bot_not_found` */
  botNotFound: 'Telegram does not know a bot with this token: set the current one from @BotFather.',
  /** `malformed_token` */
  malformedToken: 'This is not a bot token: set the token that @BotFather issued, such as 123456:ABC-DEF….',
  /** `forbidden` */
  forbidden: 'The bot may not post there: add it to the chat as an administrator with the right to post.',
  /** `chat_not_found` */
  chatNotFound:
    'Telegram does not know this chat, or the bot is not in it: check chat_id, and add the bot to the chat.',
  /** `no_right_to_post` */
  noRightToPost: 'The bot has no right to post in the chat: make it an administrator with the right to post messages.',
  /** `no_right_to_post` */
  noRightToPostMedia: 'The bot has no right to post such media in the chat.',
  /** `forbidden` */
  blockedByPerson:
    'The person behind this chat has blocked the bot or no longer exists: have the bot unblocked, or set another chat_id.',
  /** `chat_unusable` */
  chatUnusable:
    'The bot cannot post to this chat, which is closed, private or deleted: open it to the bot, or set another chat_id.',
  /** `too_long` */
  tooLong: 'The post is too long for Telegram.',
  /** `bad_button` */
  badButton: "Telegram refuses one of the post's buttons.",
  /** `bad_entity` */
  badEntity: 'Telegram refuses the formatting of the text.',
  /** `media_refused` */
  mediaRefused: "Telegram refuses one of the post's media files.",
  /** `bad_request` */
  badRequest: 'Telegram refuses the post.',
  /** `method_not_found` */
  methodNotFound: message('The server at this address does not know {method}: check TELEGRAM_API_URL.'),
  /** `moved` */
  movedAgain: 'The chat has moved again.',
  /** Detail of a failed call. */
  duringUpload: message('{detail}, during the upload'),
  /** Detail of a failed call. */
  notCalled: 'the call could not be made',
};

/** Results of a channel test on Telegram. */
export const TELEGRAM_TEST_MESSAGES = {
  bot: message('The token belongs to the bot @{username}.'),
  chat: message('The chat is "{title}" ({type}).'),
  mayWriteToPerson: 'The bot may write to this person.',
  notInChat: 'The bot is not in the chat: add it to the chat as an administrator with the right to post messages.',
  owner: 'The bot owns the chat.',
  administrator: 'The bot is an administrator and may post.',
  administratorWithoutRight: 'The bot is an administrator without the right to post messages: give it that right.',
  notAdministrator:
    'The bot is not an administrator of the channel: add it to the chat as an administrator with the right to post messages.',
  muted:
    'The bot may not write in this group: add it to the chat as an administrator with the right to post messages, or let members write.',
  member: 'The bot is a member and may write.',
};

/** Example addresses. */
export const TELEGRAM_EXAMPLES = {
  chatId: 'a number such as -1001234567890, or a public name such as @acme_news',
};
