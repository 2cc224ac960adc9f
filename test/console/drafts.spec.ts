// More than 20 s: browsers write, share and publish drafts, in both languages, on desktop and phone.
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
    drafts: /^Drafts \d+$/,
    saved: 'Draft saved',
    theirs: 'Show the other version',
    mine: 'Keep mine',
    again: 'Use again',
    publish: /^Publish to \d+ channels?/,
    choose: /of 62 channels…$/,
    none: 'None',
    done: 'Done',
    find: 'Find a channel…',
  },
  ru: {
    drafts: /^Черновики \d+$/,
    saved: 'Черновик сохранён',
    theirs: 'Показать другой вариант',
    mine: 'Оставить мой',
    again: 'Использовать снова',
    publish: /^Опубликовать в \d+ канал/,
    choose: /из 62…$/,
    none: 'Ни одного',
    done: 'Готово',
    find: 'Найти канал…',
  },
} as const;

/** An element of the editor. */
interface Shown {
  readonly className: string;
  readonly textContent: string;
  readonly children: Iterable<Shown>;
}

const LOOKS: readonly Look[] = [{ language: 'en' }, { language: 'ru', phone: true }];

describeInChromium('drafts', () => {
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
  const openPage = useOpenedPages(/status of 412/);
  afterEach(async () => {
    for (const { id } of (await manage.get('/drafts')).items) await manage.delete(`/drafts/${id}`);
  });

  /** Opens the console in a browser of its own, as on another device. */
  const open = (path: string, look: Look): Promise<ConsolePage> => openPage(browser(), url, visitor, path, look);
  const editorOf = ({ page }: ConsolePage) => page.locator('.editor');
  const write = async (opened: ConsolePage, text: string): Promise<void> => {
    await editorOf(opened).click();
    await opened.page.keyboard.insertText(text);
  };
  const waitForText = (opened: ConsolePage, text: string): Promise<unknown> =>
    until(`the editor shows "${text}"`, async () => (await editorOf(opened).innerText()).includes(text));
  const expectGoodPage = async (opened: ConsolePage): Promise<void> => {
    expect(await findViolations(opened.page)).toEqual([]);
    expect(await opened.overflow()).toBe(0);
  };
  const titles = async (): Promise<string[]> =>
    (await manage.get('/drafts')).items.map(({ title }: { title: string }) => title);

  describe.each(LOOKS)('in %j', (look) => {
    const words = WORDS[look.language!];

    it('are saved by themselves, opened on another device with two clicks, and gone once they are published', async () => {
      const first = await open('/compose', look);
      await write(first, 'Tide table for Sunday');
      await first.page.getByText(words.saved).waitFor();
      expect(await titles()).toEqual(['Tide table for Sunday']);

      const second = await open('/compose', look);
      await second.click(second.page.getByRole('button', { name: words.drafts }));
      await second.page.getByRole('dialog').getByText('Tide table for Sunday').waitFor();
      await expectGoodPage(second);
      await second.click(second.page.getByRole('dialog').getByRole('button', { name: /^Tide table for Sunday/ }));
      expect(second.clicks).toBe(2);
      await waitForText(second, 'Tide table for Sunday');
      await expectGoodPage(second);
      await second.page.getByRole('button', { name: words.publish }).click();
      await until('the draft is gone', async () => (await titles()).length === 0);
    });

    it('survive a crash of the tab', async () => {
      const first = await open('/compose', look);
      await write(first, 'Storm warning');
      await first.page.getByText(words.saved).waitFor();
      await first.close();
      const again = await open('/compose', look);
      await again.page.getByRole('button', { name: words.drafts }).click();
      await again.page
        .getByRole('dialog')
        .getByRole('button', { name: /^Storm warning/ })
        .click();
      await waitForText(again, 'Storm warning');
    });

    it('of two people are not overwritten: the second is asked', async () => {
      const first = await open('/compose', look);
      await write(first, 'Regatta');
      await first.page.getByText(words.saved).waitFor();
      const second = await open('/compose', look);
      await second.page.getByRole('button', { name: words.drafts }).click();
      await second.page
        .getByRole('dialog')
        .getByRole('button', { name: /^Regatta/ })
        .click();
      await waitForText(second, 'Regatta');
      await write(second, ' at noon');
      await until('the second version is kept', async () => (await titles()).includes('Regatta at noon'));

      await write(first, ' at dawn');
      await first.page.getByRole('button', { name: words.theirs }).waitFor();
      await expectGoodPage(first);
      expect(await titles()).toEqual(['Regatta at noon']);
      await first.page.getByRole('button', { name: words.theirs }).click();
      await waitForText(first, 'Regatta at noon');

      await write(second, ' and one');
      await until('it is kept', async () => (await titles())[0]?.includes('and one') ?? false);
      await write(first, ' and two');
      await first.page.getByRole('button', { name: words.mine }).click();
      await until('the own version is kept', async () => (await titles())[0]?.includes('and two') ?? false);
    });

    it('begin with the content of a post that was cancelled: two clicks from the timeline', async () => {
      const text = `Harbour day ${look.language}`;
      const entities = [{ type: 'bold', offset: 0, length: 7 }];
      const at = new Date(Date.now() + 86_400_000).toISOString();
      const { id } = await manage.post(`/endpoints/${endpointId}/posts`, {
        text,
        entities,
        publish_at: at,
        silent: true,
      });
      await manage.post(`/posts/${id}/cancel`);
      const opened = await open('/timeline', look);
      await opened.click(
        opened.page
          .getByRole('list', { name: /Posts|Посты/ })
          .getByText(text)
          .first(),
      );
      await opened.click(opened.page.getByRole('link', { name: words.again }));
      await waitForText(opened, text);
      expect(opened.clicks).toBe(2);
      expect(await opened.page.locator('.editor .mark-bold').innerText()).toBe('Harbour');
      expect(new URL(opened.page.url()).search).toBe('');
      await opened.page.getByRole('button', { name: words.publish }).click();
      await until('the post is accepted again', async () => {
        const { items } = await manage.get('/posts?limit=5');
        return items.filter(({ excerpt }: { excerpt: string }) => excerpt === text).length === 2;
      });
    });
  });

  it('keep the formatting of what is pasted', async () => {
    const opened = await open('/compose', {});
    const { page } = opened;
    await page.context().grantPermissions(['clipboard-read', 'clipboard-write'], { origin: url });
    const paste = async (html: string, plain: string): Promise<string> => {
      await page.evaluate(
        async ([rich, text]) => {
          const { navigator, ClipboardItem, Blob } = globalThis as unknown as {
            navigator: { clipboard: { write(items: readonly object[]): Promise<void> } };
            ClipboardItem: new (item: object) => object;
            Blob: new (parts: readonly string[], options: object) => object;
          };
          const item = {
            'text/html': new Blob([rich], { type: 'text/html' }),
            'text/plain': new Blob([text], { type: 'text/plain' }),
          };
          await navigator.clipboard.write([new ClipboardItem(item)]);
        },
        [html, plain] as const,
      );
      // Chromium checks what is copied, also its styles, which the page's policy refuses.
      opened.faults.splice(0);
      await editorOf(opened).click();
      await page.keyboard.press('Control+A');
      await page.keyboard.press('Backspace');
      await page.keyboard.press('Control+V');
      return editorOf(opened).evaluate((root) =>
        [...(root as unknown as Shown).children]
          .map((line) => {
            const runs = [...line.children].map(({ className, textContent }) =>
              className ? `[${className.replaceAll('mark-', '')}:${textContent}]` : textContent,
            );
            return `${line.className ? '> ' : ''}${runs.join('')}`;
          })
          .join('\n'),
      );
    };
    expect(
      await paste(
        '<meta charset="utf-8"><h2>Tides</h2><p>High <b>at <i>noon</i></b>, see <a href="https://example.com/t">the table</a>.<br>Low <s>six</s> <u>seven</u></p><blockquote><p>Bring a coat</p></blockquote><ul><li>one</li><li>two <code>x = 1</code></li></ul><script>alert(1)</script>',
        'plain',
      ),
    ).toBe(
      '[bold:Tides]\n\nHigh [bold:at ][bold italic:noon], see [link:the table].\nLow [strikethrough:six] [underline:seven]\n\n> Bring a coat\n\n• one\n• two [code:x = 1]',
    );
    // Google Docs: everything is in an element that is bold but says that it is not.
    expect(
      await paste(
        '<b style="font-weight:normal" id="docs-internal-guid-1"><p dir="ltr"><span style="font-weight:700">Bold</span><span style="font-weight:400"> and </span><span style="font-style:italic;font-weight:400">slanted</span></p></b>',
        'plain',
      ),
    ).toBe('[bold:Bold] and [italic:slanted]');
    // Word.
    expect(
      await paste(
        '<html xmlns:o="urn:schemas-microsoft-com:office:office"><head><style>p{}</style></head><body><!--StartFragment--><p class=MsoNormal>Dear <b style="mso-bidi-font-weight:normal">reader</b><o:p></o:p></p><p class=MsoNormal>Next</p><!--EndFragment--></body></html>',
        'plain',
      ),
    ).toBe('Dear [bold:reader]\n\nNext');
    // Telegram.
    expect(
      await paste('<strong>Bold</strong> <em>slanted</em><br><tg-spoiler>who</tg-spoiler> <pre>a\n  b</pre>', 'plain'),
    ).toBe('[bold:Bold] [italic:slanted]\n[spoiler:who]\n\n[code:a]\n[code:  b]');
    // A code editor's colours are no formatting.
    expect(
      await paste('<div style="font-family: Menlo, monospace;white-space: pre;"><b>let</b> x</div>', 'let x'),
    ).toBe('let x');
  });

  describe('with sixty channels of a network', () => {
    beforeAll(async () => {
      const connect = (n: number): Promise<{ id: string }> =>
        manage.post('/channels', {
          platform: 'telegram',
          name: `Pier ${n}`,
          credentials: { bot_token: '7000000001:DemoDemoDemoDemoDemoDemoDemoDemoDem', chat_id: `@pier_${n}` },
        });
      const ids: string[] = [];
      for (let n = 1; n <= 58; n++) ids.push((await connect(n)).id);
      const { items } = await manage.get('/channels?limit=200');
      const all = items.map(({ id }: { id: string }) => id);
      const project = await manage.post('/projects', { name: 'All piers', channel_ids: all });
      await manage.post('/endpoints', { name: 'Piers', project_ids: [project.id], mode: 'live', min_interval: 0 });
    });

    it.each(LOOKS)('one of them is chosen: %j', async (look) => {
      const words = WORDS[look.language!];
      const endpoint = (await manage.get('/endpoints')).items.find(({ name }: { name: string }) => name === 'Piers');
      const opened = await open(`/compose?endpoint=${endpoint.id}`, look);
      const { page } = opened;
      await opened.click(page.getByRole('button', { name: words.choose }));
      await opened.click(page.getByRole('button', { name: words.none }));
      await page.getByRole('searchbox', { name: words.find }).fill('Pier 42');
      await opened.click(page.getByRole('checkbox', { name: /Pier 42/ }));
      await expectGoodPage(opened);
      await opened.click(page.getByRole('button', { name: words.done }));
      await write(opened, 'Only here');
      await page.getByRole('button', { name: words.publish }).waitFor();
      expect(opened.clicks).toBe(4);
    });
  });
});
