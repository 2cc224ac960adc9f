import { message } from '../../kernel/message.js';

/** Messages for posts that Telegram refuses and for calls that fail. */
export const TELEGRAM_MESSAGES = {
  /** `malformed_token` */
  malformedToken: 'This is not a bot token: set the token that @BotFather issued, such as 123456:ABC-DEF….',
  /** `moved` */
  movedAgain: 'The chat has moved again.',
  /** Detail of a failed call. */
  duringUpload: message('{detail}, during the upload'),
  /** `too_old` */
  tooOld:
    'Telegram lets bots delete no message older than 48 hours: delete it by hand in Telegram, or correct its text.',
  /** `caption_too_long` */
  captionTooLong: message(
    'The text is shown under the media, where Telegram accepts {limit} characters: shorten it by {excess}.',
  ),
  /** `album_buttons` */
  albumButtons: 'An album on Telegram cannot have buttons: leave them out.',
  /** `media_added` */
  mediaAdded:
    'The post has no media on Telegram, and none can be added: leave them out, or take the post back and send a new one.',
  /** `media_kind` */
  mediaKind:
    'In an album, Telegram replaces photos and videos by photos or videos, audio by audio, and files by files only.',
  /** Telegram has no numbers for bots (D-76). */
  noNumbers: "Telegram's Bot API gives bots no numbers for a post.",
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
  mayDelete: 'The bot may delete what it posted, for 48 hours.',
  mayEdit: 'The bot may edit what it posted.',
};

/** Example addresses. */
export const TELEGRAM_EXAMPLES = {
  chatId: 'a number such as -1001234567890, a public name such as @acme_news, or a link such as t.me/acme_news',
};
