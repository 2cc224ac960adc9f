// More than 20 s: a browser loads Swagger UI and the walls, and calls the gateway from them.
import type { Frame, Page } from 'playwright-core';
import { E2eHarness } from '../e2e/e2e-harness.js';
import { until } from '../e2e/until.js';
import { ConsolePage, describeInChromium, useBrowser } from './support/console-page.js';
import { Management } from './support/management.js';

/** Pages that share the console's origin, and run scripts that are not the console's (ADR-250). */
describeInChromium('pages beside the console', () => {
  const browser = useBrowser();
  const harness = new E2eHarness();
  let url: string;
  let operatorKey: string;
  beforeAll(async () => {
    const gateway = await harness.startDemo(await harness.createDataDir());
    ({ url } = gateway);
    operatorKey = await until('the key is printed', () => {
      const { output } = gateway.program;
      return /Walls/.test(output) && /Operator key\s+(\S+)/.exec(output)?.[1];
    });
  });
  afterAll(() => harness.stop());

  /** Opens a page in a tab in which the console has stored something. */
  const open = async (path: string): Promise<Page> => {
    const { page } = await ConsolePage.open(browser(), url, null);
    await page.evaluate(`sessionStorage.secret = 'key'; localStorage.secret = 'key'`);
    await page.goto(url + path);
    return page;
  };
  /** Reads the console's storage as a script of a page would; returns the names of the errors. */
  const readStorage = (page: Page | Frame): Promise<unknown> =>
    page.evaluate(`['localStorage', 'sessionStorage'].map((name) => {
      try { return window[name].secret; } catch ({ name }) { return name; }
    })`);

  it('show the API and try it out, but cannot read the storage of the console', async () => {
    const page = await open('/docs');
    const ui = page.frameLocator('iframe');
    await ui.getByRole('button', { name: 'Authorize' }).first().click();
    const frame = page.frame({ url: /\/docs\/ui$/ })!;
    expect(await readStorage(frame)).toEqual(['SecurityError', 'SecurityError']);
    const auth = ui.locator('.auth-container').filter({ hasText: 'managementKey' });
    await auth.getByLabel('Value').fill(operatorKey);
    await auth.getByRole('button', { name: 'Apply' }).click();
    await ui.getByRole('button', { name: 'Close' }).first().click();
    await ui.locator('.opblock-tag[data-tag="owners"]').click();
    const operation = ui.locator('.opblock', { hasText: '/manage/v1/owners' }).first();
    await operation.locator('.opblock-summary-control').click();
    await operation.getByRole('button', { name: 'Execute' }).click();
    await operation.locator('.live-responses-table').getByText('200').first().waitFor();
    await operation.locator('.live-responses-table').getByText('own_').first().waitFor();
    await page.context().close();
  });

  it('show the walls and their new posts, but cannot read the storage of the console', async () => {
    const page = await open('/walls');
    await page.getByRole('heading', { name: 'All walls' }).waitFor();
    expect(await readStorage(page)).toEqual(['SecurityError', 'SecurityError']);
    const manage = new Management(url, operatorKey);
    const { items } = await manage.get('/endpoints');
    const { id } = items.find(({ mode }: { mode: string }) => mode === 'live');
    await manage.post(`/endpoints/${id}/posts`, { text: 'Low tide at noon' });
    await page.getByText('Low tide at noon').first().waitFor();
    await page.context().close();
  });
});
