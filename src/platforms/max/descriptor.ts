import type { PlatformDescriptor } from '../descriptor.js';
import { MAX_LIMITS, TITLE } from './limits.js';
import { createMaxPublisher } from './max-publisher.js';
import { MAX_EXAMPLES } from './messages.js';

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
      inWords: MAX_EXAMPLES.chatId,
      example: `the chat's id: ${MAX_EXAMPLES.chatId}`,
    },
  },
  settings: {},
  limits: MAX_LIMITS,
  preview: { always: true, address: { chat_id: '0' } },
  createPublisher: createMaxPublisher,
};
