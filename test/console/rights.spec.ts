// More than 20 s: a browser opens most screens with several keys.
import { E2eHarness } from '../e2e/e2e-harness.js';
import { OPERATOR_KEY } from '../e2e/management-client.js';
import { until } from '../e2e/until.js';
import { png } from '../media/make-images.js';
import { findViolations } from './support/axe.js';
import { ConsolePage, describeInChromium, type Look, useBrowser, type Visitor } from './support/console-page.js';
import { startHarbour } from './support/harbour.js';
import { Management } from './support/management.js';

const LATER = new Date(Date.now() + 30 * 86_400_000).toISOString();

const TEXTS = {
  en: {
    screens: 'Screens',
    compose: 'Compose',
    review: /^Review/,
    approve: 'Approve',
    notAllowed: 'Your key does not allow writing posts.',
    others: 'Someone who may approve posts decides whether it is published.',
    attention: /^“From Boris.*” is waiting for approval\.$/,
    waits: /^This post is waiting for approval by .*Clara.*\.$/,
    published: /It is published only after approval by .*Clara/,
    tray: 'Waiting for approval',
    needsYou: /needs? you|Review/,
    updated: 'The console has been updated.',
    reload: 'Reload',
  },
  ru: {
    screens: 'Экраны',
    compose: 'Написать',
    review: /^Проверить/,
    approve: 'Одобрить',
    notAllowed: 'Ваш ключ не позволяет писать посты.',
    others: 'Выйдет ли пост, решит тот, кто может одобрять посты.',
    attention: /^Пост «From Boris.*» ждёт одобрения\.$/,
    waits: /^Пост ждёт одобрения\. Решает: .*Clara.*\.$/,
    published: /Он выйдет только после одобрения\. Решает: .*Clara/,
    tray: 'Ждут одобрения',
    needsYou: /ждут? ваш|за вами|Проверить/,
    updated: 'Консоль обновилась.',
    reload: 'Обновить',
  },
} as const;

/** What changes something, by its label: nothing of it is shown to people who may not do it. */
const CHANGES =
  /^(Pause(?!s)|Resume|Disable|Enable|Delete|Invite|Replace|Cancel|Move|Take back|Edit|Use again|Save|Add channels|Connect|Create|Compose|Test|Run|Send again|Publish|Приостановить|Отключить|Удалить|Пригласить|Заменить|Отменить|Перенести|Отозвать|Сохранить|Подключить|Создать|Написать|Опубликовать)/;

const LOOKS: readonly Look[] = [{}, { phone: true, language: 'ru', dark: true }];

describeInChromium('what a key may do', () => {
  const browser = useBrowser();
  const harness = new E2eHarness();
  let harbour: Awaited<ReturnType<typeof startHarbour>>;
  let project: string;
  let phone: string;
  beforeAll(async () => {
    harbour = await startHarbour(harness);
    project = (await harbour.manage.get('/projects')).items[0].id;
    const endpoint = { name: 'Ann’s phone', project_ids: [project], mode: 'live', min_interval: 0 };
    phone = (await harbour.manage.post('/endpoints', { ...endpoint, requires_approval: true })).id;
  });
  afterAll(() => harness.stop());

  const issue = async (body: object): Promise<Visitor & { readonly id: string }> => {
    const { id, key } = await harbour.manage.post('/keys', { name: 'Anna', ...body });
    return { ...harbour.visitor, id, key };
  };
  /** A post that waits for approval. */
  const submit = async (text: string, media?: readonly object[]): Promise<string> =>
    (await harbour.manage.post(`/endpoints/${phone}/posts`, { text, media, publish_at: LATER })).id;
  const upload = async (): Promise<{ readonly id: string }> => {
    const headers = { authorization: `Bearer ${harbour.visitor.key}`, 'content-type': 'image/png' };
    const answer = await fetch(`${harbour.url}/manage/v1/media`, { method: 'POST', headers, body: png(60, 40) });
    return { id: ((await answer.json()) as { readonly id: string }).id };
  };

  /** Opens the console and notes refusals, which a person must never meet. */
  const open = async (visitor: Visitor, path: string, look: Look = {}) => {
    const refusals: string[] = [];
    const opened = await ConsolePage.open(browser(), harbour.url, visitor, path, look);
    opened.page.on('response', (answer) => {
      if (answer.status() === 403) refusals.push(answer.url());
    });
    return { opened, refusals };
  };
  const listScreens = async ({ page }: ConsolePage): Promise<readonly string[]> => {
    const links = page.getByRole('navigation', { name: /Screens|Экраны/ }).getByRole('link');
    return links.evaluateAll((all) => all.map((link) => (link as unknown as { pathname: string }).pathname));
  };

  it.each(LOOKS)('approves, and is offered nothing else: %j', async (look) => {
    const m = TEXTS[look.language ?? 'en'];
    const post = await submit(`For Anna in ${look.language ?? 'en'}`, [await upload()]);
    const { opened, refusals } = await open(await issue({ scopes: ['approve'] }), '/', look);
    const { page } = opened;
    expect((await listScreens(opened)).filter((path) => path.endsWith('/compose'))).toEqual([]);
    const { channels, endpointId } = harbour;
    const paths = ['/timeline', '/channels', `/channels/${channels.vk}`, '/projects', `/projects/${project}`];
    paths.push('/endpoints', `/endpoints/${endpointId}`, '/outputs', '/people', '/requests', `/posts/${post}`);
    const offered: string[] = [];
    for (const path of paths) {
      await opened.goto(path);
      await opened.settle();
      const shown = await page.getByRole('button').or(page.locator('a.button')).allInnerTexts();
      offered.push(...shown.filter((text) => CHANGES.test(text.trim())).map((text) => `${path} ${text}`));
      if (path.startsWith('/channels/')) expect(await findViolations(page)).toEqual([]);
    }
    expect(offered).toEqual([]);
    await opened.goto('/compose');
    await page.getByRole('heading', { level: 1, name: m.notAllowed }).waitFor();
    await opened.goto('/plan');
    await page.getByRole('button', { name: m.review }).first().click();
    const dialog = page.getByRole('dialog');
    await dialog.getByText(/^For Anna/).waitFor();
    // She sees the photo that she approves; the JSON would tell her nothing more.
    await dialog.locator('img.post-photo').waitFor();
    expect(await dialog.locator('.json').count()).toBe(0);
    expect(await findViolations(page)).toEqual([]);
    await dialog.getByRole('button', { name: m.approve }).click();
    await until('it is approved', async () => {
      return (await harbour.manage.get(`/posts/${post}`)).approval.state === 'approved';
    });
    expect(refusals).toEqual([]);
    expect(opened.faults).toEqual([]);
    await opened.close();
  });

  it.each(LOOKS)('writes, and reads that someone else approves: %j', async (look) => {
    const m = TEXTS[look.language ?? 'en'];
    const post = await submit(`From Boris in ${look.language ?? 'en'}`);
    await issue({ name: 'Clara', scopes: ['approve'], endpoint_ids: [phone] });
    const { opened, refusals } = await open(await issue({ scopes: ['post'] }), `/posts/${post}`, look);
    const { page } = opened;
    await page.getByRole('heading', { name: m.waits }).waitFor();
    await opened.goto(`/compose?endpoint=${phone}`);
    await page.getByText(m.others).waitFor();
    await opened.goto('/plan');
    await page.getByRole('region', { name: m.tray }).getByText(/Clara/).first().waitFor();
    expect(await page.locator('main').innerText()).not.toMatch(m.needsYou);
    await opened.goto('/');
    await page.getByText(m.published).waitFor();
    await page.getByRole('heading', { name: m.attention }).waitFor();
    expect(await page.locator('main').innerText()).not.toMatch(m.needsYou);
    expect(await page.locator('.badge, .tabs sup').count()).toBe(0);
    expect(await findViolations(page)).toEqual([]);
    expect(refusals).toEqual([]);
    expect(opened.faults).toEqual([]);
    await opened.close();
  });

  it('shows the screens of a limited key alone, and publishes through its endpoint', async () => {
    const { manage, endpointId, channels } = harbour;
    const visitor = await issue({ scopes: ['post'], endpoint_ids: [endpointId] });
    const { opened, refusals } = await open(visitor, '/');
    const { page } = opened;
    await page.waitForURL(/\/timeline$/);
    const names = ['timeline', 'plan', 'compose', 'channels', 'projects', 'endpoints', 'requests'];
    const shown = new Set((await listScreens(opened)).map((path) => path.split('/').at(-1)));
    shown.delete('more');
    expect([...shown].toSorted()).toEqual(names.toSorted());
    for (const path of [
      '/channels',
      `/channels/${channels.vk}`,
      '/projects',
      `/endpoints/${endpointId}`,
      '/requests',
    ]) {
      await opened.goto(path);
      await opened.settle();
    }
    await opened.goto('/compose');
    await page.getByRole('textbox', { name: 'Text' }).first().click();
    await page.keyboard.type('Through the CMS');
    await page.getByRole('button', { name: 'Publish to 4 channels' }).click();
    const post = await until('it is accepted', async () => {
      const { items } = await manage.get('/posts?limit=10');
      return items.find(({ excerpt }: { excerpt: string }) => excerpt === 'Through the CMS');
    });
    await opened.goto(`/publications/${post.publications[0].id}`);
    await opened.settle();
    await opened.goto(`/posts/${post.id}`);
    await opened.settle();
    expect(refusals).toEqual([]);
    expect(opened.faults).toEqual([]);
    await opened.close();
  });

  it('shows auditors of all owners everything, and no button that changes something', async () => {
    const operator = new Management(harbour.url, OPERATOR_KEY);
    const { key } = await operator.post('/keys', { name: 'Auditor', scopes: ['audit'], owner_id: null });
    const { opened, refusals } = await open({ key, role: 'operator', owner: null }, '/');
    const { id: post } = await harbour.manage.post(`/endpoints/${harbour.endpointId}/posts`, {
      text: 'For the auditor',
    });
    await until('it is published', async () => {
      const { publications } = await harbour.manage.get(`/posts/${post}`);
      return publications.every(({ state }: { state: string }) => state === 'published');
    });
    const paths = ['/timeline', '/plan', '/channels', `/channels/${harbour.channels.vk}`, '/projects'];
    paths.push(`/projects/${project}`, `/endpoints/${phone}`, '/projections', '/time', '/people', `/posts/${post}`);
    const offered: string[] = [];
    for (const path of paths) {
      await opened.goto(path);
      await opened.settle();
      const shown = await opened.page.getByRole('button').or(opened.page.locator('a.button')).allInnerTexts();
      const changes = shown.filter((text) => CHANGES.test(text.trim()) || /^(Read now|Verify all)/.test(text.trim()));
      offered.push(...changes.map((text) => `${path} ${text}`));
    }
    expect(offered).toEqual([]);
    expect(refusals).toEqual([]);
    expect(opened.faults).toEqual([]);
    await opened.close();
  });

  /** What Chromium and the page do when the person comes back to the tab. */
  const comeBack = ({ page }: ConsolePage) =>
    page.evaluate(() => {
      const { document, Event } = globalThis as unknown as {
        readonly document: { dispatchEvent: (event: object) => void };
        readonly Event: new (name: string, options: object) => object;
      };
      document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
    });

  /** Opens a channel in a tab that the gateway cannot tell about changes. */
  const openDeaf = async (scopes: readonly string[]) => {
    const visitor = await issue({ scopes });
    const { opened } = await open(visitor, '/timeline');
    await opened.page.route('**/manage/v1/stream*', () => undefined); // never answered
    await opened.goto(`/channels/${harbour.channels.vk}`);
    await opened.settle();
    const change = (changed: object) => harbour.manage.patch(`/keys/${visitor.id}`, changed);
    return { opened, page: opened.page, change };
  };

  it('learns from a refusal that the key may do less', async () => {
    const { opened, page, change } = await openDeaf(['manage']);
    const test = page.getByRole('button', { name: 'Test now' });
    await test.waitFor();
    await change({ scopes: ['read'] });
    await test.click();
    await page.getByRole('link', { name: 'Compose' }).first().waitFor({ state: 'detached' });
    expect(await test.count()).toBe(0);
    expect(opened.faults.filter((fault) => !fault.includes('403'))).toEqual([]);
    await opened.close();
  });

  it('learns that the key may do more when the tab is shown again', async () => {
    const { opened, page, change } = await openDeaf(['read']);
    expect(await page.getByRole('button', { name: 'Test now' }).count()).toBe(0);
    await change({ scopes: ['manage'] });
    await comeBack(opened);
    await page.getByRole('button', { name: 'Test now' }).waitFor();
    expect(opened.faults).toEqual([]);
    await opened.close();
  });

  it.each(LOOKS)('offers the console of a newer release: %j', async (look) => {
    const m = TEXTS[look.language ?? 'en'];
    const { opened } = await open(await issue({ scopes: ['read'] }), '/timeline', look);
    const { page } = opened;
    await opened.settle();
    await page.route('**/console/', (route) =>
      route.fulfill({ contentType: 'text/html', body: '<script type="module" src="/console/assets/new.js"></script>' }),
    );
    await comeBack(opened);
    await page.getByText(m.updated).waitFor();
    expect(await findViolations(page)).toEqual([]);
    await page.unrouteAll();
    await Promise.all([page.waitForEvent('load'), page.getByRole('button', { name: m.reload }).click()]);
    await opened.settle();
    expect(await page.getByText(m.updated).count()).toBe(0);
    expect(opened.faults).toEqual([]);
    await opened.close();
  });

  it('follows a change of the key without a reload', async () => {
    const visitor = await issue({ scopes: ['read'] });
    const { opened } = await open(visitor, '/timeline');
    const compose = opened.page.getByRole('link', { name: 'Compose' });
    await opened.settle();
    expect(await compose.count()).toBe(0);
    await harbour.manage.patch(`/keys/${visitor.id}`, { scopes: ['post'] });
    await compose.first().waitFor();
    expect(opened.faults).toEqual([]);
    await opened.close();
  });
});
