// More than 20 s: a browser breaks and mends networks in both languages, on a desktop and a phone.
import { E2eHarness } from '../e2e/e2e-harness.js';
import { OPERATOR_KEY } from '../e2e/management-client.js';
import { until } from '../e2e/until.js';
import { findViolations } from './support/axe.js';
import { ConsolePage, describeInChromium, type Look, useBrowser, type Visitor } from './support/console-page.js';
import { Management } from './support/management.js';

const OPERATOR: Visitor = { key: OPERATOR_KEY, role: 'operator', owner: null };

const WORDS = {
  en: {
    break: 'Break this network',
    token: /^Wrong token/,
    mend: 'Mend it',
    photos: 'Photos to try',
    broken: 'Broken:',
  },
  ru: {
    break: 'Сломать эту сеть',
    token: /^Неверный токен/,
    mend: 'Починить',
    photos: 'Фото для пробы',
    broken: 'Сломано:',
  },
} as const;

type Case = Look & { readonly language: 'en' | 'ru' };
const CASES: readonly Case[] = [{ language: 'en' }, { language: 'ru', phone: true }];

/** The demo: its walls, the ways to break a network, and photos that need no Internet. */
describeInChromium('the demo', () => {
  const browser = useBrowser();
  const harness = new E2eHarness();
  const manage = (): Management => new Management(url, OPERATOR_KEY);
  let url: string;
  let endpoint: string;
  let opened: ConsolePage;
  beforeAll(async () => {
    // On a port that the system chooses, the gateway knows its own address only once it listens.
    ({ url } = await harness.startGateway({ DEMO: 'on', PORT: '0', DATA_DIR: await harness.createDataDir() }));
    endpoint = await until('the demo has an endpoint', async () => {
      const { items } = await manage().get('/endpoints');
      return items.find(({ mode }: { mode: string }) => mode === 'live')?.id;
    });
  });
  afterAll(() => harness.stop());
  afterEach(async () => {
    // The walls are sandboxed: the test cannot sign in there.
    expect(opened.faults.filter((fault) => !fault.includes('document is sandboxed'))).toEqual([]);
    await opened.close();
  });

  const open = async (path: string, look: Case): Promise<ConsolePage> => {
    opened = await ConsolePage.open(browser(), url, OPERATOR, '/', look);
    await opened.page.goto(url + path);
    return opened;
  };
  const publish = async (post: object): Promise<string> =>
    (await manage().post(`/endpoints/${endpoint}/posts`, post)).id as string;
  // eslint-disable-next-line @typescript-eslint/no-explicit-any -- as the API answers
  const publicationOf = async (id: string, network: string): Promise<any> => {
    const { publications } = await manage().get(`/posts/${id}`);
    return publications.find(({ platform }: { platform: string }) => platform === network);
  };

  it.each(CASES)('breaks a network on its wall, and mends it: %j', async (look) => {
    const words = WORDS[look.language];
    const { page } = await open('/walls', look);
    const wall = page.locator('.source[data-platform="vk"]');
    await wall.getByText(words.break).click();
    expect(await findViolations(page)).toEqual([]);
    await wall.getByRole('button', { name: words.token }).click();
    const bar = wall.getByRole('status');
    await bar.getByText(words.broken).waitFor();
    expect(await findViolations(page)).toEqual([]);

    const id = await publish({ text: `Ferry delayed, ${look.language}` });
    await until('VK refuses the token', async () => {
      const { state, target_id: channel } = await publicationOf(id, 'vk');
      return state === 'queued' && (await manage().get(`/channels/${channel}`)).status === 'needs_attention';
    });
    // Another page says so, too.
    await page.reload();
    await bar.getByText(words.broken).waitFor();
    await wall.getByRole('button', { name: words.mend }).click();
    await bar.waitFor({ state: 'hidden' });
    const { target_id: channel } = await publicationOf(id, 'vk');
    await manage().post(`/channels/${channel}/retry`);
    await until('VK has the post', async () => (await publicationOf(id, 'vk')).state === 'published');
    await wall.getByText(`Ferry delayed, ${look.language}`).first().waitFor();
  });

  it.each(CASES)('links to the post on the wall, with a photo of its own: %j', async (look) => {
    const words = WORDS[look.language];
    const { page } = await open('/walls', look);
    await page.getByText(words.photos).click();
    const photos = page.locator('.photos img');
    await until(
      'four photos are there',
      async () =>
        (
          await photos.evaluateAll((images) =>
            images.map((image) => (image as unknown as { naturalWidth: number }).naturalWidth),
          )
        ).filter((width) => width > 0).length === 4,
    );
    expect(await findViolations(page)).toEqual([]);
    const address = (await page.locator('.photos code').first().textContent())!;
    const id = await publish({ text: `Dusk, ${look.language}`, media: [{ type: 'photo', url: address }] });
    await until('all networks have it', async () => {
      const { publications } = await manage().get(`/posts/${id}`);
      return publications.every(({ state }: { state: string }) => state === 'published');
    });

    await opened.goto(`/publications/${(await publicationOf(id, 'telegram')).id}`);
    const link = page.locator('a[href*="/walls#telegram/"]').first();
    expect(await link.getAttribute('target')).toBe('_blank');
    const [wall] = await Promise.all([page.context().waitForEvent('page'), link.click()]);
    const found = wall.locator('.source[data-platform="telegram"] .post.found');
    await found.getByText(`Dusk, ${look.language}`).waitFor();
    expect(await found.locator('img').count()).toBe(1);
  });

  it.each([
    ['limits', 'queued'],
    ['outage', 'queued'],
    ['unclear', 'in_doubt'],
    ['slow', 'published'],
  ])('%s: a post is %s', async (kind, state) => {
    const { page } = await open('/walls', CASES[0]!);
    const wall = page.locator('.source[data-platform="telegram"]');
    const choose = async (trouble: string): Promise<void> => {
      if (trouble !== '') await wall.getByText(WORDS.en.break).click();
      await wall.locator(`[data-trouble="${trouble}"]`).click();
      await wall.getByRole('status').waitFor({ state: trouble === '' ? 'hidden' : 'visible' });
    };
    await choose(kind);
    const id = await publish({ text: `Tide table, ${kind}` });
    await until(`a first attempt has ended, and the post is ${state}`, async () => {
      const publication = await publicationOf(id, 'telegram');
      return publication.state === state && publication.attempts.length > 0;
    });
    await choose('');
    if (state === 'in_doubt') {
      const { id: publication } = await publicationOf(id, 'telegram');
      await manage().post(`/publications/${publication}/dismiss`);
    } else
      await until('it is published', async () => (await publicationOf(id, 'telegram')).state === 'published', 240_000);
  });

  it('cannot be broken from another page', async () => {
    await open('/walls', CASES[0]!);
    const answer = await fetch(`${url}/walls/vk/trouble?kind=outage&key=guess`, { method: 'POST' });
    expect(answer.status).toBe(403);
    expect((await fetch(`${url}/walls/nowhere/feed`)).status).toBe(404);
  });
});
