import type { Translation } from '../../domain/project/processing.js';
import { type CompleteAnswer, FetchError } from '../../outbound-http/answer-receiver.js';
import type { GuardedClient } from '../../outbound-http/guarded-client.js';
import type { TextWithEntities } from '../../payload/entities.js';
import { CATEGORIES, ErrorTable } from '../../platforms/outcomes.js';
import { gatewayError, type PublishError } from '../../platforms/publisher.js';
import { BoundedCache } from '../../runtime/bounded-cache.js';
import type { SecretVault } from '../../secrets/vault.js';
import { isVisible } from '../../validation/text-measure.js';
import { MAX_PROCESSED_TEXT } from '../edit-text.js';
import { TRANSLATION_MESSAGES } from '../messages.js';
import { TRANSLATION_ERRORS } from './errors.js';
import { parseMarkup, renderSpans } from './markup.js';
import type { TranslationResult, Translator } from './translation.js';

const errors = new ErrorTable('gateway', 'LibreTranslate', TRANSLATION_ERRORS);
/** Maximum size of a response in bytes: the text in its longest JSON and markup form, plus the envelope. */
const MAX_ANSWER_BYTES = 4_194_304;
/** Maximum cost of a translation: a request, and its retry after a broken connection. */
export const MOST_OF_A_TRANSLATION = { probes: 2, bytes: MAX_ANSWER_BYTES } as const;
/** Maximum length of a quote from the service's error message, in UTF-16 units. */
const MAX_QUOTE_LENGTH = 500;

/**
 * Client for LibreTranslate-compatible services (D-28): `POST <url>/translate {q, source, target, format, api_key?}`
 * returns `{translatedText}` or `{error}`. Sends text with entities as HTML, with a tag for each entity. Retries a
 * broken connection once, because the call has no side effects.
 */
export class LibreTranslate implements Translator {
  /** @param timeoutMs time limit from the request to the last byte of the response */
  constructor(
    private readonly client: Pick<GuardedClient, 'request'>,
    private readonly vault: Pick<SecretVault, 'readSecret'>,
    private readonly timeoutMs: number,
  ) {}

  async translate(content: TextWithEntities, how: Translation, signal: AbortSignal): Promise<TranslationResult> {
    const hasEntities = content.entities.length > 0;
    const secret = how.api_key_id === undefined ? {} : await this.vault.readSecret(how.api_key_id);
    if (secret === null) return failed('credentials', TRANSLATION_MESSAGES.apiKeyErased);
    const request = {
      q: hasEntities ? renderSpans(content) : content.text,
      source: how.source,
      target: how.target,
      format: hasEntities ? 'html' : 'text',
      ...secret,
    };
    try {
      const answer = await this.post(callUrlOf(how.url), JSON.stringify(request), signal);
      return answer.status === 200 ? parseAnswer(answer, content) : toFailure(answer, Object.values(secret));
    } catch (error) {
      if (!(error instanceof FetchError)) throw error;
      return failed('network', TRANSLATION_MESSAGES.unreachable({ problem: error.message }));
    }
  }

  private async post(url: string, body: string, signal: AbortSignal): Promise<CompleteAnswer> {
    const request = {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body,
      maxBytes: MAX_ANSWER_BYTES,
      timeoutMs: this.timeoutMs,
      signal,
    } as const;
    try {
      return await this.client.request(url, request);
    } catch (error) {
      if (error instanceof FetchError && error.code === 'unreachable') return this.client.request(url, request);
      throw error;
    }
  }
}

/** Returns the URL to call. The configured URL may already end with the path. */
const callUrlOf = (url: string): string => {
  const callUrl = new URL(url);
  const path = callUrl.pathname.replace(/\/+$/, '');
  callUrl.pathname = path.endsWith('/translate') ? path : `${path}/translate`;
  return callUrl.href;
};

const parseAnswer = ({ body }: CompleteAnswer, original: TextWithEntities): TranslationResult => {
  const answered = readField(body, 'translatedText');
  if (answered === null) return failed('platform', TRANSLATION_MESSAGES.noTranslation);
  const text = clean(answered);
  const hasEntities = original.entities.length > 0;
  const translated = hasEntities ? parseMarkup(text, original) : { text, places: [] };
  if (translated === null) return failed('platform', TRANSLATION_MESSAGES.unreadableMarkup);
  if (translated.text.length > MAX_PROCESSED_TEXT) return failed('platform', TRANSLATION_MESSAGES.tooLong);
  // An invisible translation would silently drop the text (D-22).
  if (!isVisible(translated.text)) return failed('platform', TRANSLATION_MESSAGES.invisible);
  return { kind: 'translated', ...translated };
};

const toFailure = ({ status, headers, body }: CompleteAnswer, secrets: readonly string[]): TranslationResult => {
  const message = secrets.reduce((text, secret) => text.replaceAll(secret, '***'), readField(body, 'error') ?? '');
  const says = clean(message.slice(0, MAX_QUOTE_LENGTH));
  const row = errors.find({ codes: [status], words: message });
  const category = row?.class === 'retry' || row?.class === 'credentials' ? CATEGORIES[row.class] : 'platform';
  const failure = failed(category, row?.advice.en ?? TRANSLATION_MESSAGES.answeredStatus({ status }), says);
  const seconds = /^\d{1,5}$/.test(headers['retry-after'] ?? '') ? Number(headers['retry-after']) : null;
  return { ...failure, afterMs: seconds === null ? (row?.wait?.firstMs ?? null) : seconds * 1_000 };
};

/** Replaces lone surrogates and removes NUL characters, which databases cannot store. */
const clean = (text: string): string => text.replace(/\p{Cs}/gu, '\ufffd').replaceAll('\0', '');

/** Reads a string from a JSON object; null if there is none. */
const readField = (body: Buffer, name: string): string | null => {
  try {
    const answer = JSON.parse(body.toString()) as unknown;
    const value = (answer as Readonly<Record<string, unknown>> | null)?.[name];
    return typeof value === 'string' ? value : null;
  } catch {
    return null;
  }
};

const failed = (
  category: PublishError['category'],
  message: string,
  says = '',
): Extract<TranslationResult, { kind: 'failed' }> => ({
  kind: 'failed',
  error: {
    ...gatewayError('translation_failed', category, message),
    ...(says !== '' && { platform_says: says }),
  },
  afterMs: null,
});

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

const error = gatewayError('translation_failed', 'network', TRANSLATION_MESSAGES.paused);
const CIRCUIT_OPEN: TranslationResult = { kind: 'failed', error, afterMs: null };
