import { createConnections } from '../exchange.js';
import type { PlatformPace, Publisher } from '../publisher.js';
import { foreseeFiles, shownCalls } from './files.js';
import { renderTelegram } from './render.js';
import { sendStep } from './send.js';

/** Settings of the Telegram publisher. */
export interface TelegramPublisherOptions {
  /** What stands before `/bot<token>/…` (`TELEGRAM_API_URL`). */
  readonly apiUrl: string;
  /** Milliseconds for one call, answer included; 30 s by default. */
  readonly timeoutMs?: number;
}

/** A publisher that holds connections: close it when the process ends. */
export interface TelegramPublisher extends Publisher {
  /** Ends idle connections at once and waits for calls under way. */
  close(): Promise<void>;
}

/** What Telegram bears by experience: a chat's and a bot's budget are separate (networks.md §3, D-41). */
const PACE: PlatformPace = {
  perChannel: [
    { calls: 1, perMs: 1_000 },
    { calls: 20, perMs: 60_000 },
  ],
  perCredential: [{ calls: 30, perMs: 1_000 }],
};

/**
 * Telegram through the Bot API. One set of kept-alive connections serves every bot and chat; calls are never repeated
 * here, because only the caller knows whether a post may go out twice (D-25).
 */
export const createTelegramPublisher = ({
  apiUrl,
  timeoutMs = 30_000,
}: TelegramPublisherOptions): TelegramPublisher => {
  const connection = { apiUrl: apiUrl.replace(/\/+$/, ''), connections: createConnections(), timeoutMs };
  return {
    platform: 'telegram',
    pace: PACE,
    accountOf: ({ bot_token }) => bot_token,
    render: renderTelegram,
    foresee: foreseeFiles,
    callsOf: shownCalls,
    send: (step, context) => sendStep(connection, step, context),
    close: () => connection.connections.close(),
  };
};
