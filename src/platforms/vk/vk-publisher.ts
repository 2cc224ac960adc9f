import { connectTo } from '../channel-check.js';
import type { ConnectedPublisher, PublisherOptions } from '../publisher.js';
import { VK_LIMITS } from './limits.js';
import { lookUpOnWall } from './look-up.js';
import { postToWall } from './post.js';
import { renderVk } from './render.js';
import { testVk } from './test-channel.js';
import { forecastMedia, mediaOf, previewCalls, uploadMedium } from './upload.js';

/** VK remembers a `guid` for an hour (networks.md §4); 10 minutes are reserved for a slow call. */
const GUID_LIFETIME_MS = 50 * 60_000;

/**
 * Creates the publisher for VK, which posts with one token and uploads with another. It never repeats a call, because
 * only the caller knows whether a post may be sent twice (D-25).
 */
export const createVkPublisher = (options: PublisherOptions): ConnectedPublisher => {
  const connection = connectTo(options);
  return {
    platform: 'vk',
    pace: VK_LIMITS.pace,
    // Uploads and look-ups use the user token if there is one; many communities may share it.
    credentialFor: ({ access_token, upload_token }, visible) =>
      visible ? access_token : (upload_token ?? access_token),
    keyLifetimeMs: GUID_LIFETIME_MS,
    render: renderVk,
    forecastResults: forecastMedia,
    mediaOf,
    previewCalls,
    send: (step, context) => (step.visible ? postToWall : uploadMedium)(connection, step, context),
    lookUp: (step, context, send) => lookUpOnWall(connection, step, context, send),
    test: (context) => testVk(connection, context),
    close: () => connection.connections.close(),
  };
};
