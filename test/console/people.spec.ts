// More than 20 s: a browser invites people in each look.
import { E2eHarness } from '../e2e/e2e-harness.js';
import { OPERATOR_KEY } from '../e2e/management-client.js';
import { until } from '../e2e/until.js';
import { findViolations } from './support/axe.js';
import { ConsolePage, describeInChromium, type Look, useBrowser, type Visitor } from './support/console-page.js';
import { Management } from './support/management.js';
import { startEmptyWorld } from './support/world.js';

const TEXTS = {
  en: {
    more: 'More',
    people: 'People',
    invite: 'Invite…',
    name: 'Name',
    create: 'Create the link',
    approve: 'approve posts',
    account: 'Account',
    signIns: 'Where you are signed in',
    current: 'This device',
    end: /^Sign out: Firefox on Linux/,
    endOthers: 'Sign out everywhere else',
  },
  ru: {
    more: 'Ещё',
    people: 'Люди',
    invite: 'Пригласить…',
    name: 'Имя',
    create: 'Создать ссылку',
    approve: 'одобрять посты',
    account: 'Учётная запись',
    signIns: 'Где выполнен вход',
    current: 'Это устройство',
    end: /^Завершить вход: Firefox, Linux/,
    endOthers: 'Завершить все остальные',
  },
} as const;

const LOOKS: readonly Look[] = [{}, { phone: true, language: 'ru', dark: true }];

describeInChromium('people', () => {
  const browser = useBrowser();
  const harness = new E2eHarness();
  let url: string;
  let visitor: Visitor;
  let manage: Management;
  beforeAll(async () => {
    ({ url } = (await startEmptyWorld(harness)).gateway);
    const { id, key } = await new Management(url, OPERATOR_KEY).post('/owners', { name: 'Harbour News', plan: 'pro' });
    visitor = { key, role: 'owner', owner: { id, name: 'Harbour News' } };
    manage = new Management(url, key);
  });
  afterAll(() => harness.stop());

  it.each(LOOKS)('are invited to approve with four clicks, by a link that signs in: %j', async (look) => {
    const m = TEXTS[look.language ?? 'en'];
    const opened = await ConsolePage.open(browser(), url, visitor, '/', look);
    const { page } = opened;
    const link = (name: string) => page.getByRole('link', { name, exact: true }).filter({ visible: true }).first();
    if (look.phone) await opened.click(link(m.more));
    await opened.click(link(m.people));
    await opened.click(page.getByRole('button', { name: m.invite }));
    await page.getByLabel(m.name).fill('Anna');
    await opened.click(page.getByRole('button', { name: m.create }));
    expect(opened.clicks).toBeLessThanOrEqual(4);
    const shown = await page.getByText(/#key=/).textContent();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('checkbox').check();
    await page.getByRole('dialog').getByRole('button').last().click();
    await page.getByRole('row').filter({ hasText: 'Anna' }).getByText(m.approve).first().waitFor();
    expect(await findViolations(page)).toEqual([]);
    expect(await opened.overflow()).toBe(0);
    expect(opened.faults).toEqual([]);
    await opened.close();
    const { items } = await manage.get('/keys');
    expect(items.find(({ name }: { name: string }) => name === 'Anna')).toMatchObject({ scopes: ['approve'] });

    const invited = await ConsolePage.open(browser(), url, null, `/${new URL(shown!).hash}`, look);
    await invited.page.getByRole('navigation').filter({ visible: true }).first().waitFor();
    expect(invited.page.url()).not.toContain('key=');
    await invited.close();
  });

  it.each(LOOKS)('see where they are signed in, and sign out elsewhere: %j', async (look) => {
    const m = TEXTS[look.language ?? 'en'];
    const { key } = await manage.post('/keys', { name: 'Vera', scopes: ['read'] });
    const signIn = async (system: string): Promise<void> => {
      const agent = `Mozilla/5.0 (X11; ${system} x86_64; rv:133.0) Gecko/20100101 Firefox/133.0`;
      const headers = { authorization: `Bearer ${key}`, 'user-agent': agent };
      await fetch(`${url}/manage/v1/sessions`, { method: 'POST', headers });
    };
    for (const system of ['Linux', 'Windows', 'CrOS']) await signIn(system);
    const vera: Visitor = { ...visitor, key };
    const opened = await ConsolePage.open(browser(), url, vera, look.phone ? '/more' : '/', look);
    const { page } = opened;
    await page.getByRole('button', { name: m.account }).filter({ visible: true }).click();
    await page.getByRole('menuitem', { name: m.signIns }).click();
    const dialog = page.getByRole('dialog', { name: m.signIns });
    await dialog.getByText(m.current).waitFor();
    const rows = dialog.getByRole('listitem');
    expect(await rows.count()).toBe(4);
    expect(await rows.first().innerText()).toContain(m.current);
    expect(await findViolations(page)).toEqual([]);
    expect(await opened.overflow()).toBe(0);
    await dialog.getByRole('button', { name: m.end }).click();
    await until('one has ended', async () => (await rows.count()) === 3);
    await dialog.getByRole('button', { name: m.endOthers }).click();
    await until('the others have ended', async () => (await rows.count()) === 1);
    expect((await new Management(url, key).get('/sessions')).items).toHaveLength(1);
    expect(opened.faults).toEqual([]);
    await opened.close();
  });
});
