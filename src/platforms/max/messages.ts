import { message } from '../../kernel/message.js';

/** MAX's refusals of a post, and failures of its calls. */
export const MAX_MESSAGES = {
  /** `malformed_token` */
  malformedToken: 'This is not a bot token: set the token that MAX issued for the bot, which has no spaces.',
  /** `upload_url_refused` */
  uploadUrlRefused: 'MAX refuses its own upload URL.',
  /** `text_added` */
  audioAlone:
    'The post has only audio messages on MAX, which show no text, photos or buttons: leave those out, or take the post back and send a new one.',
  /** `media_count` */
  audioCount: message(
    'The number of audio messages on MAX cannot change, from {published} to {wanted}: replace them one for one, or take the post back and send a new one.',
  ),
  numbersInChannelsOnly: 'MAX counts views in channels only.',
  numbersNeedMembership: 'MAX shows numbers only to a bot that is in the chat: add it to the chat again.',
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
  countsViews: 'MAX counts the views of posts in this channel.',
  administratorWithoutRight: 'The bot is an administrator without the right to write: give it that right.',
  mayDelete: 'The bot may delete its messages.',
  mayNotDelete: 'The bot is an administrator without the right to delete messages: give it that right.',
  mayEdit: 'The bot may edit its messages.',
  mayNotEdit: 'The bot is an administrator without the right to edit messages: give it that right.',
};

/** Examples of addresses. */
export const MAX_EXAMPLES = {
  chatId: 'a number such as -70912345678901, or a link such as max.ru/acme_news',
};
