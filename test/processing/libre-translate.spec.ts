import type { Translation } from '../../src/domain/project/processing.js';
import { GuardedClient } from '../../src/outbound-http/guarded-client.js';
import { createAddressPolicy } from '../../src/outbound-http/url-rules.js';
import type { Entity } from '../../src/payload/payload.js';
import { LibreTranslate } from '../../src/processing/translation/libre-translate.js';
import { startTranslator, type TestTranslator } from '../stand-ins/libretranslate/stand-in.js';

let service: TestTranslator;
let client: GuardedClient;
let how: Translation;
beforeAll(async () => {
  service = await startTranslator();
  client = new GuardedClient({ policy: createAddressPolicy(['127.0.0.0/8']) });
  how = { provider: 'libretranslate', url: service.url, source: 'ru', target: 'en', on_failure: 'retry' };
});
afterEach(() => service.control.clearFaults());
afterAll(async () => {
  await client.close();
  await service.stop();
});

const vault = { readSecret: async (id: string) => (id === 'sec_1' ? { api_key: 'k1' } : null) };
const TEXT = { text: 'Привет, <мир> & @all', entities: [] as Entity[] };
const never = new AbortController().signal;
const translate = (more: Partial<Translation> = {}, content = TEXT, signal = never, timeoutMs = 120_000) =>
  new LibreTranslate(client, vault, timeoutMs).translate(content, { ...how, ...more }, signal);
const error = (fields: object) => ({ code: 'translation_failed', source: 'gateway', ...fields });

describe('a text (D-28)', () => {
  it('without entities is sent as it is', async () => {
    expect(await translate()).toEqual({ kind: 'translated', text: 'Привет·en, <мир·en> & @all·en', places: [] });
    expect((await service.asked()).at(-1)).toBe(TEXT.text);
  });

  it('with entities keeps them on their words, and leaves mentions untranslated', async () => {
    const entities: Entity[] = [
      { type: 'mention', offset: 16, length: 4 },
      { type: 'bold', offset: 0, length: 13 },
      { type: 'italic', offset: 8, length: 5 },
    ];
    expect(await translate({}, { ...TEXT, entities })).toEqual({
      kind: 'translated',
      text: 'Привет·en, <мир·en> & @all',
      places: [
        [1, 0, 19],
        [2, 11, 8],
        [0, 22, 4],
      ],
    });
  });

  it.each(['', '/', '/translate', '/translate/'])('is sent to an address that ends with "%s"', async (end) => {
    expect((await translate({ url: service.url + end })).kind).toBe('translated');
  });

  it('is sent with the API key, which appears in no error', async () => {
    await service.control.request('POST', 'keys', { keys: ['k1'] });
    expect((await translate({ api_key_id: 'sec_1' })).kind).toBe('translated');
    expect(await translate()).toMatchObject({
      error: { category: 'credentials', platform_says: expect.stringContaining('API key') },
    });
    await service.control.request('POST', 'keys', { keys: null });
    const body = { error: 'k1 is not my key' };
    await service.control.addFault({ mode: 'answer', status: 403, body });
    const said = { category: 'credentials', platform_says: '*** is not my key' };
    expect(await translate({ api_key_id: 'sec_1' })).toMatchObject({ kind: 'failed', error: error(said) });
    const erased = await translate({ api_key_id: 'sec_gone' });
    expect(erased).toMatchObject({ kind: 'failed', error: error({ category: 'credentials' }) });
  });
});

describe('a service that fails', () => {
  it.each<[string, Parameters<typeof service.control.addFault>[0], object, number | null]>([
    [
      'asks for a delay',
      { mode: 'answer', status: 429, headers: { 'retry-after': '7' } },
      { category: 'rate_limit' },
      7_000,
    ],
    ['asks for an unreadable delay', { mode: 'answer', status: 429, headers: { 'retry-after': 'soon' } }, {}, null],
    [
      'refuses',
      { mode: 'answer', status: 400, body: { error: 'xx is not supported' } },
      { category: 'platform' },
      null,
    ],
    ['has a failing proxy', { mode: 'answer', status: 502, body: '<html>Bad gateway</html>' }, {}, null],
    ['answers without JSON', { mode: 'answer', status: 200, body: 'translatedText' }, { category: 'platform' }, null],
    ['answers without a translation', { mode: 'answer', status: 200, body: { translatedText: 7 } }, {}, null],
    ['answers null', { mode: 'answer', status: 200, body: 'null' }, { category: 'platform' }, null],
    [
      'answers an empty text',
      { mode: 'answer', status: 200, body: { translatedText: '' } },
      { category: 'platform' },
      null,
    ],
    ['answers an invisible text', { mode: 'answer', status: 200, body: { translatedText: '\u200b  \n' } }, {}, null],
    ['answers too much', { mode: 'answer', status: 200, body: { translatedText: 'a'.repeat(70_000) } }, {}, null],
    [
      'never ends its answer',
      { mode: 'answer', status: 200, body: 'x'.repeat(5_000_000) },
      { category: 'network' },
      null,
    ],
    ['redirects', { mode: 'answer', status: 302, headers: { location: '/' } }, { category: 'network' }, null],
    ['breaks the connection twice', { mode: 'drop_before_accepting', times: 2 }, { category: 'network' }, null],
  ])('%s: becomes a failure', async (_, fault, fields, afterMs) => {
    await service.control.addFault(fault);
    expect(await translate()).toEqual({
      kind: 'failed',
      afterMs,
      error: expect.objectContaining(
        error({ ...fields, message: expect.stringMatching(/^The translation service .*\.$/) }),
      ),
    });
  });

  it('by answering tags without text becomes a failure', async () => {
    await service.control.addFault({ mode: 'answer', status: 200, body: { translatedText: '<span id="0"> </span>' } });
    const content = { ...TEXT, entities: [{ type: 'bold', offset: 0, length: 6 }] as Entity[] };
    expect(await translate({}, content)).toMatchObject({ kind: 'failed', error: error({ category: 'platform' }) });
  });

  it('by breaking the connection once is retried', async () => {
    await service.control.addFault({ mode: 'accept_then_drop' });
    expect((await translate()).kind).toBe('translated');
  });

  it('to answer in time is aborted', async () => {
    await service.control.addFault({ mode: 'hang' });
    const { kind, ...rest } = await translate({}, TEXT, never, 300);
    expect({ kind, ...rest }).toMatchObject({
      kind: 'failed',
      error: { category: 'network', message: expect.stringContaining('300 ms') },
    });
  });

  it('is aborted by the signal', async () => {
    await service.control.addFault({ mode: 'hang' });
    const stop = new AbortController();
    const asked = translate({}, TEXT, stop.signal);
    stop.abort();
    expect((await asked).kind).toBe('failed');
  });

  it('gives no access to a private network', async () => {
    const guarded = new GuardedClient({ policy: createAddressPolicy([]) });
    const outside = new LibreTranslate(guarded, vault, 1_000);
    const refused = await outside.translate(TEXT, { ...how, url: service.url.replace('http:', 'https:') }, never);
    expect(refused).toMatchObject({ kind: 'failed', error: { category: 'network' } });
    await guarded.close();
  });

  it('by answering invalid characters still gives a valid text', async () => {
    await service.control.addFault({ mode: 'answer', status: 200, body: '{"translatedText":"a\\u0000b\\ud83d"}' });
    expect(await translate()).toMatchObject({ kind: 'translated', text: 'ab\ufffd' });
  });
});
