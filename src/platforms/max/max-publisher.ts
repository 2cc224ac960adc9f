import { createConnections } from '../exchange.js';
import type { PlatformPace, Publisher } from '../publisher.js';
import { lookUpMessage } from './look-up.js';
import { renderMax } from './render.js';
import { sendStep } from './send.js';
import { shownCalls } from './upload-calls.js';
import { foreseeUploads } from './upload.js';

/** Settings of the MAX publisher. */
export interface MaxPublisherOptions {
  /** Base address (`MAX_API_URL`). */
  readonly apiUrl: string;
  /** Milliseconds for one call, answer included; 30 s by default. An upload gets more by its size. */
  readonly timeoutMs?: number;
}

/** A publisher that holds connections: close it when the process ends. */
export interface MaxPublisher extends Publisher {
  /** Ends idle connections at once and waits for calls under way. */
  close(): Promise<void>;
}

/** MAX's own figures (networks.md §3). */
const PACE: PlatformPace = {
  perChannel: [{ calls: 2, perMs: 1_000 }],
  perCredential: [{ calls: 30, perMs: 1_000 }],
};

/**
 * MAX through its Bot API. Calls are never repeated here: only the caller knows whether a post may go out twice (D-25).
 */
export const createMaxPublisher = ({ apiUrl, timeoutMs = 30_000 }: MaxPublisherOptions): MaxPublisher => {
  const connection = { apiUrl: apiUrl.replace(/\/+$/, ''), connections: createConnections(), timeoutMs };
  return {
    platform: 'max',
    pace: PACE,
    accountOf: ({ access_token }) => access_token,
    render: renderMax,
    foresee: foreseeUploads,
    callsOf: shownCalls,
    send: (step, context) => sendStep(connection, step, context),
    lookUp: (step, context, send) => lookUpMessage(connection, step, context, send),
    close: () => connection.connections.close(),
  };
};
