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
import { findChat, NUMBERS_PER_CALL, readMaxLink, readNumbers, testMax } from './channel.js';
import { MAX_LIMITS, TITLE } from './limits.js';
import { MAX_EXAMPLES } from './messages.js';
import { renderMax } from './render.js';
import { forecastMedia, lookUpMessage, mediaOf, previewCalls, sendStep } from './send.js';

/**
 * Creates the publisher for MAX. It never repeats a call, because only the caller knows whether a post may be sent
 * twice (D-25).
 */
export const createMaxPublisher = (options: PublisherOptions): ConnectedPublisher => {
  const connection = connectTo(options);
  return {
    platform: 'max',
    pace: MAX_LIMITS.pace,
    credentialFor: ({ access_token }) => access_token,
    render: renderMax,
    forecastResults: forecastMedia,
    mediaOf,
    previewCalls,
    send: (step, context) => sendStep(connection, step, context),
    lookUp: (step, context, send) => lookUpMessage(connection, step, context, send),
    test: (context) => testMax(connection, context),
    findChat: (name, context) => findChat(connection, name, context),
    deleteMessage: (message, context) => deleteMessage(connection, message, context),
    canDelete: canDeleteMessage,
    renderEdit,
    edit: (step, context) => editMessage(connection, step, context),
    canEdit,
    pin: (message, context) => pinMessage(connection, message, context),
    messageToPin,
    numbersPerCall: NUMBERS_PER_CALL,
    readNumbers: (ids, context) => readNumbers(connection, ids, context),
    close: () => connection.connections.close(),
  };
};

/** MAX: bots post to chats and channels. */
export const max: PlatformDescriptor = {
  id: 'max',
  title: TITLE,
  baseUrl: { setting: 'MAX_API_URL', path: '/messages', default: 'https://platform-api2.max.ru' },
  credentials: {
    access_token: { kind: 'secret', example: "the bot's access token" },
    chat_id: {
      kind: 'address',
      form: /^-?\d{1,20}$/,
      readLink: readMaxLink,
      names: /^@[A-Za-z][\w.-]{1,63}$/,
      inWords: MAX_EXAMPLES.chatId,
      example: `the chat's id: ${MAX_EXAMPLES.chatId}`,
    },
  },
  settings: {},
  limits: MAX_LIMITS,
  preview: { always: true, address: { chat_id: '0' } },
  createPublisher: createMaxPublisher,
};
