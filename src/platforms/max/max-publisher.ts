import { connectTo } from '../channel-check.js';
import type { ConnectedPublisher, PublisherOptions } from '../publisher.js';
import { MAX_LIMITS } from './limits.js';
import { lookUpMessage } from './look-up.js';
import { renderMax } from './render.js';
import { sendStep } from './send.js';
import { testMax } from './test-channel.js';
import { forecastMedia, mediaOf, previewCalls } from './upload.js';

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
    close: () => connection.connections.close(),
  };
};
