// More than 20 s: a browser invites people in each look.
import { E2eHarness } from '../e2e/e2e-harness.js';
import { OPERATOR_KEY } from '../e2e/management-client.js';
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
  },
  ru: {
    more: 'Ещё',
    people: 'Люди',
    invite: 'Пригласить…',
    name: 'Имя',
    create: 'Создать ссылку',
    approve: 'одобрять посты',
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
});
