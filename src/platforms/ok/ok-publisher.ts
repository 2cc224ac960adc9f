import { connectTo } from '../channel-check.js';
import type { ConnectedPublisher, PublisherOptions } from '../publisher.js';
import { OK_LIMITS } from './limits.js';
import { postTopic } from './post.js';
import { renderOk } from './render.js';
import { testOk } from './test-channel.js';
import { forecastMedia, mediaOf, previewCalls, uploadMedium } from './upload.js';

/**
 * Creates the publisher for Odnoklassniki. It never repeats a call, because only the caller knows whether a post may be
 * sent twice (D-25).
 */
export const createOkPublisher = (options: PublisherOptions): ConnectedPublisher => {
  const connection = connectTo(options);
  return {
    platform: 'ok',
    pace: OK_LIMITS.pace,
    credentialFor: ({ access_token }) => access_token,
    render: renderOk,
    forecastResults: forecastMedia,
    mediaOf,
    previewCalls,
    send: (step, context) => (step.visible ? postTopic : uploadMedium)(connection, step, context),
    test: (context) => testOk(connection, context),
    close: () => connection.connections.close(),
  };
};
