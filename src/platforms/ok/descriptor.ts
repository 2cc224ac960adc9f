import { LIMITS } from '../../payload/payload.js';
import { connectTo } from '../channel-check.js';
import type { PlatformDescriptor } from '../platform-catalogue.js';
import type { ConnectedPublisher, PublisherOptions } from '../publisher.js';
import { canDeleteTopic, deleteTopic } from './after-publishing.js';
import { findGroup, readNumbers, readOkLink, testOk } from './channel.js';
import { OK_LIMITS, TITLE } from './limits.js';
import { OK_EXAMPLES } from './messages.js';
import { renderOk } from './render.js';
import { forecastMedia, mediaOf, postTopic, previewCalls, uploadMedium } from './send.js';

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
    findChat: (name, context) => findGroup(connection, name, context),
    deleteMessage: (message, context) => deleteTopic(connection, message, context),
    canDelete: canDeleteTopic,
    readNumbers: (ids, context) => readNumbers(connection, ids, context),
    close: () => connection.connections.close(),
  };
};

/** Odnoklassniki: posts appear in the feeds of groups. */
export const ok: PlatformDescriptor = {
  id: 'ok',
  title: TITLE,
  baseUrl: { setting: 'OK_API_URL', path: '/fb.do', default: 'https://api.ok.ru' },
  credentials: {
    application_key: { kind: 'secret', example: "the application's public key" },
    application_secret: { kind: 'secret', example: "the application's secret key" },
    access_token: { kind: 'secret', example: 'the access token' },
    group_id: {
      kind: 'address',
      form: /^[1-9]\d{0,19}$/,
      readLink: readOkLink,
      names: /^@[A-Za-z][\w.-]{1,63}$/,
      inWords: OK_EXAMPLES.groupId,
      example: OK_EXAMPLES.groupId,
    },
  },
  settings: {
    /** OK shows no buttons: they become links in the text, or are dropped (D-4). */
    buttons: { kind: 'choice', values: ['link', 'drop'], default: 'link' },
    text_limit: { kind: 'integer', min: 1, max: LIMITS.text, default: OK_LIMITS.text },
    /** Whether a video is uploaded to the group. By some reports, OK then publishes it by itself (networks.md §1). */
    video_upload: { kind: 'choice', values: ['account', 'group'], default: 'account' },
    /** How long, and how often, to ask whether OK has processed a video before it is published. */
    video_wait_seconds: { kind: 'integer', min: 0, max: 600, default: 60 },
    video_check_seconds: { kind: 'integer', min: 1, max: 60, default: 5 },
  },
  limits: OK_LIMITS,
  preview: { always: false, address: { group_id: '0' } },
  createPublisher: createOkPublisher,
};
