import { existsSync } from 'node:fs';
import { type Browser, type BrowserContextOptions, chromium, type Locator, type Page } from 'playwright-core';
import { until } from '../../e2e/until.js';
import { CHROMIUM, CHROMIUM_ARGUMENTS } from '../../support/chromium.js';

/** `describe` where Chromium is installed, else `describe.skip`: the tests are then skipped by name. */
export const describeInChromium = (title: string, run: () => void): void =>
  (existsSync(CHROMIUM) ? describe : describe.skip)(title, run);

/** The person at the console. */
export interface Visitor {
  readonly key: string;
  readonly role: 'owner' | 'operator';
  readonly owner: { readonly id: string; readonly name: string } | null;
}

/** Appearance of the page: theme, device, language and time zone. */
export interface Look {
  readonly dark?: boolean;
  readonly phone?: boolean;
  readonly language?: 'en' | 'ru';
  /** Time zone; Moscow if absent. */
  readonly zone?: string;
}

const DESKTOP = { width: 1280, height: 860 };
const PHONE = { width: 390, height: 844 };
/** Longest wait for a page on a busy machine, in ms. */
const WAIT_MS = 240_000;
/** Time for a page to adapt to another window size on a busy machine, in ms. */
const RESIZE_MS = 60_000;

/** Maximum number of Tab presses to reach an element from the beginning of a page. */
const MAX_TABS = 150;

/** Exchanges a visitor's key for the cookie that the console uses, null if the gateway refuses the key, and reads what it may do. */
const signIn = async (url: string, { key }: Visitor) => {
  const headers = { authorization: `Bearer ${key}` };
  const answer = await fetch(`${url}/manage/v1/sessions`, { method: 'POST', headers });
  const me = (await (await fetch(`${url}/manage/v1/me`, { headers })).json()) as { readonly key?: object | null };
  const [name, value] = (answer.headers.getSetCookie()[0] ?? '').split(';')[0]!.split('=');
  const { brand = 'service' } = (await answer.json()) as { readonly brand?: string };
  return { cookie: name && value ? { name, value } : null, brand, rights: me.key ?? null };
};

/** Starts Chromium. */
export const startBrowser = (): Promise<Browser> =>
  chromium.launch({ executablePath: CHROMIUM, args: CHROMIUM_ARGUMENTS });

/** Starts a browser for the tests of a `describe`. */
export const useBrowser = (): (() => Browser) => {
  let browser: Browser | undefined;
  beforeAll(async () => {
    browser = await startBrowser();
  });
  afterAll(() => browser?.close());
  return () => browser!;
};

/**
 * Returns a function that opens pages of the console. They are closed after each test, and must be without faults.
 * @param expected faults that the tests cause, such as a refusal, which a browser reports as a failed request
 */
export const useOpenedPages = (expected: RegExp): typeof ConsolePage.open => {
  const pages: ConsolePage[] = [];
  afterEach(async () => {
    const opened = pages.splice(0);
    for (const page of opened) await page.close();
    expect(opened.flatMap(({ faults }) => faults.filter((fault) => !expected.test(fault)))).toEqual([]);
  });
  return async (...of) => {
    const opened = await ConsolePage.open(...of);
    pages.push(opened);
    return opened;
  };
};

/**
 * A page of the console. It counts clicks, and records everything that a correct page does not do: console messages,
 * errors, violations of the page's policy, and requests to other hosts.
 */
export class ConsolePage {
  /** Clicks so far, of the mouse or a finger. Keys are not clicks. */
  clicks = 0;
  /** Faults that a page must not have. */
  readonly faults: string[] = [];

  private constructor(
    readonly page: Page,
    private readonly url: string,
  ) {}

  /** Opens a page, signed in as a visitor, or not signed in if null. */
  static async open(
    browser: Browser,
    url: string,
    visitor: Visitor | null,
    path = '/',
    { dark = false, phone = false, language = 'en', zone = 'Europe/Moscow' }: Look = {},
  ): Promise<ConsolePage> {
    const options: BrowserContextOptions = {
      viewport: phone ? PHONE : DESKTOP,
      hasTouch: phone,
      colorScheme: dark ? 'dark' : 'light',
      locale: language === 'ru' ? 'ru-RU' : 'en-GB',
      timezoneId: zone,
    };
    const context = await browser.newContext(options);
    context.setDefaultTimeout(WAIT_MS);
    const page = await context.newPage();
    const opened = new ConsolePage(page, url);
    opened.watch();
    if (visitor) {
      const { cookie, brand, rights } = await signIn(url, visitor);
      const { hostname: domain } = new URL(url);
      if (cookie)
        await context.addCookies([{ ...cookie, domain, path: '/manage', httpOnly: true, sameSite: 'Strict' }]);
      await page.addInitScript(
        (session) => {
          const { sessionStorage } = globalThis as unknown as { sessionStorage: Record<string, string> };
          sessionStorage['crosspost.session'] ??= session;
        },
        JSON.stringify({ brand, role: visitor.role, owner: visitor.owner, key: rights }),
      );
    }
    await opened.goto(path);
    return opened;
  }

  /** Opens another address of the console. */
  async goto(path: string): Promise<void> {
    await this.page.goto(`${this.url}/console${path}`);
    await this.page.getByRole('heading', { level: 1 }).waitFor();
  }

  /** Clicks, and counts it. */
  async click(target: Locator): Promise<void> {
    this.clicks++;
    await target.click();
  }

  /** Moves the focus with the Tab key until it is on an element. */
  async tabTo(target: Locator): Promise<void> {
    await target.waitFor();
    for (let presses = 0; presses < MAX_TABS; presses++) {
      if (await target.evaluate((element) => element === element.ownerDocument.activeElement)) return;
      await this.page.keyboard.press('Tab');
    }
    throw new Error(`the Tab key does not lead to ${target.toString()}`);
  }

  /** Waits until nothing on the page is loading. */
  async settle(): Promise<void> {
    await this.page.waitForFunction(() => {
      const { document } = globalThis as unknown as { document: { querySelector(selector: string): unknown } };
      return document.querySelector('[aria-busy="true"]') === null;
    });
  }

  /** Returns by how many pixels the page is wider than its window. */
  overflow(): Promise<number> {
    return this.page.evaluate(() => {
      const { document, innerWidth } = globalThis as unknown as {
        document: { documentElement: { scrollWidth: number } };
        innerWidth: number;
      };
      return Math.max(0, document.documentElement.scrollWidth - innerWidth);
    });
  }

  /** Returns the same for a large window at a zoom level; at 200 %, a page is half as many pixels wide. */
  async overflowAt(zoom: number): Promise<number> {
    const before = this.page.viewportSize()!;
    await this.page.setViewportSize({ width: DESKTOP.width / zoom, height: DESKTOP.height / zoom });
    const fits = until('the page fits', async () => (await this.overflow()) === 0, RESIZE_MS);
    const overflow = await fits.then(
      () => 0,
      () => this.overflow(),
    );
    await this.page.setViewportSize(before);
    return overflow;
  }

  async close(): Promise<void> {
    await this.page.context().close();
  }

  private watch(): void {
    const { page, url } = this;
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning')
        this.faults.push(`console: ${message.text()} ${message.location().url}`);
    });
    page.on('pageerror', (error) => this.faults.push(`error: ${error.message}`));
    page.on('request', (request) => {
      const { origin, protocol } = new URL(request.url());
      if (origin !== new URL(url).origin && protocol !== 'data:' && protocol !== 'blob:')
        this.faults.push(`request to another host: ${request.url()}`);
    });
  }
}
