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

  type Row = Readonly<Record<'platform' | 'state' | 'content_version', unknown>>;
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
    await page.getByText('version 2').nth(2).waitFor();
    await page.getByText('not edited', { exact: true }).waitFor();
    const banner = page.getByRole('region', { name: 'Not edited on 1 channel: readers see an older version.' });
    await banner.getByText('Harbour Friends').waitFor();
    // Neither helps on a network that allows no edits.
    expect(await banner.getByRole('button', { name: 'Try again' }).count()).toBe(0);
    expect(await banner.getByRole('link', { name: 'Change the content' }).count()).toBe(0);
    await page.getByText('Version 2: Edited').waitFor();
    await expectGoodPage();
    await picture('edit-saved');
    // Once someone has left it so, it needs no one's attention.
    await opened.click(banner.getByRole('button', { name: 'Leave it' }));
    await banner.waitFor({ state: 'detached' });
    const overview = await manage.get('/overview');
    expect((overview.attention as readonly { code: string }[]).map(({ code }) => code)).not.toContain('edit_failed');
    expect(await networks.ok.control.readLedger()).toHaveLength(1);

    await opened.click(page.getByRole('button', { name: 'Show version 2' }));
    const dialog = page.getByRole('dialog', { name: 'Version 2' });
    await dialog.locator('del', { hasText: /^9$/ }).waitFor();
    await dialog.locator('ins', { hasText: /^99$/ }).waitFor();
    await expectGoodPage();
    await picture('edit-versions');
    await page.keyboard.press('Escape');

    await opened.click(page.getByRole('link', { name: /Harbour City/ }));
    const story = page.getByRole('region', { name: 'History' });
    await story.getByText('You edited the post.').waitFor();
    await story.getByText('Readers see version 2.').waitFor();
    await expectGoodPage();
    await picture('edit-story');
  });

  it('is corrected on a phone, in Russian, and again where a network refused', async () => {
    const id = await publish({ text: 'Сапоги за 9 рублей', pin: true });
    const refusal = { error: { error_code: 7, error_msg: 'Permission to perform this action is denied' } };
    await networks.vk.control.addFault({ mode: 'answer', method: 'wall.edit', status: 200, body: refusal });
    const { page } = await open(`/posts/${id}`, { phone: true, language: 'ru', dark: true });
    await page.getByText('закреплён', { exact: true }).first().waitFor();
    await opened.click(page.getByRole('link', { name: 'Изменить', exact: true }));
    await page.getByRole('textbox', { name: 'Текст' }).fill('Сапоги за 99 рублей');
    await page.getByText('Правка дойдёт до 3 из 4 каналов.').waitFor();
    await expectGoodPage();
    await picture('edit-phone');
    await opened.click(page.getByRole('button', { name: /^Сохранить в 3 каналах/ }));
    expect(opened.clicks).toBe(2);
    await waitForVersion(id, 2, ['telegram', 'max']);
    const banner = page.getByRole('region', { name: 'Не изменён в 2 каналах: читатели видят старую версию.' });
    await banner.getByText(refusal.error.error_msg).waitFor();
    await expectGoodPage();
    await picture('edit-phone-refused');
    await opened.click(banner.getByRole('button', { name: 'Попробовать ещё раз' }));
    expect(opened.clicks).toBe(3);
    await waitForVersion(id, 2, ['vk']);
    await page.getByRole('region', { name: 'Не изменён в 1 канале: читатели видят старую версию.' }).waitFor();
    await expectGoodPage();
    await picture('edit-phone-again');

    await manage.post(`/posts/${id}/withdraw`);
    const versions = page.getByRole('region', { name: 'Версии' }).getByRole('listitem');
    await versions.filter({ hasText: /^Отозван/ }).waitFor();
    expect((await versions.allInnerTexts()).filter((text) => /Post[A-Z]/.test(text))).toEqual([]);
  });

  it('is not overwritten where it has changed meanwhile: the current version can be loaded', async () => {
    const id = await publish({ text: 'Open till 8' });
    const { page } = await open(`/posts/${id}`);
    await opened.click(page.getByRole('link', { name: 'Edit', exact: true }));
    const text = page.getByRole('textbox', { name: 'Text' });
    await text.fill('Open till nine');
    await page.getByText('The edit reaches 3 of 4 channels.').waitFor();
    await manage.put(`/posts/${id}/content`, { text: 'Open till 10' });
    await text.fill('Open till nine o’clock');
    const alert = page.getByRole('alert').filter({ hasText: 'This post has changed since you began.' });
    await alert.waitFor();
    await expectGoodPage();
    await picture('edit-outdated');
    await opened.click(alert.getByRole('button', { name: 'Load the current version' }));
    await page.getByText('Edit the published post.').waitFor();
    expect(await text.innerText()).toBe('Open till 10');
    // The browser itself reports the refusal of the outdated edit.
    expect(opened.faults.splice(0)).toEqual([expect.stringContaining('412')]);
  });
});
