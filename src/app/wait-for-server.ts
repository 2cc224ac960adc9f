import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from 'pino';
import { maskUrl } from '../config/mask.js';
import { Unavailable } from '../event-store/port.js';
import { Complaint } from '../runtime/repeated-failure.js';
import { reasonOf } from '../kernel/reason.js';
import { MigrationError } from '../postgres/migrations.js';
import { WrongSecretsKey } from '../postgres/secrets-key-check.js';
import { isUnavailable } from '../postgres/unavailable.js';

/** A server that a starting process needs. */
export interface Wanted {
  /** For people: `a database`. */
  readonly what: string;
  /** The setting that says where it is, and its value; null where nobody set it. */
  readonly from: { readonly setting: 'DATABASE_URL' | 'EVENT_STORE_URL'; readonly url: string } | null;
  readonly log: Logger;
  /** Gives the wait up. */
  readonly signal: AbortSignal | undefined;
}

const PAUSE_MS = 1_000;

/**
 * Repeats while a server is away: in a deployment everything starts at the same time.
 * @throws Error with a sentence that names the setting where the server is there and will not have us: a wrong password,
 * a database that does not exist, TLS that it does not speak
 */
export const reach = async ({ what, from, log, signal }: Wanted, attempt: () => Promise<unknown>): Promise<void> => {
  const complaint = new Complaint();
  for (;;) {
    signal?.throwIfAborted();
    try {
      await attempt();
      return;
    } catch (error) {
      if (!(error instanceof Unavailable) && !isUnavailable(error)) throw inSentence(error, what, from);
      const reason = reasonOf((error as Error).cause ?? error);
      // KurrentDB's client has no reason but `UnavailableError`: where it was looked for is what people can go by.
      const where = from && { setting: from.setting, address: maskUrl(from.url) };
      if (complaint.isNews(reason)) log.warn({ reason, ...where }, `waiting for ${what}`);
      await sleep(PAUSE_MS, undefined, { signal });
    }
  }
};

/** What the server or its client has said, with the setting that leads there; our own sentences as they are. */
const inSentence = (error: unknown, what: string, from: Wanted['from']): unknown => {
  if (from === null || error instanceof MigrationError || error instanceof WrongSecretsKey) return error;
  const reason = reasonOf(error).replaceAll(from.url, maskUrl(from.url));
  return new Error(`${from.setting} leads to ${what} that cannot be used: ${reason}`, { cause: error });
};
