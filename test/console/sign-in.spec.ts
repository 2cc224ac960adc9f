import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Page } from 'playwright-core';
import { E2eHarness } from '../e2e/e2e-harness.js';
import { until } from '../e2e/until.js';
import { findViolations } from './support/axe.js';
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
    await second.page.getByText('This sign-in link was used already, or is too old.').waitFor();
    await second.close();
  });

  it('says what is wrong with a key, keeps the right one nowhere, and counts in all tabs', async () => {
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

    const kept = await page.evaluate<string>(`JSON.stringify([localStorage, sessionStorage, document.cookie])`);
    expect(kept).not.toContain(operatorKey);
    expect(kept).not.toContain('console_session');
    const [cookie] = await page.context().cookies(`${url}/manage`);
    expect(cookie).toMatchObject({ name: 'console_session', httpOnly: true, sameSite: 'Strict', expires: -1 });

    const other = await page.context().newPage();
    await other.goto(`${url}/console`);
    await other.getByRole('link', { name: 'Projections' }).first().waitFor();
    await opened.close();
  });

  it('lasts 30 days if the device is remembered', async () => {
    const [, operatorKey = ''] = /Operator key\s+(\S+)/.exec(printed)!;
    const opened = await ConsolePage.open(browser(), url, null, '/', { language: 'ru', phone: true });
    const { page } = opened;
    await page.getByLabel('Ваш ключ').fill(operatorKey);
    await page.getByLabel('Запомнить это устройство на 30 дней').check();
    expect(await findViolations(page)).toEqual([]);
    await page.getByRole('button', { name: 'Войти' }).click();
    await page.getByRole('navigation').first().waitFor();
    const [cookie] = await page.context().cookies(`${url}/manage`);
    expect(cookie!.expires - Date.now() / 1_000).toBeGreaterThan(29 * 86_400);
    await opened.close();
  });

  it('is no use to other sites, even on the same host', async () => {
    const opened = await ConsolePage.open(browser(), url, null);
    await signInByTyping(opened.page);
    const server = createServer((_, answer) => answer.setHeader('content-type', 'text/html').end('<p>Foreign</p>'));
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const foreign = await opened.page.context().newPage();
    await foreign.goto(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
    const read = `fetch('${url}/manage/v1/me', { credentials: 'include', headers: { 'x-console': '1' } })`;
    expect(await foreign.evaluate(`${read}.then(({ status }) => status, () => 'blocked')`)).toBe('blocked');
    await foreign.setContent(`<form method="post" action="${url}/manage/v1/owners"><button>Send</button></form>`);
    const [answer] = await Promise.all([
      foreign.waitForResponse(/owners/),
      foreign.getByRole('button', { name: 'Send' }).click(),
    ]);
    expect(answer.status()).toBe(401);
    server.close();
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
    page.evaluate(
      `[...Object.keys(sessionStorage), ...Object.keys(localStorage)].filter((name) => /crosspost.(session|draft|used)/.test(name))`,
    );

  it('leaves nothing in any tab after signing out', async () => {
    const opened = await ConsolePage.open(browser(), url, null);
    const { page } = opened;
    const other = await page.context().newPage();
    await signInByTyping(other, '/compose');
    await other.getByRole('textbox', { name: 'Text' }).click();
    await other.keyboard.type('Not for the next person');
    await until('the draft is kept', async () => String(await listKept(other)).includes('crosspost.draft'));
    await page.goto(`${url}/console`);
    const [cookie] = await page.context().cookies(`${url}/manage`);
    await page.getByRole('button', { name: 'Account' }).first().click();
    await page.getByRole('menuitem', { name: 'Sign out' }).click();
    for (const tab of [page, other]) {
      await tab.getByLabel('Your key').waitFor();
      expect(await listKept(tab)).toEqual([]);
    }
    await until('the cookie is gone', async () => (await page.context().cookies(`${url}/manage`)).length === 0);
    const headers = { cookie: `console_session=${cookie!.value}`, 'x-console': '1' };
    expect((await fetch(`${url}/manage/v1/me`, { headers })).status).toBe(401);
    await opened.close();
  });

  it('ends for the operator after 12 hours without use, and says so', async () => {
    const opened = await ConsolePage.open(browser(), url, null);
    const { page } = opened;
    await page.clock.install();
    await signInByTyping(page);
    await page.clock.fastForward('11:50:00');
    const readUse = () => page.evaluate<string | null>(`localStorage['crosspost.used']`);
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
    await page.evaluate(`localStorage['crosspost.used'] = String(Date.now() - 12 * 3_600_000)`);
    await page.reload();
    await page.getByText('this tab was not used for 12 hours').waitFor();
    expect(await listKept(page)).toEqual([]);
    await opened.close();
  });
});
