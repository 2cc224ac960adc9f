import type { Translation } from '../../src/domain/project/processing.js';
import { GuardedClient } from '../../src/outbound-http/guarded-client.js';
import { createAddressPolicy } from '../../src/outbound-http/url-rules.js';
import { CircuitBreaker, LibreTranslate } from '../../src/processing/translation/libre-translate.js';
import type { Translator } from '../../src/processing/translation/translation.js';
import { until } from '../e2e/until.js';
import { startTranslator, type TestTranslator } from '../stand-ins/libretranslate/stand-in.js';
import { holdTimers, releaseTimers } from '../support/held-timers.js';

/** Timeout of the service, and time for which the circuit stays open, in ms. */
const TIMEOUT_MS = 1_000;
const OPEN_MS = 60_000;
/** Part of the message of a timeout. */
const TIMEOUT = '1,000 ms';

let service: TestTranslator;
let client: GuardedClient;
let now: number;
let breaker: CircuitBreaker;
let how: Translation;
beforeEach(async () => {
  service = await startTranslator();
  client = new GuardedClient({ policy: createAddressPolicy(['127.0.0.0/8']) });
  now = 0;
  const translator = new LibreTranslate(client, { readSecret: async () => null }, TIMEOUT_MS);
  // A timeout passes only for a text that the service has and does not answer. By the breaker's clock only a timeout
  // takes time: a fast failure is fast on a busy machine too.
  const timed: Translator = {
    async translate(...all) {
      const [, { url }] = all;
      const isHanging = url === service.url && (await service.control.listFaults()).some(({ mode }) => mode === 'hang');
      const before = await countCalls();
      const letPass = holdTimers(TIMEOUT_MS);
      const translating = translator.translate(...all);
      if (isHanging) {
        await until('the service has the text', async () => (await countCalls()) > before);
        letPass();
      }
      const result = await translating;
      if (result.kind === 'failed' && result.error.message.includes(TIMEOUT)) now += TIMEOUT_MS;
      return result;
    },
  };
  breaker = new CircuitBreaker(timed, { slowMs: TIMEOUT_MS / 2, openMs: OPEN_MS, now: () => now });
  how = { provider: 'libretranslate', url: service.url, source: 'ru', target: 'en', on_failure: 'publish_original' };
});
afterEach(async () => {
  releaseTimers();
  await client.close();
  await service.stop();
});

const never = new AbortController().signal;
const translate = (more: Partial<Translation> = {}) =>
  breaker.translate({ text: 'мир', entities: [] }, { ...how, ...more }, never);
const hang = (times: number | null = null): Promise<void> => service.control.addFault({ mode: 'hang', times });
const countCalls = async (): Promise<number> => (await service.asked()).length;

describe('a service that does not answer', () => {
  it('is not called after the second failure, and the result stays the same', async () => {
    await hang();
    const failure = { kind: 'failed', error: { code: 'translation_failed', category: 'network' }, afterMs: null };
    for (let n = 0; n < 5; n++) expect(await translate()).toMatchObject(failure);
    expect(await countCalls()).toBe(2);
  });

  it('is called again after a while, by a single text', async () => {
    await hang();
    for (let n = 0; n < 2; n++) await translate();
    now += OPEN_MS + 1;
    await Promise.all([translate(), translate(), translate()]);
    expect(await countCalls()).toBe(3);
    await translate();
    expect(await countCalls()).toBe(3);
    await service.control.clearFaults();
    now += OPEN_MS + 1;
    for (let n = 0; n < 2; n++) expect(await translate()).toMatchObject({ kind: 'translated', text: 'мир·en' });
  });

  it('is still called for texts that must be translated, and their success closes the circuit', async () => {
    await hang(2);
    for (let n = 0; n < 2; n++) await translate();
    expect(await translate({ on_failure: 'retry' })).toMatchObject({ kind: 'translated' });
    expect(await translate()).toMatchObject({ kind: 'translated' });
  });

  it('does not affect another service', async () => {
    await hang();
    for (let n = 0; n < 3; n++) await translate();
    const other = await startTranslator();
    expect(await translate({ url: other.url })).toMatchObject({ kind: 'translated' });
    await other.stop();
  });
});

it('a single slow failure and fast failures leave the circuit closed', async () => {
  await hang(1);
  await translate();
  await service.control.addFault({ mode: 'answer', status: 500, times: 4 });
  for (let n = 0; n < 4; n++) await translate();
  expect(await countCalls()).toBe(5);
  expect(await translate()).toMatchObject({ kind: 'translated' });
});
