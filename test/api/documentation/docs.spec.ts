import { existsSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type BrowserContext, chromium, type FrameLocator, type Page } from 'playwright-core';
import { until } from '../../e2e/until.js';
import { CHROMIUM, CHROMIUM_ARGUMENTS } from '../../support/chromium.js';
import { createOwner, type ManagementHarness, OPERATOR_KEY, startHarness } from '../management/management-harness.js';

/** Opens one of the groups of operations, which are closed at first. */
const openTag = (ui: FrameLocator, tag: string): Promise<void> => ui.locator(`.opblock-tag[data-tag="${tag}"]`).click();

describe('the page of the documentation', () => {
  let harness: ManagementHarness;
  beforeAll(async () => {
    harness = await startHarness();
  });
  afterAll(() => harness?.stop());

  it('loads everything from this server, under a strict policy', async () => {
    const page = await fetch(`${harness.url}/docs`);
    expect(page.status).toBe(200);
    expect(page.headers.get('content-security-policy')).toContain(
      "default-src 'none'; script-src 'self'; style-src 'self'",
    );
    const addresses = [...(await page.text()).matchAll(/(?:src|href)="([^"]+)"/g)].map(([, address]) => address!);
    expect(addresses.filter((address) => !address.startsWith('data:'))).toHaveLength(2);
    for (const address of [...addresses, 'docs/ui'])
      if (!address.startsWith('data:')) {
        const file = await fetch(new URL(address, `${harness.url}/docs`));
        expect([address, file.status]).toEqual([address, 200]);
        expect((await file.text()).length).toBeGreaterThan(50);
      }
    for (const name of ['package.json', '__proto__', '..%2fpackage.json', 'swagger-ui-bundle.js.map'])
      expect((await fetch(`${harness.url}/docs/${name}`)).status).toBe(404);
  });

  (existsSync(CHROMIUM) ? describe : describe.skip)(`in Chromium (${CHROMIUM})`, () => {
    let profile: string;
    let context: BrowserContext;
    let page: Page;
    const foreign: string[] = [];
    const errors: string[] = [];
    beforeAll(async () => {
      profile = await mkdtemp(join(tmpdir(), 'crosspost-chromium-'));
      context = await chromium.launchPersistentContext(profile, {
        executablePath: CHROMIUM,
        args: CHROMIUM_ARGUMENTS,
        headless: true,
      });
      context.setDefaultTimeout(300_000); // 30 s may be too little on a busy machine
      page = await context.newPage();
      page.on('request', (request) => {
        if (!request.url().startsWith(harness.url) && !request.url().startsWith('data:')) foreign.push(request.url());
      });
      page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
      page.on('pageerror', (error) => errors.push(String(error)));
    });
    afterAll(async () => {
      await context?.close();
      await rm(profile, { recursive: true, force: true });
    });

    it('sends requests to this server with the key of the reader', async () => {
      const owner = await createOwner(harness);
      await page.goto(`${harness.url}/docs`);
      const ui = page.frameLocator('iframe');
      await ui.getByRole('button', { name: 'Authorize' }).first().click();
      const form = ui.locator('.auth-container', { hasText: 'managementKey' });
      await form.getByRole('textbox').fill(OPERATOR_KEY);
      await form.getByRole('button', { name: 'Apply credentials' }).click();
      await ui.getByRole('button', { name: 'Close' }).last().click();
      await openTag(ui, 'owners');
      const operation = ui.locator('.opblock-get').filter({ hasText: '/manage/v1/owners' }).first();
      await operation.locator('.opblock-summary-control').click();
      await operation.getByRole('button', { name: 'Execute' }).click();
      const answer = operation.locator('.live-responses-table .response').first();
      await answer.getByText('200', { exact: true }).first().waitFor();
      expect(await answer.textContent()).toContain(owner.id);
      expect(errors).toEqual([]);
      expect(foreign).toEqual([]);
    });

    it('opens the operation that a link names, and has the link to an operation that is opened', async () => {
      const document = (await (await fetch(`${harness.url}/openapi.json`)).json()) as {
        readonly paths: Readonly<Record<string, Readonly<Record<string, { tags: string[]; operationId: string }>>>>;
      };
      const linkTo = (path: string): string => {
        const { tags, operationId } = document.paths[path]!.get!;
        return `#/${tags[0]!}/${operationId}`;
      };
      const [owners, channels] = [linkTo('/manage/v1/owners'), linkTo('/manage/v1/channels')];
      const ui = page.frameLocator('iframe');
      const opened = (path: string) => ui.locator('.opblock.is-open').filter({ hasText: path });
      await page.goto('about:blank');
      await page.goto(`${harness.url}/docs${owners}`);
      await opened('/manage/v1/owners').first().waitFor();

      await openTag(ui, 'channels');
      const operation = ui.locator('.opblock-get').filter({ hasText: '/manage/v1/channels' }).first();
      await operation.locator('.opblock-summary-control').click();
      await until('the address names the other operation', () => new URL(page.url()).hash === channels);
      await page.reload();
      await opened('/manage/v1/channels').first().waitFor();
      expect(await opened('/manage/v1/owners').count()).toBe(0);

      await page.evaluate(`location.hash = ${JSON.stringify(owners)}`);
      await opened('/manage/v1/owners').first().waitFor();
      expect(new URL(page.url()).hash).toBe(owners);
      // Swagger UI says this of every operation id with an underscore.
      const unexpected = errors.filter((text) => !text.startsWith('Deprecated: escaping deep link whitespace'));
      expect([...unexpected, ...foreign]).toEqual([]);
    });
  });
});
