import { InvalidControlRequest, readPositive } from '../kit/control.js';
import { Ledger } from '../kit/ledger.js';
import {
  type Controls,
  NetworkError,
  type StandInAnswer,
  type StandInCall,
  type StandInNetwork,
} from '../kit/network.js';
import { type RunningStandIn, serveStandIn, type StandInOptions } from '../kit/server.js';

const WORD = /[\p{L}\p{M}\p{N}]+/gu;
const TOKEN = /<(\/?)([a-z][a-z0-9]*)\b([^<>]*)>|<|>/gi;

/** A LibreTranslate API error, with the service's own message. */
class ApiError extends NetworkError {
  constructor(status: number, message: string) {
    super(message, { status, body: { error: message } });
  }
}

/** Creates the error for invalid HTML. */
const invalidMarkup = (problem: string): ApiError => new ApiError(500, `Cannot translate text: ${problem}`);

/** Marks every word with the language: `мир` becomes `мир·en`. Leaves everything between words unchanged. */
const pseudoTranslate = (text: string, target: string): string => text.replace(WORD, `$&·${target}`);

/**
 * Translates the text in an HTML fragment with {@link pseudoTranslate}. Keeps tags, attributes and elements with
 * `translate="no"`; keeps character references only where HTML needs them.
 */
const pseudoTranslateHtml = (html: string, target: string): string => {
  const open: { readonly name: string; readonly isUntranslated: boolean }[] = [];
  let result = '';
  let at = 0;
  const appendUpTo = (position: number): void => {
    const text = decodeReferences(html.slice(at, position));
    result += encodeReferences(open.at(-1)?.isUntranslated ? text : pseudoTranslate(text, target));
  };
  for (const token of html.matchAll(TOKEN)) {
    const [whole, slash, name = '', attributes = ''] = token;
    if (slash === undefined) throw invalidMarkup(`a lone ${whole}`);
    appendUpTo(token.index);
    at = token.index + whole.length;
    result += whole;
    if (slash === '')
      open.push({ name, isUntranslated: open.at(-1)?.isUntranslated === true || /\btranslate="no"/.test(attributes) });
    else if (open.pop()?.name !== name) throw invalidMarkup(`${whole} has no opening tag`);
  }
  if (open.length > 0) throw invalidMarkup(`<${open.at(-1)!.name}> is not closed`);
  appendUpTo(html.length);
  return result;
};

const REFERENCES = { '&lt;': '<', '&gt;': '>', '&quot;': '"', '&amp;': '&' } as const;

const decodeReferences = (html: string): string =>
  html.replace(/&[a-z0-9#]*;?/gi, (reference) => {
    const character = REFERENCES[reference as keyof typeof REFERENCES];
    if (character === undefined) throw invalidMarkup(`${reference} is not a known character reference`);
    return character;
  });

const encodeReferences = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');

const LANGUAGES = ['de', 'en', 'es', 'fr', 'it', 'ru', 'uk'];

/** LibreTranslate's API; every error is `{"error": "…"}`. */
class LibreTranslateService implements StandInNetwork {
  readonly platform = 'libretranslate';
  readonly maxBodyBytes = 8 * 1_048_576;
  private keys: ReadonlySet<string> | null = null;
  private charLimit = Infinity;

  identify({ path, httpMethod }: StandInCall): { method: string; channel: string | null } {
    return { method: `${httpMethod} ${path}`, channel: null };
  }

  async handle(call: StandInCall): Promise<StandInAnswer> {
    switch (`${call.httpMethod} ${call.path}`) {
      case 'POST /translate':
        return { status: 200, body: this.translate(call.fields) };
      case 'GET /languages':
        return { status: 200, body: LANGUAGES.map((code) => ({ code, name: code, targets: LANGUAGES })) };
      default:
        throw new ApiError(404, 'Not Found');
    }
  }

  createErrorAnswer(status: number, message: string): StandInAnswer {
    return { status, body: { error: message || 'Internal Server Error' } };
  }

  /**
   * LibreTranslate's controls:
   * - `POST /_control/keys {keys}`: sets the accepted API keys; null if no key is needed
   * - `POST /_control/limits {characters}`: sets the maximum number of characters per request
   */
  readonly controls: Controls = {
    'POST keys': ({ keys }) => {
      if (keys !== null && !Array.isArray(keys)) throw new InvalidControlRequest('keys must be a list, or null');
      this.keys = keys && new Set(keys.map(String));
      return {};
    },
    'POST limits': (body) => ({ characters: (this.charLimit = readPositive(body, 'characters')) }),
  };

  private translate({ q, source, target, format = 'text', api_key: key }: StandInCall['fields']): object {
    if (this.keys && (typeof key !== 'string' || !this.keys.has(key)))
      throw new ApiError(
        403,
        key === undefined ? 'Please contact the server operator to get an API key' : 'Invalid API key',
      );
    for (const [name, value] of Object.entries({ q, source, target }))
      if (value === undefined || value === '') throw new ApiError(400, `Invalid request: missing ${name} parameter`);
    if (typeof q !== 'string') throw new ApiError(400, 'Invalid request: q parameter is not a string');
    if (typeof target !== 'string' || !LANGUAGES.includes(target))
      throw new ApiError(400, `${String(target)} is not supported`);
    if (source !== 'auto' && !LANGUAGES.includes(String(source)))
      throw new ApiError(400, `${String(source)} is not supported`);
    if (format !== 'text' && format !== 'html') throw new ApiError(400, `${String(format)} format is not supported`);
    if (q.length > this.charLimit)
      throw new ApiError(400, `Invalid request: request (${q.length}) exceeds text limit (${this.charLimit})`);
    const translatedText = format === 'html' ? pseudoTranslateHtml(q, target) : pseudoTranslate(q, target);
    return source === 'auto'
      ? { translatedText, detectedLanguage: { confidence: 90, language: 'ru' } }
      : { translatedText };
  }
}

/**
 * Starts a server that behaves like LibreTranslate: `POST /translate`, `GET /languages`. It marks every translated word
 * with the language code. The service has no readers, so its ledger stays empty.
 */
export const startLibreTranslateStandIn = async (options: StandInOptions): Promise<RunningStandIn> => {
  const ledger = await Ledger.open({ file: options.ledgerFile, platform: 'libretranslate' });
  return serveStandIn({ network: new LibreTranslateService(), ledger }, options);
};
