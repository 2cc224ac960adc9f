import type { ErrorRow } from '../../platforms/outcomes.js';

/** Delay after a flood ban, in ms: the service forgives one violation every ten minutes. */
const FLOOD_BAN_MS = 10 * 60_000;

/** LibreTranslate's errors (network-errors.md), by HTTP status and message. Source: its `app.py`. */
export const TRANSLATION_ERRORS: readonly ErrorRow[] = [
  {
    codes: [403],
    words: ['Too many request limits violations'],
    class: 'retry',
    code: 'flood_ban',
    wait: { firstMs: FLOOD_BAN_MS, longestMs: FLOOD_BAN_MS },
    advice: {
      en: "The translation service has banned the gateway's address for a while, because of too many requests.",
      ru: 'Сервис перевода временно заблокировал адрес шлюза из-за слишком частых запросов.',
    },
  },
  {
    codes: [429],
    class: 'retry',
    code: 'slow_down',
    advice: {
      en: 'The translation service asks the gateway to slow down.',
      ru: 'Сервис перевода просит шлюз обращаться реже.',
    },
  },
  {
    codes: [401, 403],
    class: 'credentials',
    code: 'bad_api_key',
    advice: {
      en: 'The translation service does not accept the API key: set the right one.',
      ru: 'Сервис перевода не принимает ключ API: укажите верный.',
    },
  },
  {
    codes: [400],
    words: ['to get an API key'],
    class: 'credentials',
    code: 'api_key_needed',
    advice: {
      en: 'The translation service requires an API key: set one.',
      ru: 'Сервису перевода нужен ключ API: укажите его.',
    },
  },
  {
    codes: [400],
    words: ['exceeds text limit'],
    class: 'refused',
    code: 'too_long',
    advice: {
      en: 'The text is too long for the translation service.',
      ru: 'Текст слишком длинный для сервиса перевода.',
    },
  },
  {
    codes: [400],
    words: ['is not supported', 'is not available as a target language'],
    class: 'program',
    code: 'language_not_supported',
    advice: {
      en: "The translation service does not know one of the project's languages: change them in the project.",
      ru: 'Сервис перевода не знает одного из языков проекта: измените их в проекте.',
    },
  },
];
