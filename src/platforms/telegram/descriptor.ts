import { connectTo } from '../channel-check.js';
import type { PlatformDescriptor } from '../platform-catalogue.js';
import type { ConnectedPublisher, PublisherOptions } from '../publisher.js';
import {
  canDeleteMessage,
  canEdit,
  deleteMessage,
  editMessage,
  messageToPin,
  pinMessage,
  renderEdit,
} from './after-publishing.js';
import { readTelegramLink, testTelegram } from './channel.js';
import { forecastFiles, mediaOf, previewCalls } from './files.js';
import { TELEGRAM_LIMITS, TITLE } from './limits.js';
import { TELEGRAM_EXAMPLES, TELEGRAM_MESSAGES } from './messages.js';
import { renderTelegram } from './render.js';
import { sendStep } from './send.js';

/**
 * Creates the publisher for Telegram. It never repeats a call, because only the caller knows whether a post may be sent
 * twice (D-25).
 */
export const createTelegramPublisher = (options: PublisherOptions): ConnectedPublisher => {
  const connection = connectTo(options);
  return {
    platform: 'telegram',
    pace: TELEGRAM_LIMITS.pace,
    credentialFor: ({ bot_token }) => bot_token,
    accountOf: ({ bot_token }) => bot_token?.split(':', 1)[0] ?? null,
    render: renderTelegram,
    forecastResults: forecastFiles,
    mediaOf,
    previewCalls,
    send: (step, context) => sendStep(connection, step, context),
    test: (context) => testTelegram(connection, context),
    deleteMessage: (message, context) => deleteMessage(connection, message, context),
    canDelete: canDeleteMessage,
    renderEdit,
    edit: (step, context) => editMessage(connection, step, context),
    canEdit,
    pin: (message, context) => pinMessage(connection, message, context),
    messageToPin,
    noNumbers: TELEGRAM_MESSAGES.noNumbers,
    close: () => connection.connections.close(),
  };
};

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
      readLink: readTelegramLink,
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
