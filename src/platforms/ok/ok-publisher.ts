import { createConnections } from '../exchange.js';
import type { PlatformPace, Publisher } from '../publisher.js';
import { postTopic } from './post.js';
import { renderOk } from './render.js';
import { shownCalls } from './upload-calls.js';
import { foreseeUploads, uploadMedium } from './upload.js';

/** Settings of the OK publisher. */
export interface OkPublisherOptions {
  /** What stands before `/fb.do` (`OK_API_URL`). */
  readonly apiUrl: string;
  /** Milliseconds for one call, answer included; 30 s by default. */
  readonly timeoutMs?: number;
  /** Milliseconds for one upload, answer included; 15 minutes by default. */
  readonly uploadTimeoutMs?: number;
}

/** A publisher that holds connections: close it when the process ends. */
export interface OkPublisher extends Publisher {
  /** Ends idle connections at once and waits for calls under way. */
  close(): Promise<void>;
}

/** OK documents no pace: one post a second into a group, and a few calls a second with a token, disturb nobody. */
const PACE: PlatformPace = {
  perChannel: [{ calls: 1, perMs: 1_000 }],
  perCredential: [{ calls: 5, perMs: 1_000 }],
};

/**
 * Odnoklassniki: topics in a group's feed, by signed calls. Calls are never repeated here, because only the caller
 * knows whether a post may go out twice (D-25).
 */
export const createOkPublisher = ({
  apiUrl,
  timeoutMs = 30_000,
  uploadTimeoutMs = 15 * 60_000,
}: OkPublisherOptions): OkPublisher => {
  const connections = createConnections();
  const connection = { apiUrl: apiUrl.replace(/\/+$/, ''), connections, timeoutMs, uploadTimeoutMs };
  return {
    platform: 'ok',
    pace: PACE,
    accountOf: ({ access_token }) => access_token,
    render: renderOk,
    foresee: foreseeUploads,
    callsOf: shownCalls,
    send: (step, context) => (step.visible ? postTopic : uploadMedium)(connection, step, context),
    close: () => connections.close(),
  };
};
