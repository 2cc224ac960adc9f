// More than 20 s: a browser edits posts on four networks, and waits for each change.
import { E2eHarness } from '../e2e/e2e-harness.js';
import { until } from '../e2e/until.js';
import { findViolations } from './support/axe.js';
import { ConsolePage, describeInChromium, type Look, useBrowser, type Visitor } from './support/console-page.js';
import { startHarbour } from './support/harbour.js';
import type { Management } from './support/management.js';

/** Editing published posts: from the page of a post, at most three clicks. */
describeInChromium('a published post on four networks', () => {
  const browser = useBrowser();
  const harness = new E2eHarness();
  let url: string;
  let networks: Awaited<ReturnType<typeof startHarbour>>['networks'];
  let manage: Management;
  let visitor: Visitor;
  let endpointId: string;
  let opened: ConsolePage;
  beforeAll(async () => {
    ({ url, networks, manage, visitor, endpointId } = await startHarbour(harness));
  });
  afterAll(() => harness.stop());
  afterEach(async () => {
    expect(opened.faults).toEqual([]);
    await opened.close();
  });

  type Row = Readonly<Record<string, any>>;
  const publicationsOf = async (id: string): Promise<readonly Row[]> =>
    (await manage.get(`/posts/${id}`)).publications as readonly Row[];
  const publish = async (payload: object): Promise<string> => {
    const { id } = await manage.post(`/endpoints/${endpointId}/posts`, payload);
    await until('published everywhere', async () =>
      (await publicationsOf(id as string)).every(({ state }) => state === 'published'),
    );
    return id as string;
  };
  const waitForVersion = (id: string, version: number, platforms: readonly string[]): Promise<unknown> =>
    until(`version ${version} on ${platforms.join()}`, async () => {
      const publications = await publicationsOf(id);
      return platforms.every((name) =>
        publications.some(({ platform, content_version: seen }) => platform === name && seen === version),
      );
    });
  const open = async (path: string, look: Look = {}): Promise<ConsolePage> => {
    opened = await ConsolePage.open(browser(), url, visitor, path, look);
    return opened;
  };
  /** Expects a page without violations that fits into its window. */
  const expectGoodPage = async (): Promise<void> => {
    expect(await findViolations(opened.page)).toEqual([]);
    expect(await opened.overflow()).toBe(0);
  };
  /** Saves a picture where a developer asked for pictures. */
  const picture = async (name: string): Promise<void> => {
    const directory = process.env.PICTURES;
    if (directory !== undefined) await opened.page.screenshot({ path: `${directory}/${name}.png`, fullPage: true });
  };

  it('is corrected with two clicks, and says which network keeps the typo', async () => {
    const id = await publish({ text: 'Boots for 9 roubles' });
    const { page } = await open(`/posts/${id}`);
    await opened.click(page.getByRole('link', { name: 'Edit', exact: true }));
    await page.getByText('Edit the published post.').waitFor();
    await expectGoodPage();
    await picture('edit-begin');
    await page.getByRole('textbox', { name: 'Text' }).fill('Boots for 99 roubles');
    await page.getByText('The edit reaches 3 of 4 channels.').waitFor();
    const outcomes = page.getByRole('region', { name: 'What readers will see' });
    expect(await outcomes.getByText('Will be edited').count()).toBe(3);
    await outcomes.getByText('Keeps the old content').waitFor();
    await expectGoodPage();
    await picture('edit-checked');
    await opened.click(page.getByRole('button', { name: /^Save on 3 channels/ }));
    expect(opened.clicks).toBe(2);
    await waitForVersion(id, 2, ['telegram', 'vk', 'max']);
    await page.getByText('Boots for 99 roubles').first().waitFor();
    await expectGoodPage();
    await picture('edit-saved');
    const calls = await networks.ok.control.readLedger();
    expect(calls).toHaveLength(1);
  });
});
