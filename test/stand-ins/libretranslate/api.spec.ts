import { startTranslator, type TestTranslator } from './stand-in.js';

let service: TestTranslator;
beforeAll(async () => {
  service = await startTranslator();
});
afterAll(() => service.stop());

const request = { q: 'Привет, мир', source: 'ru', target: 'en' };

describe('the stand-in of LibreTranslate', () => {
  it('marks every word of a translated text', async () => {
    expect(await service.translate(request)).toEqual({ status: 200, body: { translatedText: 'Привет·en, мир·en' } });
    expect((await service.translate({ ...request, source: 'auto' })).body).toMatchObject({
      translatedText: 'Привет·en, мир·en',
      detectedLanguage: { language: 'ru' },
    });
  });

  it('translates the text in HTML, and keeps tags, references and elements with translate="no"', async () => {
    const q = '<span id="0">a &lt; b</span> <span id="1" translate="no">c <b>d</b> &amp;</span>';
    expect((await service.translate({ ...request, q, format: 'html' })).body).toEqual({
      translatedText: '<span id="0">a·en &lt; b·en</span> <span id="1" translate="no">c <b>d</b> &amp;</span>',
    });
  });

  it.each([
    [{ q: '' }, 400, 'missing q'],
    [{ q: ['a'] }, 400, 'not a string'],
    [{ target: undefined }, 400, 'missing target'],
    [{ target: 'xx' }, 400, 'xx is not supported'],
    [{ source: 'xx' }, 400, 'xx is not supported'],
    [{ format: 'markdown' }, 400, 'markdown format is not supported'],
    [{ q: '<b>a', format: 'html' }, 500, '<b> is not closed'],
    [{ q: 'a < b', format: 'html' }, 500, 'a lone <'],
    [{ q: '</b>', format: 'html' }, 500, 'has no opening tag'],
    [{ q: 'a &c', format: 'html' }, 500, 'is not a known character reference'],
  ])('rejects %j', async (more, status, message) => {
    expect(await service.translate({ ...request, ...more })).toEqual({
      status,
      body: { error: expect.stringContaining(message) },
    });
  });

  it('requires an API key and limits the characters if a control sets them', async () => {
    await service.control.request('POST', 'keys', { keys: ['k1'] });
    expect((await service.translate(request)).status).toBe(403);
    expect(await service.translate({ ...request, api_key: 'k2' })).toEqual({
      status: 403,
      body: { error: 'Invalid API key' },
    });
    expect((await service.translate({ ...request, api_key: 'k1' })).status).toBe(200);
    await service.control.request('POST', 'keys', { keys: null });
    await service.control.request('POST', 'limits', { characters: 10 });
    expect((await service.translate(request)).body).toEqual({
      error: expect.stringContaining('exceeds text limit (10)'),
    });
    await service.control.request('POST', 'limits', { characters: 1e9 });
  });

  it('fails if a fault is added', async () => {
    await service.control.addFault({
      mode: 'answer',
      method: 'POST /translate',
      status: 429,
      headers: { 'retry-after': '7' },
    });
    expect(await service.translate(request)).toEqual({ status: 429, body: { error: expect.any(String) } });
    expect((await service.translate(request)).status).toBe(200);
  });
});
