import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { FIELD_MESSAGES } from '../validation/messages.js';
import { preferredLanguage, RUSSIAN, RUSSIAN_TABLES, translateAnswer } from './reader-language.js';

const SRC = join(import.meta.dirname, '..');

/** Messages that no answer of the API shows: by their folder, and why. */
const NOT_ANSWERED: Readonly<Record<string, string>> = {
  'api/documentation': 'text of /openapi.json',
  'api/mcp': 'read by assistants',
  app: 'startup, except for RECOVERY_MESSAGES',
  cli: 'the command line has its own',
  config: 'startup',
  'event-store': 'operators read them at startup, in /readyz and in the log',
  'event-store/kurrentdb': 'as for event-store',
  postgres: 'startup',
  'sagas/deliver-notices': 'has both languages',
  'sagas/raise-notices': 'has both languages',
};

const placeholders = (text: string): string[] => [...text.matchAll(/\{(\w+)\}/g)].map(([, name]) => name!).sort();

describe('the Russian tables', () => {
  const files = readdirSync(SRC, { recursive: true }).map(String);
  const folders = files
    .filter((file) => /(^|\/)messages\.ts$/.test(file))
    .map((file) => file.replace(/\/?messages\.ts$/, ''));
  const covered = new Set(RUSSIAN_TABLES.map(({ of }) => of));

  it.each(folders.filter((folder) => !(folder in NOT_ANSWERED)))('cover the messages of %s', async (folder) => {
    const groups = (await import(pathToFileURL(join(SRC, folder, 'messages.ts')).href)) as Record<string, object>;
    expect(Object.keys(groups).filter((name) => !covered.has(groups[name]!))).toEqual([]);
  });

  const pairs = RUSSIAN_TABLES.flatMap((table) => table.pairs);

  it('use the same values in both languages, and one form for each sentence', () => {
    const different = pairs.filter(
      ([english, russian]) => placeholders(english).join() !== placeholders(russian).join(),
    );
    expect(different.filter(([, russian]) => !russian.includes('{"revision": 1}'))).toEqual([]);
    const forms = new Map(pairs);
    expect(pairs.filter(([english, russian]) => forms.get(english) !== russian)).toEqual([]);
  });

  it('have a word for each value that a rule puts into its message', () => {
    const sources = files.filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'));
    const values = sources.flatMap((file) => {
      const text = readFileSync(join(SRC, file), 'utf8');
      const literals = /Must\.(?:bePresent(?:<\w+>)?|match)\(\s*(?:\/.*\/u?,|[A-Z_]+,)?\s*(?:'([^']+)'|"([^"]+)")/g;
      return [
        ...[...text.matchAll(literals)].map(([, one, other]) => one ?? other!),
        ...[...text.matchAll(/Must\.beArray\('([^']+)'/g)].map(([, of]) => `an array of ${of}`),
      ];
    });
    expect(values.length).toBeGreaterThan(50);
    const answered = values.map((value) => RUSSIAN.translate(FIELD_MESSAGES.missing({ example: value })));
    expect(answered.filter((text) => /\b(the|an?|of|or|how|why|no)\b/.test(text))).toEqual([]);
  });

  it('are found from each sentence', () => {
    const fill = (text: string): string => text.replaceAll(/\{(\w+)\}/g, (_, name: string) => `<${name}>`);
    for (const [english, russian] of pairs)
      expect([english, RUSSIAN.translate(fill(english))]).toEqual([english, fill(russian)]);
  });

  it('translate the messages that a real gateway has answered', () => {
    const examples = readFileSync(join(SRC, 'api/documentation/examples.json'), 'utf8');
    const messages = [...examples.matchAll(/"message": ("(?:[^"\\]|\\.)+")/g)].map(
      ([, text]) => JSON.parse(text!) as string,
    );
    expect(messages.length).toBeGreaterThan(10);
    const unchanged = messages.filter((message) => !/[а-яё]/i.test(RUSSIAN.translate(message)));
    expect(unchanged).toEqual(['The price is wrong.']); // written by a person
  });
});

describe('Translator', () => {
  it.each([
    [
      'buttons[0][0].url is missing: send the https:// or tg:// URL that the button opens',
      'buttons[0][0].url отсутствует; нужно: адрес, который открывает кнопка, https:// или tg://',
    ],
    ['the body is empty: send a JSON object', 'тело запроса не содержит ничего: отправьте объект JSON'],
    [
      'overrides["a b"].text must be a string, not an array',
      'overrides["a b"].text должно быть: строка; получено: массив',
    ],
    ['kind must be live or test, not the string "x"', 'kind должно быть: live или test; получено: строка "x"'],
    [
      'media[0].url (cdn.example.org) could not be downloaded: HTTP 404; check the URL.',
      'media[0].url (cdn.example.org) не скачивается: HTTP 404; проверьте URL.',
    ],
    [
      'The channel "News" is paused until 2026-11-26T11:02:07.000Z, or until it is resumed.',
      'Канал «News» на паузе до 2026-11-26T11:02:07.000Z или пока её не снимут.',
    ],
    [
      'The channel "endpoint" needs attention: OK does not accept the access token: issue a new one. The network says: "PARAM". Its posts are on hold, or until you call POST /manage/v1/channels/tgt_1/retry or set new credentials.',
      'Канал «endpoint» требует внимания: OK не принимает токен доступа: выпустите новый. Ответ сети: «PARAM». Его посты задержаны или пока вы не вызовете POST /manage/v1/channels/tgt_1/retry либо не зададите новые ключи доступа.',
    ],
    [
      'Attempt 1 of 5 did not succeed: VK asks the gateway to slow down. The next one begins at T; cancel the publication to let the channel continue.',
      'Попытка 1 из 5 не удалась: VK просит шлюз не спешить. Следующая начнётся в T; отмените публикацию, чтобы канал шёл дальше.',
    ],
    [
      'media[1] is published as a link in the text: the file is too large for the network: 413 Too Large.',
      'media[1] публикуется ссылкой в тексте: файл слишком большой для этой сети: 413 Too Large.',
    ],
    ['Nothing that the gateway says.', 'Nothing that the gateway says.'],
  ])('%s', (english, russian) => expect(RUSSIAN.translate(english)).toBe(russian));

  it('takes linear time for hostile text', () => {
    for (const part of ['is "', 'a', '["', 'a (', 'x: ', '. ']) {
      const text = `${part.repeat(100_000)}!`;
      expect(RUSSIAN.translate(text)).toBe(text);
    }
  });
});

describe('translateAnswer', () => {
  it('translates sentences, and leaves what people and networks wrote', () => {
    const answer = {
      message: 'This key was used within the last 24 hours.',
      payload: { text: 'a post without text', message: 'unknown error' },
      waiting_for: { text: 'The post is planned for T.', figures: { platform_says: 'unknown error' } },
      text: 'a post without text',
      attention: [{ text: 'The channel' }],
      at: null,
    };
    expect(translateAnswer(answer, null)).toEqual({
      ...answer,
      message: 'Этот ключ уже использован за последние 24 часа.',
      waiting_for: { ...answer.waiting_for, text: 'Пост запланирован на T.' },
      attention: [{ text: 'Канал' }],
    });
  });

  it('keeps errors and details of a problem equal', () => {
    const details = [{ path: 'text', code: 'missing', message: 'text is missing: send a string' }];
    expect(translateAnswer({ errors: ['text is missing: send a string'], details }, null)).toEqual({
      errors: ['text отсутствует; нужно: строка'],
      details: [{ ...details[0], message: 'text отсутствует; нужно: строка' }],
    });
  });
});

describe('preferredLanguage', () => {
  it.each([
    ['ru', 'ru'],
    ['ru-RU,ru;q=0.9,en-US;q=0.8,en;q=0.7', 'ru'],
    ['en-US,en;q=0.9,ru;q=0.8', 'en'],
    ['RU', 'ru'],
    ['de, ru;q=0.4, fr;q=0.2', 'ru'],
    ['ru;q=0.5, en;q=0.5', 'ru'],
    ['en, ru', 'en'],
    ['ru;q=0', 'en'],
    ['*', 'en'],
    ['*;q=0.1, ru', 'ru'],
    ['run', 'en'],
    ['de', 'en'],
    ['', 'en'],
    ['ru;q=x', 'en'],
  ])('%s: %s', (header, language) => expect(preferredLanguage(header)).toBe(language));
});
