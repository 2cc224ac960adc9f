import { connectTo } from '../channel-check.js';
import type { PlatformDescriptor } from '../platform-catalogue.js';
import type { ConnectedPublisher, PlatformChannel, PublisherOptions } from '../publisher.js';
import { canDeletePost, canEdit, deletePost, editPost, pinPost, renderEdit } from './after-publishing.js';
import { findGroup, NUMBERS_PER_CALL, readNumbers, readVkLink, testVk } from './channel.js';
import { TITLE, VK_LIMITS } from './limits.js';
import { VK_EXAMPLES } from './messages.js';
import { renderVk } from './render.js';
import { forecastMedia, lookUpOnWall, mediaOf, postToWall, previewCalls, uploadMedium } from './send.js';

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
    findChat: (name, context) => findGroup(connection, name, context),
    deleteMessage: (message, context) => deletePost(connection, message, context),
    canDelete: canDeletePost,
    renderEdit,
    edit: (step, context) => editPost(connection, step, context),
    canEdit,
    pin: (message, context) => pinPost(connection, message, context),
    messageToPin: ({ messageIds }) => messageIds[0],
    numbersPerCall: NUMBERS_PER_CALL,
    readNumbers: (ids, context) => readNumbers(connection, ids, context),
    close: () => connection.connections.close(),
  };
};

/** VK: posts appear on the walls of communities. */
export const vk: PlatformDescriptor = {
  id: 'vk',
  title: TITLE,
  baseUrl: { setting: 'VK_API_URL', path: '/method/…', default: 'https://api.vk.ru' },
  credentials: {
    access_token: { kind: 'secret', example: "the community's access token" },
    /** A user token for uploads, because community tokens do not allow them (networks.md: VK). */
    upload_token: { kind: 'optional_secret' },
    group_id: {
      kind: 'address',
      form: /^[1-9]\d{0,19}$/,
      readLink: readVkLink,
      names: /^@[A-Za-z][\w.-]{1,63}$/,
      inWords: VK_EXAMPLES.groupId,
      example: VK_EXAMPLES.groupId,
    },
  },
  // It is no secret whether there is an upload token, and rendering depends on it (D-22).
  addressOf: (secret): PlatformChannel['address'] => ('upload_token' in secret ? { uploads: 'user_token' } : {}),
  settings: {},
  limits: VK_LIMITS,
  preview: { always: true, address: { group_id: '0' } },
  createPublisher: createVkPublisher,
};
