import type { Translation } from '../../domain/project/processing.js';
import type { TextWithEntities } from '../../payload/entities.js';
import type { PublishError } from '../../platforms/publisher.js';
import { BoundedCache } from '../../runtime/bounded-cache.js';
import type { Translated, Translator } from './translation.js';

/** When a service counts as gone, and for how long; milliseconds. */
export interface CircuitBreakerOptions {
  /** A failure that took this long is worth remembering; 3 s. One that comes at once costs nobody anything. */
  readonly slowMs?: number;
  /** For how long it is left alone; 1 min. */
  readonly restMs?: number;
  /** A clock that is never set back. */
  readonly now?: () => number;
}

/** What is remembered of a service. */
interface Service {
  /** Slow failures in a row. */
  failures: number;
  /** Until when it is left alone. */
  restsUntil: number;
}

/** One slow failure may be of the moment. */
const FAILURES = 2;

/**
 * A translator that remembers a service which let it wait in vain, so that not every post waits for it: after the second
 * time in a row a text that is published as it came in this case ({@link Translation.on_failure}) is not kept waiting, but
 * for one text a minute that finds out whether the service is back. What must be translated is asked for all the same.
 */
export class CircuitBreaker implements Translator {
  private readonly services = new BoundedCache<Service>(1_000);
  private readonly slowMs: number;
  private readonly restMs: number;
  private readonly now: () => number;

  constructor(
    private readonly translator: Translator,
    { slowMs = 3_000, restMs = 60_000, now = () => performance.now() }: CircuitBreakerOptions = {},
  ) {
    this.slowMs = slowMs;
    this.restMs = restMs;
    this.now = now;
  }

  async translate(content: TextWithEntities, how: Translation, signal: AbortSignal): Promise<Translated> {
    const service = this.services.get(how.url, () => ({ failures: 0, restsUntil: 0 }));
    const began = this.now();
    if (service.failures >= FAILURES) {
      if (began < service.restsUntil && how.on_failure === 'publish_original') return atRest;
      service.restsUntil = began + this.restMs; // whoever comes meanwhile does not wait for what this one finds out
    }
    const translated = await this.translator.translate(content, how, signal);
    const hasKeptWaiting = translated.kind === 'failed' && this.now() - began >= this.slowMs && !signal.aborted;
    service.failures = hasKeptWaiting ? service.failures + 1 : 0;
    service.restsUntil = hasKeptWaiting ? this.now() + this.restMs : 0;
    return translated;
  }
}

const error: PublishError = {
  code: 'translation_failed',
  category: 'network',
  source: 'gateway',
  message: 'The translation service has not answered for a while: it was not asked for this text.',
};
const atRest: Translated = { kind: 'failed', error, afterMs: null };
