import { connectTo } from '../channel-check.js';
import type { ConnectedPublisher, PublisherOptions } from '../publisher.js';
import { forecastFiles, mediaOf, previewCalls } from './files.js';
import { TELEGRAM_LIMITS } from './limits.js';
import { renderTelegram } from './render.js';
import { sendStep } from './send.js';
import { testTelegram } from './test-channel.js';

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
    render: renderTelegram,
    forecastResults: forecastFiles,
    mediaOf,
    previewCalls,
    send: (step, context) => sendStep(connection, step, context),
    test: (context) => testTelegram(connection, context),
    close: () => connection.connections.close(),
  };
};
