import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { maskUrl } from '../config/redact.js';
import { StorageFailed, Unavailable } from '../event-store/port.js';
import { reasonOf } from '../kernel/result.js';
import { MigrationError } from '../postgres/migrations.js';
import { UnfitServer } from '../postgres/server-check.js';
import { isUnavailable } from '../postgres/unavailable.js';
import { RepeatedFailure } from '../runtime/failing-work.js';
import { WrongSecretsKey } from '../secrets/database-keys.js';
import { adviseOnRefusal } from './database-advice.js';
import { START_MESSAGES } from './messages.js';

interface RequiredServer {
  /** Human-readable name: `a database`. */
  readonly what: string;
  /**
   * The setting that contains the server's address, and its value; null if the address does not come from a setting.
   */
  readonly from: ReturnType<typeof addressFrom>;
  readonly log: Logger;
  /** Ends the wait. */
  readonly signal: AbortSignal | undefined;
}

/** Returns the setting that contains a server's address; null if it is not set. */
export const addressFrom = (
  setting: 'DATABASE_URL' | 'EVENT_STORE_URL',
  url: string | null,
): { readonly setting: typeof setting; readonly url: string } | null => (url === null ? null : { setting, url });

const PAUSE_MS = 1_000;

/**
 * Retries until the server responds, because all servers of a deployment may start at the same time. Returns the result
 * of the successful attempt.
 * @throws Error with a sentence that names the setting if the server rejects it: a wrong password, a missing database,
 * TLS that the server does not support
 */
export const waitForServer = async <T>(
  { what, from, log, signal }: RequiredServer,
  attempt: () => Promise<T>,
): Promise<T> => {
  const failure = new RepeatedFailure();
  for (;;) {
    signal?.throwIfAborted();
    try {
      return await attempt();
    } catch (error) {
      if (!isTemporary(error)) throw describeRejection(error, what, from);
      // KurrentDB's client reports only `UnavailableError`, so the log line includes the address.
      const where = from && { setting: from.setting, address: maskUrl(from.url) };
      failure.warn(log, (error as Error).cause ?? error, `waiting for ${what}`, where ?? {});
      await sleep(PAUSE_MS, undefined, { signal });
    }
  }
};

/** True if the next attempt may succeed. The event store's errors wrap PostgreSQL's permanent refusals. */
const isTemporary = (error: unknown): boolean => {
  const { cause } = error as Error;
  if (error instanceof StorageFailed && !isServerError(cause)) return false;
  if (error instanceof Unavailable) return !isServerError(cause) || isTemporary(cause);
  return isUnavailable(error) && adviseOnRefusal(error) === null;
};

/** True for an error that a PostgreSQL server, or a pooler in front of it, sent. */
const isServerError = (error: unknown): boolean =>
  typeof error === 'object' && error !== null && 'severity' in error && 'code' in error;

/**
 * Returns an error that names the setting and quotes the server or its client. An error whose message already is a
 * sentence, or an error without a setting, is returned unchanged.
 */
const describeRejection = (error: unknown, what: string, from: RequiredServer['from']): unknown => {
  if (from === null || SENTENCES.some((type) => error instanceof type)) return error;
  const refusal = error instanceof Unavailable && isServerError(error.cause) ? error.cause : error;
  const reason = reasonOf(refusal).replaceAll(from.url, maskUrl(from.url));
  const advice = from.setting === 'DATABASE_URL' ? adviseOnRefusal(refusal, from.url) : null;
  const problem = START_MESSAGES.unusableServer({ setting: from.setting, what, reason });
  const sentence = advice === null ? problem : START_MESSAGES.unusableServerAdvice({ problem, advice });
  return new Error(sentence, { cause: error });
};

/** Errors whose message is a human-readable sentence. */
const SENTENCES = [MigrationError, UnfitServer, WrongSecretsKey];
