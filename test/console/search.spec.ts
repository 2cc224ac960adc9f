// More than 20 s: browsers search, change and download posts, in both languages, on desktop and phone.
import { readFile } from 'node:fs/promises';
import type { Locator } from 'playwright-core';
import { E2eHarness } from '../e2e/e2e-harness.js';
import { until } from '../e2e/until.js';
import { findViolations } from './support/axe.js';
import {
  type ConsolePage,
  describeInChromium,
  type Look,
  useBrowser,
  useOpenedPages,
  type Visitor,
} from './support/console-page.js';
import { startHarbour } from './support/harbour.js';
import type { Management } from './support/management.js';

const WORDS = {
  en: {
    find: 'Find posts…',
    everyone: 'Everyone',
    posts: 'Posts',
    showAll: 'Show all posts',
    several: 'Several at once…',
    pauseSeveral: 'Pause several…',
    cancel: 'Cancel',
    amount: 'How far',
    cancelThree: 'Cancel 3 posts',
    moveThree: 'Move 3 posts',
    pauseFour: 'Pause 4 channels',
    allThree: 'Done: all 3.',
    allFour: 'Done: all 4.',
    none: 'Done: 0 of 3.',
    retry: 'Try the others again',
    close: 'Close',
    csv: 'Download as CSV',
    whole: /rows: the whole list\.$/,
    header: 'Accepted,Text,Network,Channel,State,Planned for',
    state: 'Planned',
    history: 'Time,What happened,Who,',
    people: 'Name,May,Endpoints,',
    may: 'approve posts',
  },
  ru: {
    find: 'Найти посты…',
    everyone: 'Все люди',
    posts: 'Посты',
    showAll: 'Показать все посты',
    several: 'Сразу несколько…',
    pauseSeveral: 'Приостановить несколько…',
    cancel: 'Отменить',
    amount: 'На сколько',
    cancelThree: 'Отменить 3 поста',
    moveThree: 'Перенести 3 поста',
    pauseFour: 'Приостановить 4 канала',
    allThree: 'Готово: все 3.',
    allFour: 'Готово: все 4.',
    none: 'Готово: 0 из 3.',
    retry: 'Повторить для остальных',
    close: 'Закрыть',
    csv: 'Скачать CSV',
    whole: /Это весь список\.$/,
    header: 'Принят;Текст;Сеть;Канал;Состояние;Запланирован на',
    state: 'Запланирован',
    history: 'Время;Что произошло;Кто;',
    people: 'Название;Что можно;Точки входа;',
    may: 'одобрять посты',
  },
} as const;

const LOOKS: readonly Look[] = [{ language: 'en' }, { language: 'ru', phone: true }];
const DAY = 86_400_000;
const HELD = 12;

describeInChromium('a search for posts', () => {
  const browser = useBrowser();
  const harness = new E2eHarness();
  let url: string;
  let manage: Management;
  let visitor: Visitor;
  let endpointId: string;
  beforeAll(async () => {
    ({ url, manage, visitor, endpointId } = await startHarbour(harness));
  });
  afterAll(() => harness.stop());

  const openPage = useOpenedPages(/status of 422/);
  const open = (path: string, look: Look): Promise<ConsolePage> => openPage(browser(), url, visitor, path, look);
  const plan = async (...texts: readonly string[]): Promise<string[]> => {
    const ids: string[] = [];
    for (const text of texts) {
      const body = { text, publish_at: new Date(Date.now() + DAY).toISOString() };
      ids.push((await manage.post(`/endpoints/${endpointId}/posts`, body)).id as string);
    }
    return ids;
  };
  const statesOf = async (word: string): Promise<string[]> =>
    (await manage.get(`/posts?limit=200&text=${word}`)).items.map(
      ({ publications }: { publications: readonly { state: string }[] }) => publications[0]!.state,
    );
  const isGood = async (opened: ConsolePage): Promise<void> => {
    expect(await findViolations(opened.page)).toEqual([]);
    expect(await opened.overflow()).toBe(0);
  };
  /** Clicks a button that downloads a file, and returns its text. */
  const download = async ({ page }: ConsolePage, button: Locator): Promise<string> => {
    const [file] = await Promise.all([page.waitForEvent('download'), button.click()]);
    return readFile(await file.path(), 'utf8');
  };

  describe.each(LOOKS)('in %j', (look) => {
    const words = WORDS[look.language!];
    const tag = look.language === 'ru' ? 'яхты' : 'yachts';
    const rows = ({ page }: ConsolePage) => page.getByRole('list', { name: words.posts }).locator('[data-post]');

    it('shows what has the words, what a program posted, and all again', async () => {
      await plan(`Regatta of ${tag}`, `Ferry to the lighthouse ${tag}`);
      const opened = await open('/timeline', look);
      await opened.page.getByRole('searchbox', { name: words.find }).fill(`${tag} light`);
      await until('only the ferry is listed', async () => {
        const texts = await rows(opened).allInnerTexts();
        return texts.length === 1 && texts[0]!.includes('Ferry');
      });
      expect(new URL(opened.page.url()).searchParams.get('find')).toContain('light');
      await isGood(opened);

      await opened.click(opened.page.getByRole('button', { name: words.everyone }));
      await opened.page.getByRole('menuitemcheckbox', { name: 'Harbour', exact: true }).waitFor();
      await opened.click(opened.page.getByRole('menuitemcheckbox', { name: 'CMS', exact: true }));
      await opened.page.getByRole('button', { name: words.showAll }).waitFor();
      expect(opened.clicks).toBe(2);
      await isGood(opened);
      await opened.page.getByRole('button', { name: words.showAll }).click();
      await until('all posts are listed', async () => (await rows(opened).count()) > 1);
      expect(await opened.page.getByRole('searchbox', { name: words.find }).inputValue()).toBe('');
    });

    it('cancels all that it found: three clicks', async () => {
      const name = `buoy${tag}`;
      await plan(`${name} 1`, `${name} 2`, `${name} 3`);
      const opened = await open(`/timeline?find=${name}`, look);
      await opened.click(opened.page.getByRole('button', { name: words.several }));
      const dialog = opened.page.getByRole('dialog');
      await opened.click(dialog.getByRole('button', { name: words.cancel, exact: true }));
      await dialog.getByText(`${name} 3`).waitFor();
      await isGood(opened);
      await opened.click(dialog.getByRole('button', { name: words.cancelThree }));
      expect(opened.clicks).toBe(3);
      await dialog.getByText(words.allThree).waitFor();
      await isGood(opened);
      expect(await statesOf(name)).toEqual(['dismissed', 'dismissed', 'dismissed']);
      await dialog.getByRole('button', { name: words.close, exact: true }).click();
      await dialog.waitFor({ state: 'detached' });
    });

    it('says why each post was not moved, and tries again', async () => {
      const name = `pier${tag}`;
      const ids = await plan(`${name} 1`, `${name} 2`, `${name} 3`);
      const before = await Promise.all(ids.map(async (id) => (await manage.get(`/posts/${id}`)).publish_at as string));
      const opened = await open(`/timeline?find=${name}`, look);
      await opened.page.getByRole('button', { name: words.several }).click();
      const dialog = opened.page.getByRole('dialog');
      // More than the year that the gateway accepts.
      await dialog.getByLabel(words.amount).fill('9999');
      await dialog.getByRole('button', { name: words.moveThree }).click();
      await dialog.getByText(words.none).waitFor();
      expect(await dialog.locator('.bulk-row .tone-fail small, .bulk-row small.tone-fail').count()).toBe(3);
      await isGood(opened);
      await dialog.getByRole('button', { name: words.retry }).click();
      await dialog.getByText(words.none).waitFor();
      await opened.page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });

      await opened.page.getByRole('button', { name: words.several }).click();
      await dialog.getByLabel(words.amount).fill('1,5');
      await dialog.getByRole('button', { name: words.moveThree }).click();
      await dialog.getByText(words.allThree).waitFor();
      const after = await Promise.all(ids.map(async (id) => (await manage.get(`/posts/${id}`)).publish_at as string));
      expect(after.map((at, i) => Date.parse(at) - Date.parse(before[i]!))).toEqual([5_400_000, 5_400_000, 5_400_000]);
    });

    it('begins nothing more once the dialog is closed', async () => {
      const name = `hull${tag}`;
      await plan(...Array.from({ length: HELD }, (_, n) => `${name} ${n}`));
      const opened = await open(`/timeline?find=${name}`, look);
      // Holds the calls until the dialog is gone, so that the four that are under way are known.
      let release = (): void => undefined;
      const gone = new Promise<void>((resolve) => (release = resolve));
      let held = 0;
      await opened.page.route('**/posts/*/cancel', async (route) => {
        held++;
        await gone;
        await route.continue();
      });
      await opened.page.getByRole('button', { name: words.several }).click();
      const dialog = opened.page.getByRole('dialog');
      await dialog.getByRole('button', { name: words.cancel, exact: true }).click();
      await dialog.getByRole('button', { name: new RegExp(` ${HELD} `) }).click();
      await until('four calls are under way', () => Promise.resolve(held === 4));
      await opened.page.keyboard.press('Escape');
      await dialog.waitFor({ state: 'detached' });
      release();
      await opened.page.getByText(new RegExp(`4 (of|из) ${HELD}`)).waitFor();
      expect(held).toBe(4);
      expect((await statesOf(name)).filter((state) => state === 'dismissed')).toHaveLength(4);
    });

    it('pauses several channels: two clicks', async () => {
      const opened = await open('/channels', look);
      await opened.click(opened.page.getByRole('button', { name: words.pauseSeveral }));
      const dialog = opened.page.getByRole('dialog');
      await isGood(opened);
      await opened.click(dialog.getByRole('button', { name: words.pauseFour }));
      expect(opened.clicks).toBe(2);
      await dialog.getByText(words.allFour).waitFor();
      await isGood(opened);
      const { items } = await manage.get('/channels');
      expect(items.every((each: { paused_until: string | null }) => each.paused_until !== null)).toBe(true);
      for (const { id } of items) await manage.post(`/channels/${id}/resume`);
    });

    it('downloads posts, the history and people for spreadsheets, all pages of them', async () => {
      const name = `crate${tag}`;
      // A page has 200 posts.
      const count = look.phone ? 30 : 210;
      await plan(`=1+1 ${name}`, ...Array.from({ length: count }, (_, n) => `${name} ${n}`));
      const opened = await open(`/timeline?find=${name}`, look);
      const posts = await download(opened, opened.page.getByRole('button', { name: words.csv }));
      await opened.page.getByText(words.whole).waitFor();
      expect(posts.startsWith(`\ufeff${words.header}`)).toBe(true);
      const lines = posts.split('\r\n');
      expect(lines).toHaveLength(1 + (count + 1) * 4 + 1);
      expect(posts).toContain(`'=1+1 ${name}`);
      expect(posts).toContain('Harbour News');
      expect(lines.slice(1, -1).every((line) => line.includes(words.state))).toBe(true);

      await opened.goto('/time');
      const history = await download(opened, opened.page.getByRole('button', { name: words.csv }));
      expect(history.startsWith(`\ufeff${words.history}`)).toBe(true);
      expect(history.split('\r\n').length).toBeGreaterThan(count);
      await isGood(opened);

      const { id } = await manage.post('/keys', { name: '=HYPERLINK("http://example.com")', scopes: ['approve'] });
      await opened.goto('/people');
      await opened.page.getByText('=HYPERLINK').waitFor();
      const people = await download(opened, opened.page.getByRole('button', { name: words.csv }));
      expect(people.startsWith(`\ufeff${words.people}`)).toBe(true);
      expect(people).toContain(`"'=HYPERLINK(""http://example.com"")"`);
      expect(people).toContain(words.may);
      await isGood(opened);
      await manage.delete(`/keys/${id}`);
    });
  });
});
