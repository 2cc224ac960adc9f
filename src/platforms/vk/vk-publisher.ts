import { createConnections } from '../exchange.js';
import type { PlatformPace, Publisher } from '../publisher.js';
import { lookUpOnWall } from './look-up.js';
import { postToWall } from './post.js';
import { renderVk } from './render.js';
import { shownCalls } from './upload-calls.js';
import { foreseeUploads, uploadMedium } from './upload.js';

/** Settings of the VK publisher. */
export interface VkPublisherOptions {
  /** What stands before `/method/…` (`VK_API_URL`). */
  readonly apiUrl: string;
  /** Milliseconds for one call, answer included; 30 s by default. */
  readonly timeoutMs?: number;
  /** Milliseconds for one upload, answer included; 15 minutes by default. */
  readonly uploadTimeoutMs?: number;
}

/** A publisher that holds connections: close it when the process ends. */
export interface VkPublisher extends Publisher {
  /** Ends idle connections at once and waits for calls under way. */
  close(): Promise<void>;
}

/** A user's token bears 3 calls a second, a community's 20; which one it is cannot be told (networks.md §3). */
const PACE: PlatformPace = {
  perChannel: [{ calls: 1, perMs: 1_000 }],
  perCredential: [{ calls: 3, perMs: 1_000 }],
};

/** VK knows a `guid` for an hour (networks.md §4); the rest is for a call that takes its time. */
const GUID_LIFETIME_MS = 50 * 60_000;

/**
 * VK: posts on a community's wall with one token, uploads with another. Calls are never repeated here, because only the
 * caller knows whether a post may go out twice (D-25); the publication's key goes along as `guid`.
 */
export const createVkPublisher = ({
  apiUrl,
  timeoutMs = 30_000,
  uploadTimeoutMs = 15 * 60_000,
}: VkPublisherOptions): VkPublisher => {
  const connections = createConnections();
  const connection = { apiUrl: apiUrl.replace(/\/+$/, ''), connections, timeoutMs, uploadTimeoutMs };
  return {
    platform: 'vk',
    pace: PACE,
    // Uploads and looks go with the user's token where there is one: often the same for many communities.
    accountOf: ({ access_token, upload_token }, visible) => (visible ? access_token : (upload_token ?? access_token)),
    keyLifetimeMs: GUID_LIFETIME_MS,
    render: renderVk,
    foresee: foreseeUploads,
    callsOf: shownCalls,
    send: (step, context) => (step.visible ? postToWall : uploadMedium)(connection, step, context),
    lookUp: (step, context, send) => lookUpOnWall(connection, step, context, send),
    close: () => connections.close(),
  };
};
