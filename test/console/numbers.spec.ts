// More than 20 s: a browser looks at numbers that networks tell only after a while.
import { readFile } from 'node:fs/promises';
import { E2eHarness } from '../e2e/e2e-harness.js';
import { OPERATOR_KEY } from '../e2e/management-client.js';
import { until } from '../e2e/until.js';
import { findViolations } from './support/axe.js';
import { ConsolePage, describeInChromium, type Look, useBrowser, type Visitor } from './support/console-page.js';
import { Management } from './support/management.js';
import { startEmptyWorld } from './support/world.js';

type Networks = Awaited<ReturnType<typeof startEmptyWorld>>['networks'];

/** How many people saw a post: on its page, on its channel's, and on the overview. */
describeInChromium('the numbers of posts', () => {
  const browser = useBrowser();
  const harness = new E2eHarness();
  const channels: Record<string, string> = {};
  let url: string;
  let networks: Networks;
  let manage: Management;
  let visitor: Visitor;
  let endpointId: string;
  let opened: ConsolePage;
  beforeAll(async () => {
    const world = await startEmptyWorld(harness, { MINUTE_MS: '20' });
    ({ url } = world.gateway);
    ({ networks } = world);
    const { id, key } = await new Management(url, OPERATOR_KEY).post('/owners', { name: 'Harbour', plan: 'pro' });
    manage = new Management(url, key as string);
    visitor = { key: key as string, role: 'owner', owner: { id: id as string, name: 'Harbour' } };
    const connect = async (platform: string, name: string, credentials: object): Promise<void> => {
      channels[platform] = (await manage.post('/channels', { platform, name, credentials })).id as string;
    };
    await connect('telegram', 'Harbour News', {
      bot_token: '7000000001:DemoDemoDemoDemoDemoDemoDemoDemoDem',
      chat_id: '@harbour',
    });
    await connect('vk', 'Harbour City', { access_token: 'vk1.a.x', upload_token: 'vk1.a.y', group_id: '220000001' });
    await connect('max', 'Harbour Watch', { access_token: 'DemoDemoDemoDemo', chat_id: '-70912345678901' });
    const project = await manage.post('/projects', { name: 'Harbour', channel_ids: Object.values(channels) });
    const endpoint = { name: 'CMS', project_ids: [project.id], mode: 'live', min_interval: 0 };
    endpointId = (await manage.post('/endpoints', endpoint)).id as string;
  });
  afterAll(() => harness.stop());
  afterEach(async () => {
    expect(opened.faults).toEqual([]);
    await opened.close();
  });

  type Counts = Readonly<Partial<Record<'vk' | 'max', number>>>;
  const setViews = async (id: string, counts: Counts): Promise<void> => {
    const { publications } = await manage.get(`/posts/${id}`);
    for (const { platform, message_ids } of publications) {
      const views = counts[platform as 'vk'];
      if (views === undefined) continue;
      const channel = platform === 'vk' ? '220000001' : '-70912345678901';
      const body = { channel, message_id: message_ids[0], views, likes: 31, comments: 4, shares: 0 };
      await networks[platform as 'vk'].control.request('POST', 'statistics', body);
    }
  };
  const waitForViews = (id: string, counts: Counts): Promise<unknown> =>
    until(`the views ${JSON.stringify(counts)}`, async () => {
      const { publications } = await manage.get(`/posts/${id}/statistics`);
      return publications.every(
        ({ platform, statistics }: { platform: 'vk'; statistics: { views: number | null } }) =>
          counts[platform] === undefined || statistics.views === counts[platform],
      );
    });
  const publish = async (text: string, counts: Counts): Promise<string> => {
    const { id } = await manage.post(`/endpoints/${endpointId}/posts`, { text });
    await until('it is published', async () =>
      (await manage.get(`/posts/${id}`)).publications.every(({ state }: { state: string }) => state === 'published'),
    );
    await setViews(id as string, counts);
    await waitForViews(id as string, counts);
    return id as string;
  };
  const open = async (path: string, look: Look = {}): Promise<ConsolePage> => {
    opened = await ConsolePage.open(browser(), url, visitor, path, look);
    return opened;
  };
  /** Expects a page without violations that fits into its window. */
  const expectGoodPage = async (picture: string): Promise<void> => {
    expect(await findViolations(opened.page)).toEqual([]);
    expect(await opened.overflow()).toBe(0);
    const folder = process.env['PICTURES'];
    if (folder) await opened.page.screenshot({ path: `${folder}/${picture}.png`, fullPage: true });
  };

  it('are on the page of a post, with a chart for each channel, or why there are none', async () => {
    const id = await publish('The harbour fair is open until nine', { vk: 410, max: 95 });
    await setViews(id, { vk: 1_207, max: 260 });
    await waitForViews(id, { vk: 1_207, max: 260 });
    const { page } = await open(`/posts/${id}`);
    const card = page.getByRole('region', { name: 'How many people saw it' });
    await card.getByText('1,467').waitFor();
    await card.getByText("Telegram's Bot API gives bots no numbers for a post.").waitFor();
    await card.getByText('not given').first().waitFor(); // MAX tells views only
    expect(await card.getByRole('table', { name: 'Views, reading by reading' }).count()).toBe(2);
    await expectGoodPage('post-desktop');
    await opened.click(card.getByRole('button', { name: 'Read now' }));
    await opened.click(card.getByRole('button', { name: 'Read now' }));
    await page.getByText('These numbers were read less than a minute ago.').waitFor();
    expect(opened.faults.splice(0)).toEqual([expect.stringContaining('429')]); // the browser's own line about it
  });

  it('are on the pages of channels, where posts are counted if the network tells nothing', async () => {
    const { page } = await open(`/channels/${channels['vk']}`);
    const card = page.getByRole('region', { name: 'The last 30 days' });
    await card.getByRole('table', { name: 'Views of the posts of each day' }).waitFor({ state: 'attached' });
    await expectGoodPage('channel-desktop');
    await opened.goto(`/channels/${channels['telegram']}`);
    await card.getByText('Telegram has given no numbers for these posts, so the bars count posts.').waitFor();
    await card.getByRole('table', { name: 'Posts of each day' }).waitFor({ state: 'attached' });
    await expectGoodPage('channel-telegram');
  });

  it('are compared on the overview, and exported', async () => {
    const best = await publish('Fireworks on Saturday', { vk: 5_000, max: 1_000 });
    const { page } = await open('/');
    const card = page.getByRole('region', { name: 'Most seen in 30 days' });
    await card.getByText('6,000').waitFor();
    expect(await card.getByRole('listitem').first().innerText()).toContain('Fireworks on Saturday');
    await expectGoodPage('overview-desktop');
    const downloading = page.waitForEvent('download');
    await opened.click(card.getByRole('button', { name: 'Numbers as CSV' }));
    const download = await downloading;
    expect(download.suggestedFilename()).toBe('statistics.csv');
    expect(await readFile(await download.path(), 'utf8')).toContain(best);
    await opened.click(card.getByRole('link', { name: 'Fireworks on Saturday' }));
    await page.getByRole('region', { name: 'How many people saw it' }).waitFor();
  });

  it('are shown on a phone, in Russian', async () => {
    const id = await publish('Ярмарка открыта до девяти', { vk: 33, max: 12 });
    const { page } = await open(`/posts/${id}`, { phone: true, language: 'ru', dark: true });
    const card = page.getByRole('region', { name: 'Сколько людей увидело' });
    await card.getByText('Bot API Telegram не даёт ботам показателей постов.').waitFor();
    await card.getByText('нет данных').first().waitFor();
    await expectGoodPage('post-phone-ru');
    await opened.goto(`/channels/${channels['max']}`);
    await page.getByRole('region', { name: 'За последние 30 дней' }).getByText('Просмотры').first().waitFor();
    await expectGoodPage('channel-phone-ru');
    await opened.goto('/');
    await page.getByRole('region', { name: 'Больше всего просмотров за 30 дней' }).getByRole('link').first().waitFor();
    await expectGoodPage('overview-phone-ru');
  });
});
