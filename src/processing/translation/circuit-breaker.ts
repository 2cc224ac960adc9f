import type { Translation } from '../../domain/project/processing.js';
import type { TextWithEntities } from '../../payload/entities.js';
import type { PublishError } from '../../platforms/publisher.js';
import { BoundedCache } from '../../runtime/bounded-cache.js';
import { TRANSLATION_MESSAGES } from '../messages.js';
import type { TranslationResult, Translator } from './translation.js';

interface CircuitBreakerOptions {
  /** How long a failure must take to count; default 3 s. Faster failures do not delay posts. */
  readonly slowMs?: number;
  /** How long the circuit stays open; default 1 min. */
  readonly openMs?: number;
  /** A monotonic clock in ms. */
  readonly now?: () => number;
}

interface ServiceState {
  /** Number of consecutive slow failures. */
  slowFailures: number;
  /** When the next request may try the service again. */
  openUntil: number;
}

/** Number of consecutive slow failures that open the circuit. */
const FAILURE_THRESHOLD = 2;

/**
 * Stops waiting for a service that fails slowly. After two consecutive slow failures, requests for text that may be
 * published untranslated ({@link Translation.on_failure}) fail at once, except for one request per minute, which tests
 * whether the service has recovered. Text that must be translated is always sent to the service.
 */
export class CircuitBreaker implements Translator {
  private readonly services = new BoundedCache<ServiceState>(1_000);
  private readonly slowMs: number;
  private readonly openMs: number;
  private readonly now: () => number;

  constructor(
    private readonly translator: Translator,
    { slowMs = 3_000, openMs = 60_000, now = () => performance.now() }: CircuitBreakerOptions = {},
  ) {
    this.slowMs = slowMs;
    this.openMs = openMs;
    this.now = now;
  }

  async translate(content: TextWithEntities, how: Translation, signal: AbortSignal): Promise<TranslationResult> {
    const service = this.services.getOrCreate(how.url, () => ({ slowFailures: 0, openUntil: 0 }));
    const startedAt = this.now();
    if (service.slowFailures >= FAILURE_THRESHOLD) {
      if (startedAt < service.openUntil && how.on_failure === 'publish_original') return CIRCUIT_OPEN;
      service.openUntil = startedAt + this.openMs; // later requests do not wait for this one
    }
    const result = await this.translator.translate(content, how, signal);
    const isSlowFailure = result.kind === 'failed' && this.now() - startedAt >= this.slowMs && !signal.aborted;
    service.slowFailures = isSlowFailure ? service.slowFailures + 1 : 0;
    service.openUntil = isSlowFailure ? this.now() + this.openMs : 0;
    return result;
  }
}

const error: PublishError = {
  code: 'translation_failed',
  category: 'network',
  source: 'gateway',
  message: TRANSLATION_MESSAGES.paused,
};
const CIRCUIT_OPEN: TranslationResult = { kind: 'failed', error, afterMs: null };
