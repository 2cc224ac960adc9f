import type { PlatformDescriptor } from '../descriptor.js';
import { TELEGRAM_LIMITS, TITLE } from './limits.js';
import { TELEGRAM_EXAMPLES } from './messages.js';
import { createTelegramPublisher } from './telegram-publisher.js';

/** Telegram: bots post to chats and channels. */
export const telegram: PlatformDescriptor = {
  id: 'telegram',
  title: TITLE,
  baseUrl: { setting: 'TELEGRAM_API_URL', path: '/bot<token>/…', default: 'https://api.telegram.org' },
  credentials: {
    bot_token: { kind: 'secret', example: "the bot's token from @BotFather" },
    chat_id: {
      kind: 'address',
      form: /^(?:-?\d{1,20}|@[A-Za-z]\w{3,63})$/,
      inWords: TELEGRAM_EXAMPLES.chatId,
      example: `the chat's id: ${TELEGRAM_EXAMPLES.chatId}`,
    },
  },
  settings: {},
  limits: TELEGRAM_LIMITS,
  preview: { always: true, address: { chat_id: '0' } },
  carriesNotices: true,
  createPublisher: createTelegramPublisher,
};
