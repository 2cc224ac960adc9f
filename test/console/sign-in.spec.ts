import type { Page } from 'playwright-core';
import { E2eHarness } from '../e2e/e2e-harness.js';
import { until } from '../e2e/until.js';
import { ConsolePage, describeInChromium, useBrowser } from './support/console-page.js';

describeInChromium('signing in', () => {
  const browser = useBrowser();
  const harness = new E2eHarness();
  let url: string;
  let link: string;
  let printed: string;
  beforeAll(async () => {
    const gateway = await harness.startDemo(await harness.createDataDir());
    ({ url } = gateway);
    [printed = '', link = ''] = await until('the link is printed', () => {
      const { output } = gateway.program;
      const found = /Console\s+(\S+#code=[\w-]+)/.exec(output);
      return found && /Walls/.test(output) && [output, found[1]!];
    });
  });
  afterAll(() => harness.stop());

  it('happens without typing by the link that a start prints first, once', async () => {
    const lines = printed.split('\n').filter((line) => line.trim() !== '');
    expect(lines[0]).toContain(link);

    const first = await ConsolePage.open(browser(), url, null, `/${new URL(link).hash}`);
    await first.page.getByRole('navigation', { name: 'Screens' }).first().waitFor();
    expect(first.page.url()).not.toContain('code');
    expect(first.faults).toEqual([]);
    await first.close();

    const second = await ConsolePage.open(browser(), url, null, `/${new URL(link).hash}`);
    await second.page.getByLabel('Your key').waitFor();
    await second.close();
  });

  it('says what is wrong with a key, and keeps the right one in the tab alone', async () => {
    const opened = await ConsolePage.open(browser(), url, null);
    const { page } = opened;
    await page.getByLabel('Your key').fill('service_owner_wrong');
    await opened.click(page.getByRole('button', { name: 'Sign in' }));
    await page.getByRole('alert').filter({ hasText: 'doesn’t recognize this key' }).waitFor();

    const [, operatorKey = ''] = /Operator key\s+(\S+)/.exec(printed)!;
    await page.getByLabel('Your key').fill(operatorKey);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Projections' }).first().waitFor();
    expect(page.url()).not.toContain(operatorKey);
    await page.reload();
    await page.getByRole('link', { name: 'Projections' }).first().waitFor();

    const other = await page.context().newPage();
    await other.goto(`${url}/console`);
    await other.getByLabel('Your key').waitFor();
    await opened.close();
  });

  it('comes back over the screen when the key was replaced', async () => {
    const [, operatorKey = ''] = /Operator key\s+(\S+)/.exec(printed)!;
    const call = async (method: string, path: string, body?: object) =>
      (
        await fetch(`${url}/manage/v1${path}`, {
          method,
          headers: { authorization: `Bearer ${operatorKey}`, 'content-type': 'application/json' },
          ...(body && { body: JSON.stringify(body) }),
        })
      ).json() as Promise<{ id: string; key: string }>;
    const { id, key } = await call('POST', '/owners', { name: 'Ann', plan: 'pro' });
    const visitor = { key, role: 'owner' as const, owner: { id, name: 'Ann' } };
    const opened = await ConsolePage.open(browser(), url, visitor, '/channels');
    const { page } = opened;
    const { key: newKey } = await call('POST', `/owners/${id}/rotate-key`, {});
    await page.getByRole('heading', { name: 'Sign in again to continue' }).waitFor();
    await page.getByLabel('Your key').fill(newKey);
    await page.keyboard.press('Enter');
    await until('the form is gone', async () => (await page.getByText('Sign in again').count()) === 0);
    expect(page.url()).toMatch(/\/channels$/);
    await opened.close();
  });

  /** Signs in as the operator by typing, in a new tab of a context. */
  const signInByTyping = async (page: Page, path = '/'): Promise<void> => {
    const [, operatorKey = ''] = /Operator key\s+(\S+)/.exec(printed)!;
    await page.goto(`${url}/console${path}`);
    await page.getByLabel('Your key').fill(operatorKey);
    await page.keyboard.press('Enter');
    await page.getByRole('link', { name: 'Projections' }).first().waitFor();
  };
  const listKept = (page: Page): Promise<unknown> =>
    page.evaluate(`Object.keys(sessionStorage).filter((name) => name.startsWith('crosspost.'))`);

  it('leaves nothing in any tab after signing out', async () => {
    const opened = await ConsolePage.open(browser(), url, null);
    const { page } = opened;
    const other = await page.context().newPage();
    await signInByTyping(other, '/compose');
    await other.getByRole('textbox', { name: 'Text' }).click();
    await other.keyboard.type('Not for the next person');
    await until('the draft is kept', async () => String(await listKept(other)).includes('crosspost.draft'));
    await signInByTyping(page);
    await page.getByRole('button', { name: 'Account' }).first().click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    for (const tab of [page, other]) {
      await tab.getByLabel('Your key').waitFor();
      expect(await listKept(tab)).toEqual([]);
    }
    await opened.close();
  });

  it('ends for the operator after 12 hours without use, and says so', async () => {
    const opened = await ConsolePage.open(browser(), url, null);
    const { page } = opened;
    await page.clock.install();
    await signInByTyping(page);
    await page.clock.fastForward('11:50:00');
    const readUse = () => page.evaluate<string | null>(`sessionStorage['crosspost.used']`);
    const before = await readUse();
    await page.mouse.wheel(0, 10);
    await until('the use is noted', async () => (await readUse()) !== before);
    await page.clock.fastForward('11:50:00');
    await page.getByRole('link', { name: 'Projections' }).first().waitFor();
    await page.clock.fastForward('00:20:00');
    await page.getByText('this tab was not used for 12 hours').waitFor();
    expect(await listKept(page)).toEqual([]);
    await opened.close();
  });

  it('ends for the operator when a browser restores a tab after 12 hours', async () => {
    const opened = await ConsolePage.open(browser(), url, null);
    const { page } = opened;
    await signInByTyping(page);
    await page.evaluate(`sessionStorage['crosspost.used'] = String(Date.now() - 12 * 3_600_000)`);
    await page.reload();
    await page.getByText('this tab was not used for 12 hours').waitFor();
    expect(await listKept(page)).toEqual([]);
    await opened.close();
  });
});
