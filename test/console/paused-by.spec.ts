// More than 20 s: a browser looks at a channel in each look.
import { E2eHarness } from '../e2e/e2e-harness.js';
import { until } from '../e2e/until.js';
import { findViolations } from './support/axe.js';
import { ConsolePage, describeInChromium, type Look, useBrowser } from './support/console-page.js';
import { startHarbour } from './support/harbour.js';
import { Management } from './support/management.js';

const WORDS = {
  en: { channels: 'Channels', paused: /^Paused by Vera/, overview: 'paused by Vera' },
  ru: { channels: 'Каналы', paused: /Vera/, overview: 'пауза: Vera' },
} as const;

const LOOKS: readonly Look[] = [{}, { language: 'ru' }, { phone: true }, { phone: true, language: 'ru' }];

describeInChromium('a paused channel', () => {
  const browser = useBrowser();
  const harness = new E2eHarness();
  let harbour: Awaited<ReturnType<typeof startHarbour>>;
  beforeAll(async () => {
    harbour = await startHarbour(harness);
    const { url, manage, channels } = harbour;
    const { key } = await manage.post('/keys', { name: 'Vera', scopes: ['manage'] });
    await new Management(url, key).post(`/channels/${channels.vk}/pause`, { minutes: 60 });
    // Before the first post, the overview shows the first steps.
    await manage.post(`/endpoints/${harbour.endpointId}/posts`, { text: 'The harbour is open' });
    await until('it is published', async () => {
      const { networks } = await manage.get('/overview');
      return networks.some(({ last_published_at: at }: { last_published_at: string | null }) => at !== null);
    });
  });
  afterAll(() => harness.stop());

  it.each(LOOKS)('says who paused it: on the overview without a click, from the list with one: %j', async (look) => {
    const words = WORDS[look.language ?? 'en'];
    const opened = await ConsolePage.open(browser(), harbour.url, harbour.visitor, '/', look);
    const { page } = opened;
    await page.getByText(words.overview).waitFor();
    await opened.goto('/channels');
    await opened.click(page.getByRole('link', { name: 'Harbour City' }).first());
    await page.getByRole('heading', { level: 1, name: /Harbour City/ }).waitFor();
    await page.getByRole('main').getByRole('link', { name: words.paused }).waitFor();
    expect(opened.clicks).toBe(1);
    expect(await findViolations(page)).toEqual([]);
    expect(await opened.overflow()).toBe(0);
    expect(opened.faults).toEqual([]);
    await opened.close();
  });
});
