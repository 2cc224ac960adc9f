import type { Translation } from '../../src/domain/project/processing.js';
import { GuardedClient } from '../../src/outbound-http/guarded-client.js';
import { addressPolicy } from '../../src/outbound-http/address-policy.js';
import { CircuitBreaker } from '../../src/processing/translation/circuit-breaker.js';
import { LibreTranslate } from '../../src/processing/translation/libre-translate.js';
import { startTranslator, type TestTranslator } from '../stand-ins/libretranslate/stand-in.js';

/** How long a service is waited for, and for how long it is left alone, ms. */
const PATIENCE_MS = 200;
const REST_MS = 60_000;

let service: TestTranslator;
let client: GuardedClient;
let ahead: number;
let breaker: CircuitBreaker;
let how: Translation;
beforeEach(async () => {
  service = await startTranslator();
  client = new GuardedClient({ policy: addressPolicy(['127.0.0.0/8']) });
  ahead = 0;
  breaker = new CircuitBreaker(new LibreTranslate(client, { get: async () => null }, PATIENCE_MS), {
    slowMs: PATIENCE_MS / 2,
    restMs: REST_MS,
    now: () => performance.now() + ahead,
  });
  how = { provider: 'libretranslate', url: service.url, source: 'ru', target: 'en', on_failure: 'publish_original' };
});
afterEach(async () => {
  await client.close();
  await service.stop();
});

const never = new AbortController().signal;
const translate = (more: Partial<Translation> = {}) =>
  breaker.translate({ text: 'мир', entities: [] }, { ...how, ...more }, never);
const silent = (times: number | null = null): Promise<void> => service.control.addFault({ mode: 'hang', times });
const timesAsked = async (): Promise<number> => (await service.asked()).length;

describe('a service that does not answer', () => {
  it('is left alone after the second time, and told of in the same way', async () => {
    await silent();
    const told = { kind: 'failed', error: { code: 'translation_failed', category: 'network' }, afterMs: null };
    for (let n = 0; n < 5; n++) expect(await translate()).toMatchObject(told);
    expect(await timesAsked()).toBe(2);
  });

  it('is asked again after a while, by one alone of those who come', async () => {
    await silent();
    for (let n = 0; n < 2; n++) await translate();
    ahead += REST_MS + 1;
    await Promise.all([translate(), translate(), translate()]);
    expect(await timesAsked()).toBe(3);
    await translate();
    expect(await timesAsked()).toBe(3);
    await service.control.clearFaults();
    ahead += REST_MS + 1;
    for (let n = 0; n < 2; n++) expect(await translate()).toMatchObject({ kind: 'translated', text: 'мир·en' });
  });

  it('is asked all the same where nothing may go out untranslated, and its answer counts for all', async () => {
    await silent(2);
    for (let n = 0; n < 2; n++) await translate();
    expect(await translate({ on_failure: 'retry' })).toMatchObject({ kind: 'translated' });
    expect(await translate()).toMatchObject({ kind: 'translated' });
  });

  it('has not failed for another service', async () => {
    await silent();
    for (let n = 0; n < 3; n++) await translate();
    const other = await startTranslator();
    expect(await translate({ url: other.url })).toMatchObject({ kind: 'translated' });
    await other.stop();
  });
});

it('once is no pattern, and what fails at once costs nobody anything: it is asked every time', async () => {
  await silent(1);
  await translate();
  await service.control.addFault({ mode: 'answer', status: 500, times: 4 });
  for (let n = 0; n < 4; n++) await translate();
  expect(await timesAsked()).toBe(5);
  expect(await translate()).toMatchObject({ kind: 'translated' });
});
