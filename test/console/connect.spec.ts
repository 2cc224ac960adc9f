// More than 20 s: a browser connects channels in both languages, on a desktop and a phone.
import { E2eHarness } from '../e2e/e2e-harness.js';
import { OPERATOR_KEY } from '../e2e/management-client.js';
import { findViolations } from './support/axe.js';
import { ConsolePage, describeInChromium, type Look, useBrowser, type Visitor } from './support/console-page.js';
import { Management } from './support/management.js';
import { startEmptyWorld } from './support/world.js';

const TOKEN = '7000000001:DemoDemoDemoDemoDemoDemoDemoDemoDem';
const REVOKED = '7000000002:GoneGoneGoneGoneGoneGoneGoneGoneGon';
const VK_TOKEN = 'vk1.a.user-Demo';

const WORDS = {
  en: {
    name: 'Name',
    token: 'Bot token',
    chat: 'Channel or group',
    vkToken: 'Access token',
    community: 'Community',
    save: 'Save and test',
    notConfirmed: 'Token not confirmed',
    mayPost: 'Allowed to post',
    addTo: (set: string) => `Add to ${set}`,
    firstSet: 'Create a set with this channel',
    allChannels: 'All channels',
    compose: 'Write a post',
    noSuchName: /^The id of @nosuchname cannot be looked up/,
    notALink: /^Enter a link such as t\.me\/acme_news/,
  },
  ru: {
    name: 'Название',
    token: 'Токен бота',
    chat: 'Канал или группа',
    vkToken: 'Токен доступа',
    community: 'Сообщество',
    save: 'Сохранить и проверить',
    notConfirmed: 'Токен не подтверждён',
    mayPost: 'Публиковать можно',
    addTo: (set: string) => `Добавить в «${set}»`,
    firstSet: 'Создать набор с этим каналом',
    allChannels: 'Все каналы',
    compose: 'Написать пост',
    noSuchName: /^Не удаётся узнать номер @nosuchname/,
    notALink: /^Введите ссылку вида t\.me\/acme_news/,
  },
} as const;

type Case = Look & { readonly language: 'en' | 'ru' };
const CASES: readonly Case[] = [{ language: 'en' }, { language: 'ru', phone: true }, { language: 'ru', dark: true }];
const WITHOUT_DARK = CASES.filter(({ dark }) => !dark);

/** Connecting a channel: pasted links, a wrong token corrected with one click, and a set right after success. */
describeInChromium('connecting a channel', () => {
  const browser = useBrowser();
  const harness = new E2eHarness();
  let world: Awaited<ReturnType<typeof startEmptyWorld>>;
  let visitor: Visitor;
  let manage: Management;
  let opened: ConsolePage;
  beforeAll(async () => {
    world = await startEmptyWorld(harness);
    await world.networks.telegram.control.request('POST', 'tokens', { token: REVOKED, revoked: true });
  });
  beforeEach(async () => {
    const { url } = world.gateway;
    const owner = await new Management(url, OPERATOR_KEY).post('/owners', { name: 'Herald', plan: 'pro' });
    manage = new Management(url, owner.key);
    visitor = { key: owner.key, role: 'owner', owner: { id: owner.id, name: 'Herald' } };
  });
  afterAll(() => harness.stop());
  afterEach(async () => {
    // The browser logs every 422 as an error.
    expect(opened.faults.filter((fault) => !fault.includes('status of 422'))).toEqual([]);
    await opened.close();
  });

  const open = async (look: Case): Promise<ConsolePage> => {
    opened = await ConsolePage.open(browser(), world.gateway.url, visitor, '/channels/new', look);
    return opened;
  };
  const expectGoodPage = async (): Promise<void> => {
    expect(await findViolations(opened.page)).toEqual([]);
    expect(await opened.overflow()).toBe(0);
  };

  it.each(CASES)('shows the steps on each network: %j', async (look) => {
    const { page } = await open(look);
    for (const network of ['Telegram', 'VK', 'MAX', /Odnoklassniki|Одноклассники/]) {
      await page.getByRole('radio', { name: network }).check();
      const steps = page.locator('.connect-steps');
      expect(await steps.locator('li').count()).toBe(3);
      expect(await steps.locator('svg').count()).toBe(3);
      await expectGoodPage();
    }
  });

  it.each(WITHOUT_DARK)('corrects a wrong token with one click, and adds the channel to a set: %j', async (look) => {
    const words = WORDS[look.language];
    const set = await manage.post('/projects', { name: 'City', channel_ids: [] });
    const { page } = await open(look);
    await page.getByLabel(words.name, { exact: true }).fill('Herald News');
    await page.getByLabel(words.token, { exact: true }).fill(REVOKED);
    await page.getByLabel(words.chat, { exact: true }).fill('https://t.me/herald_news/12');
    const save = page.getByRole('button', { name: words.save });
    await opened.click(save);
    await page.getByRole('heading', { name: words.notConfirmed, exact: true }).waitFor();
    expect(await page.getByLabel(words.chat, { exact: true }).inputValue()).toBe('@herald_news');
    await expectGoodPage();
    expect(await page.locator('.button.primary').count()).toBe(1);

    await page.getByLabel(words.token, { exact: true }).fill(TOKEN);
    opened.clicks = 0;
    await opened.click(save);
    await page.getByRole('heading', { name: words.mayPost, exact: true }).waitFor();
    expect(opened.clicks).toBe(1);
    await expectGoodPage();
    expect(await page.locator('.button.primary').count()).toBe(1);

    await opened.click(page.getByRole('button', { name: words.addTo('City') }));
    await page.getByRole('link', { name: words.compose }).last().waitFor();
    expect(opened.clicks).toBe(2);
    const [channel] = (await manage.get('/channels')).items;
    expect(channel).toMatchObject({ name: 'Herald News', address: { chat_id: '@herald_news' }, status: 'ok' });
    expect((await manage.get(`/projects/${set.id}`)).channel_ids).toEqual([channel.id]);
    await expectGoodPage();
  });

  it.each(WITHOUT_DARK)('finds a community by its name, and makes a first set: %j', async (look) => {
    const words = WORDS[look.language];
    const { page } = await open(look);
    await page.getByRole('radio', { name: 'VK' }).check();
    await page.getByLabel(words.name, { exact: true }).fill('Herald');
    await page.getByLabel(words.vkToken, { exact: true }).fill(VK_TOKEN);
    const community = page.getByLabel(words.community, { exact: true });
    await community.fill('https://vk.com/nosuchname');
    await opened.click(page.getByRole('button', { name: words.save }));
    await page.getByText(words.noSuchName).waitFor();
    await expectGoodPage();
    await community.fill('vk.com/harbour_news');
    await opened.click(page.getByRole('button', { name: words.save }));
    await page.getByRole('heading', { name: words.mayPost, exact: true }).waitFor();
    expect(await community.inputValue()).toBe('220000001');
    await opened.click(page.getByRole('button', { name: words.firstSet }));
    await page.getByRole('link', { name: words.compose }).last().waitFor();
    const [set] = (await manage.get('/projects')).items;
    expect(set).toMatchObject({ name: words.allChannels, channel_ids: [expect.stringMatching(/^tgt_/)] });
  });

  it.each(WITHOUT_DARK)('says what to enter in place of an invitation: %j', async (look) => {
    const words = WORDS[look.language];
    const { page } = await open(look);
    await page.getByLabel(words.name, { exact: true }).fill('Herald');
    await page.getByLabel(words.token, { exact: true }).fill(TOKEN);
    await page.getByLabel(words.chat, { exact: true }).fill('https://t.me/+AbCdEf');
    await opened.click(page.getByRole('button', { name: words.save }));
    await page.getByText(words.notALink).waitFor();
    expect((await manage.get('/channels')).items).toEqual([]);
  });
});
