// More than 20 s: a browser writes, connects a channel and publishes, in each look.
import { E2eHarness } from '../e2e/e2e-harness.js';
import { OPERATOR_KEY } from '../e2e/management-client.js';
import { until } from '../e2e/until.js';
import { findViolations } from './support/axe.js';
import { ConsolePage, describeInChromium, type Look, useBrowser, type Visitor } from './support/console-page.js';
import { Management } from './support/management.js';
import { startEmptyWorld } from './support/world.js';

const TEXTS = {
  en: {
    compose: 'Compose',
    text: 'Text',
    missing: 'Write now, connect a channel later.',
    connect: 'Connect a channel',
    name: 'Name',
    token: 'Bot token',
    chat: 'Channel or group',
    save: 'Save and test',
    back: 'Continue writing',
    publish: 'Publish to 1 channel',
    set: 'All channels',
    own: 'the console’s own',
    endpoints: 'Endpoints',
  },
  ru: {
    compose: 'Написать',
    text: 'Текст',
    missing: 'Пишите сейчас, канал подключите потом.',
    connect: 'Подключить канал',
    name: 'Название',
    token: 'Токен бота',
    chat: 'Канал или группа',
    save: 'Сохранить и проверить',
    back: 'Вернуться к посту',
    publish: 'Опубликовать в 1 канал',
    set: 'Все каналы',
    own: 'собственная точка консоли',
    endpoints: 'Точки входа',
  },
} as const;

const LOOKS: readonly Look[] = [{}, { language: 'ru', dark: true }, { phone: true }, { phone: true, language: 'ru' }];

describeInChromium('writing at once', () => {
  const browser = useBrowser();
  const harness = new E2eHarness();
  let url: string;
  let operator: Management;
  beforeAll(async () => {
    ({ url } = (await startEmptyWorld(harness)).gateway);
    operator = new Management(url, OPERATOR_KEY);
  });
  afterAll(() => harness.stop());

  const createVisitor = async (): Promise<{ visitor: Visitor; manage: Management }> => {
    const { id, key } = await operator.post('/owners', { name: 'Harbour News', plan: 'pro' });
    const visitor = { key, role: 'owner' as const, owner: { id, name: 'Harbour News' } };
    return { visitor, manage: new Management(url, key) };
  };
  const connectChannel = (manage: Management): Promise<unknown> =>
    manage.post('/channels', {
      platform: 'telegram',
      name: 'Harbour News',
      credentials: { bot_token: '7000000001:DemoDemoDemoDemoDemoDemoDemoDemoDem', chat_id: '@harbour_news' },
    });

  it.each(LOOKS)('begins two clicks after the sign-in, and leads to a channel and back: %j', async (look) => {
    const m = TEXTS[look.language ?? 'en'];
    const { visitor, manage } = await createVisitor();
    const opened = await ConsolePage.open(browser(), url, visitor, '/', look);
    const { page } = opened;
    const editor = page.getByRole('textbox', { name: m.text }).first();
    await opened.click(page.getByRole('navigation').getByRole('link', { name: m.compose }).filter({ visible: true }));
    if (look.phone) await opened.click(editor);
    else
      // A function, because the page's policy lets no text be evaluated.
      await page.waitForFunction(() => {
        const { document } = globalThis as unknown as {
          document: { activeElement: { isContentEditable: boolean; matches(selector: string): boolean } };
        };
        return document.activeElement.isContentEditable || document.activeElement.matches('textarea');
      });
    await page.keyboard.type('A whale off the breakwater');
    expect(opened.clicks).toBeLessThanOrEqual(2);
    await page.getByRole('heading', { level: 1, name: m.missing }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(await opened.overflow()).toBe(0);

    await page.getByRole('link', { name: m.connect }).first().click();
    await page.getByLabel(m.name, { exact: true }).fill('Harbour News');
    await page.getByLabel(m.token).first().fill('7000000001:DemoDemoDemoDemoDemoDemoDemoDemoDem');
    await page.getByLabel(m.chat).first().fill('@harbour_news');
    await page.getByRole('button', { name: m.save }).click();
    await page.getByRole('button', { name: m.back }).click();
    await editor.getByText('A whale off the breakwater').waitFor();
    await page.getByRole('button', { name: m.publish }).click();
    await until('the post is published', async () => {
      const { items } = await manage.get('/posts?limit=5');
      return items.some(
        ({ publications }: { publications: { state: string }[] }) => publications[0]?.state === 'published',
      );
    });
    const { items: sets } = await manage.get('/projects');
    expect(sets).toMatchObject([{ name: m.set }]);

    await opened.goto('/endpoints');
    await page.getByRole('row').filter({ hasText: m.own }).waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(opened.faults).toEqual([]);
    await opened.close();
  });

  it('makes one channel set and one endpoint when two tabs need them at the same time', async () => {
    const { visitor, manage } = await createVisitor();
    await connectChannel(manage);
    const tabs = await Promise.all([1, 2, 3].map(() => ConsolePage.open(browser(), url, visitor, '/compose')));
    for (const { page } of tabs) {
      await page.getByRole('textbox', { name: 'Text' }).first().click();
      await page.keyboard.type('Once');
      await page
        .getByRole('region', { name: /Telegram/ })
        .getByText('Once')
        .waitFor();
    }
    expect((await manage.get('/projects')).items).toHaveLength(1);
    expect((await manage.get('/endpoints')).items).toMatchObject([{ is_console: true }]);
    await Promise.all(tabs.map((tab) => tab.close()));
  });

  it('publishes to the chosen channel set alone, and adds new sets by itself', async () => {
    const { visitor, manage } = await createVisitor();
    const { id } = (await connectChannel(manage)) as { id: string };
    await manage.post('/projects', { name: 'Tides', channel_ids: [id] });
    const opened = await ConsolePage.open(browser(), url, visitor, '/compose');
    await until('the endpoint exists', async () => (await manage.get('/endpoints')).items.length === 1);
    const other = await manage.post('/channels', {
      platform: 'vk',
      name: 'Kids',
      credentials: { access_token: 'vk1.a.x', upload_token: 'vk1.a.y', group_id: '220000001' },
    });
    await manage.post('/projects', { name: 'For kids', channel_ids: [other.id] });
    const { page } = opened;
    await page.getByRole('button', { name: /^Channel set: Tides/ }).click();
    await page.getByRole('menu').getByText('For kids').click();
    await page.getByRole('textbox', { name: 'Text' }).first().click();
    await page.keyboard.type('For kids alone');
    await page.getByRole('button', { name: 'Publish to 1 channel' }).click();
    await until('it is published on VK alone', async () => {
      const [post] = (await manage.get('/posts?limit=5')).items;
      return post?.publications.length === 1 && post.publications[0].platform === 'vk';
    });
    expect(opened.faults).toEqual([]);
    await opened.close();
  });

  it('says which plans include publishing, and lets the person write', async () => {
    const { gateway } = await startEmptyWorld(harness, { LIMITS_PROFILE: 'A' });
    const owner = await new Management(gateway.url, OPERATOR_KEY).post('/owners', { name: 'Small', plan: 'free' });
    await connectChannel(new Management(gateway.url, owner.key));
    const visitor = { key: owner.key, role: 'owner' as const, owner: { id: owner.id, name: 'Small' } };
    const opened = await ConsolePage.open(browser(), gateway.url, visitor, '/compose');
    const { page } = opened;
    await page.getByRole('heading', { level: 1, name: 'Your plan does not allow publishing' }).waitFor();
    await page
      .getByText(/pro, maxi, business/)
      .first()
      .waitFor();
    await page.getByRole('textbox', { name: 'Text' }).first().click();
    await page.keyboard.type('For later');
    await opened.close();
  });
});
