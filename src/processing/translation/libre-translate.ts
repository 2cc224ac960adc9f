import type { Translation } from '../../domain/project/processing.js';
import type { GuardedClient, WholeAnswer } from '../../outbound-http/guarded-client.js';
import { MediaFetchError } from '../../outbound-http/fetch-error.js';
import type { TextWithEntities } from '../../payload/entities.js';
import { isVisible } from '../../validation/text-measure.js';
import type { PublishError } from '../../platforms/publisher.js';
import type { SecretVault } from '../../secrets/vault.js';
import { MAX_PROCESSED_TEXT } from '../edit.js';
import { fromMarkup, toMarkup } from './markup.js';
import type { Translated, Translator } from './translation.js';

/** Of an answer: the text in the longest form that JSON and markup have, and what is around it. */
const MAX_ANSWER_BYTES = 4_194_304;
/** What the service says is kept up to so many UTF-16 units. */
const MAX_WORDS = 500;

/**
 * Asks a LibreTranslate-compatible service (D-28): `POST <url>/translate {q, source, target, format, api_key?}` answers
 * `{translatedText}`, or `{error}`. Text with entities goes as HTML, whose tags say where they come to stand; text
 * without goes as it is. A connection that breaks is tried once more: asking again changes nothing.
 */
export class LibreTranslate implements Translator {
  /** @param timeoutMs from the request to the last byte of its answer */
  constructor(
    private readonly client: Pick<GuardedClient, 'request'>,
    private readonly vault: Pick<SecretVault, 'get'>,
    private readonly timeoutMs: number,
  ) {}

  async translate(content: TextWithEntities, how: Translation, signal: AbortSignal): Promise<Translated> {
    const hasEntities = content.entities.length > 0;
    const secret = how.api_key_id === undefined ? {} : await this.vault.get(how.api_key_id);
    if (secret === null) return failed('credentials', 'The key of the translation service was erased: set a new one.');
    const asked = {
      q: hasEntities ? toMarkup(content) : content.text,
      source: how.source,
      target: how.target,
      format: hasEntities ? 'html' : 'text',
      ...secret,
    };
    try {
      const answer = await this.ask(addressOf(how.url), JSON.stringify(asked), signal);
      return answer.status === 200 ? read(answer, content) : refused(answer, Object.values(secret));
    } catch (error) {
      if (!(error instanceof MediaFetchError)) throw error;
      return failed('network', `The translation service ${error.message}.`);
    }
  }

  private async ask(url: string, body: string, signal: AbortSignal): Promise<WholeAnswer> {
    const asked = {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body,
      maxBytes: MAX_ANSWER_BYTES,
      timeoutMs: this.timeoutMs,
      signal,
    } as const;
    try {
      return await this.client.request(url, asked);
    } catch (error) {
      if (error instanceof MediaFetchError && error.code === 'unreachable') return this.client.request(url, asked);
      throw error;
    }
  }
}

/** The address of the call: the service's own, or what was given where that names the call already. */
const addressOf = (url: string): string => {
  const address = new URL(url);
  const path = address.pathname.replace(/\/+$/, '');
  address.pathname = path.endsWith('/translate') ? path : `${path}/translate`;
  return address.href;
};

const read = ({ body }: WholeAnswer, original: TextWithEntities): Translated => {
  const answered = fieldOf(body, 'translatedText');
  if (answered === null) return failed('platform', 'The translation service answers something that is no translation.');
  const words = clean(answered);
  const hasEntities = original.entities.length > 0;
  const translated = hasEntities ? fromMarkup(words, original) : { text: words, places: [] };
  if (translated === null)
    return failed('platform', 'The translation service answers markup in which nothing can be found again.');
  if (translated.text.length > MAX_PROCESSED_TEXT)
    return failed('platform', 'The translation service answers a text that is far too long.');
  // Only what can be seen is asked for: to publish this would take the post's words away without a word (D-22).
  if (!isVisible(translated.text))
    return failed('platform', 'The translation service answers a text of which nothing can be seen.');
  return { kind: 'translated', ...translated };
};

const refused = ({ status, headers, body }: WholeAnswer, secrets: readonly string[]): Translated => {
  const words = secrets.reduce((text, secret) => text.replaceAll(secret, '***'), fieldOf(body, 'error') ?? '');
  const says = clean(words.slice(0, MAX_WORDS));
  const category = status === 429 ? 'rate_limit' : status === 401 || status === 403 ? 'credentials' : 'platform';
  const seconds = /^\d{1,5}$/.test(headers['retry-after'] ?? '') ? Number(headers['retry-after']) : null;
  const told = failed(category, `The translation service answers ${status}.`, says);
  return { ...told, afterMs: seconds === null ? null : seconds * 1_000 };
};

/** Without what no text can hold: half a character, and what a database cannot. */
const clean = (text: string): string => text.replace(/\p{Cs}/gu, '\ufffd').replaceAll('\0', '');

/** A string in a JSON object; null where there is none. */
const fieldOf = (body: Buffer, name: string): string | null => {
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
): Extract<Translated, { kind: 'failed' }> => ({
  kind: 'failed',
  error: {
    code: 'translation_failed',
    category,
    source: 'gateway',
    message,
    ...(says !== '' && { platform_says: says }),
  },
  afterMs: null,
});
