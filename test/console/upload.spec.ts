// More than 20 s: a browser uploads files on two devices in two languages.
import type { Route } from 'playwright-core';
import { E2eHarness } from '../e2e/e2e-harness.js';
import { until } from '../e2e/until.js';
import { png } from '../media/make-images.js';
import { findViolations } from './support/axe.js';
import { ConsolePage, describeInChromium, type Look, useBrowser, type Visitor } from './support/console-page.js';
import { startHarbour } from './support/harbour.js';
import type { Management } from './support/management.js';

/** A photo from the disk, into a post: one click. */
describeInChromium('a photo from the disk', () => {
  const browser = useBrowser();
  const harness = new E2eHarness();
  let url: string;
  let manage: Management;
  let visitor: Visitor;
  let opened: ConsolePage;
  beforeAll(async () => {
    ({ url, manage, visitor } = await startHarbour(harness));
  });
  afterAll(() => harness.stop());
  afterEach(async () => {
    await opened.close();
  });

  const WORDS = {
    en: { choose: /^Photo, video or audio/, publish: /^Publish to/, retry: 'Try again', broke: /connection broke/ },
    ru: { choose: /^Фото, видео или аудио/, publish: /^Опубликовать/, retry: 'Повторить', broke: /связь прервалась/ },
  };
  const photo = (name: string, width: number) => ({ name, mimeType: 'image/png', buffer: png(width, 40) });
  const open = async (look: Look, path = '/compose'): Promise<ConsolePage> => {
    opened = await ConsolePage.open(browser(), url, visitor, path, look);
    return opened;
  };
  /** Writes a text, and chooses files with one click. */
  const choose = async (text: string, language: 'en' | 'ru', files: ReturnType<typeof photo>[]): Promise<void> => {
    const { page } = opened;
    await page.getByRole('textbox').first().click();
    await page.keyboard.type(text);
    const before = opened.clicks;
    const chooser = page.waitForEvent('filechooser');
    await opened.click(page.getByRole('button', { name: WORDS[language].choose }));
    expect(opened.clicks - before).toBe(1);
    await (await chooser).setFiles(files);
  };
  const findPost = (text: string) =>
    until(`"${text}" is published`, async () => {
      const { items } = await manage.get('/posts?limit=20');
      return (items as { id: string; excerpt: string }[]).find(({ excerpt }) => excerpt === text) ?? false;
    });
  const picture = async (name: string): Promise<void> => {
    const directory = process.env.PICTURES;
    if (directory !== undefined)
      await opened.page.screenshot({ path: `${directory}/upload-${name}.png`, fullPage: true });
  };

  it.each<[string, 'en' | 'ru', Look]>([
    ['on a desktop in English', 'en', {}],
    ['on a phone in Russian', 'ru', { phone: true, language: 'ru', dark: true }],
  ])('is published %s, two at once', async (name, language, look) => {
    const text = `Harbour lights ${name}`;
    const { page } = await open(look);
    // The same content would have the name under which it was uploaded first.
    const width = language === 'en' ? 60 : 62;
    await choose(text, language, [photo(`dusk ${name}.png`, width), photo(`dawn ${name}.png`, width + 1)]);
    await page.locator('.medium-tile .thumbnail').nth(1).waitFor();
    await page.getByText(`dusk ${name}.png`).first().waitFor();
    await picture(language);
    expect(await findViolations(page)).toEqual([]);
    expect(await opened.overflow()).toBe(0);
    await opened.click(page.getByRole('button', { name: WORDS[language].publish }));
    const { id } = await findPost(text);
    const { payload } = await manage.get(`/posts/${id}`);
    expect(payload).toMatchObject({ media: [{ type: 'photo' }, { type: 'photo' }] });
    expect(opened.faults).toEqual([]);
  });

  it.each(['en', 'ru'] as const)('that does not arrive can be sent again with one click (%s)', async (language) => {
    const { page } = await open({ language });
    const cut = (route: Route) => route.abort('connectionreset');
    await page.route('**/manage/v1/media**', cut);
    await choose('Broken line', language, [photo(`broken ${language}.png`, language === 'en' ? 70 : 71)]);
    const alert = page.getByRole('alert').filter({ hasText: WORDS[language].broke });
    await alert.waitFor();
    await picture(`broken-${language}`);
    expect(await findViolations(page)).toEqual([]);
    await page.unroute('**/manage/v1/media**', cut);
    await opened.click(alert.getByRole('button', { name: WORDS[language].retry }));
    await page.locator('.medium-tile .thumbnail').first().waitFor();
  });

  it('is dropped on the post, or pasted', async () => {
    const { page } = await open({});
    await page.getByRole('textbox').first().click();
    for (const [kind, width] of [
      ['drop', 80],
      ['paste', 81],
    ] as const) {
      const base64 = png(width, 40).toString('base64');
      await page
        .getByRole('textbox')
        .first()
        .evaluate(
          (element, { type, data, name }) => {
            const { DataTransfer, File, DragEvent, ClipboardEvent, Uint8Array, atob } =
              globalThis as never as BrowserGlobals;
            const transfer = new DataTransfer();
            transfer.items.add(
              new File([Uint8Array.from(atob(data), (each) => each.charCodeAt(0))], name, { type: 'image/png' }),
            );
            const options = { bubbles: true, cancelable: true };
            const target = element as unknown as { dispatchEvent(event: unknown): void };
            if (type === 'drop') {
              target.dispatchEvent(new DragEvent('dragover', { ...options, dataTransfer: transfer }));
              target.dispatchEvent(new DragEvent('drop', { ...options, dataTransfer: transfer }));
            } else target.dispatchEvent(new ClipboardEvent('paste', { ...options, clipboardData: transfer }));
          },
          { type: kind, data: base64, name: `${kind}.png` },
        );
      await page.getByText(`${kind}.png`).first().waitFor();
    }
    await page.locator('.medium-tile .thumbnail').nth(1).waitFor();
    expect(opened.faults).toEqual([]);
  });
});

interface BrowserGlobals {
  readonly DataTransfer: new () => { readonly items: { add(file: unknown): void } };
  readonly File: new (parts: unknown[], name: string, options: object) => unknown;
  readonly DragEvent: new (type: string, options: object) => unknown;
  readonly ClipboardEvent: new (type: string, options: object) => unknown;
  readonly Uint8Array: typeof Uint8Array;
  readonly atob: (data: string) => string;
}
