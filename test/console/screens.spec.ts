// More than 20 s: a browser visits every screen in each look, and axe reads all of it.
import { MAX_ERRORS } from '../../src/platforms/max/errors.js';
import { E2eHarness } from '../e2e/e2e-harness.js';
import { Random } from '../e2e/random.js';
import { until } from '../e2e/until.js';
import { sampleOf } from '../support/sample.js';
import { findViolations } from './support/axe.js';
import { ConsolePage, describeInChromium, type Look, useBrowser, type Visitor } from './support/console-page.js';
import { HOSTILE, startWorld, type World } from './support/world.js';

/** Combines each theme, device and language with each of the others. */
const LOOKS: Readonly<Record<string, Look>> = {
  'light, English': {},
  'dark, Russian': { dark: true, language: 'ru' },
  'phone, light, Russian': { phone: true, language: 'ru' },
  'phone, dark, English': { phone: true, dark: true },
};

/** Addresses of all screens of an owner, with something on each. */
const screensOf = async ({ manage, channels, projects, endpoints }: World): Promise<readonly string[]> => {
  const publishAt = new Date(Date.now() + 30 * HOUR_MS).toISOString();
  const plan = (text: string) =>
    manage.post(`/endpoints/${endpoints.phone.id}/posts`, { text, publish_at: publishAt, overrides: { vk: { text } } });
  const planned = await plan('Tide table for the day after tomorrow');
  await plan(HOSTILE);
  const { items: posts } = await manage.get('/posts?limit=50');
  const doubtful = posts
    .flatMap(({ publications }: { publications: { id: string; state: string }[] }) => publications)
    .find(({ state }: { state: string }) => state === 'in_doubt');
  const { items: outputs } = await manage.get('/webhook-outputs');
  return [
    ...['/plan', '/plan?view=month', `/posts/${planned.id}`, `/compose?post=${planned.id}`],
    ...['/', '/timeline', '/compose', '/channels', '/channels/new', '/projects', '/projects/new'],
    ...['/endpoints', '/endpoints/new', '/outputs', '/outputs/new', '/requests', '/time', '/more'],
    ...[`/channels/${channels.max}`, `/projects/${projects.everywhere}`, `/endpoints/${endpoints.cms.id}`],
    ...[`/outputs/${outputs[0].id}`, `/posts/${posts.at(-1).id}`, `/publications/${doubtful.id}`],
  ];
};

const HOUR_MS = 3_600_000;
const OPERATOR_SCREENS = ['/', '/plan', '/owners', '/projections', '/time'];

/** What the table says about the error that stops the channel on MAX. */
const WRITE_DENIED = MAX_ERRORS.find(({ code }) => code === 'forbidden')!.advice;

const random = new Random();

describeInChromium(`the screens (choice by seed ${random.seed})`, () => {
  const browser = useBrowser();
  const harness = new E2eHarness();
  let world: World;
  let owner: Visitor;
  let operator: Visitor;
  let screens: readonly string[];
  beforeAll(async () => {
    world = await startWorld(harness);
    owner = { key: world.owner.key, role: 'owner', owner: { id: world.owner.id, name: world.owner.name } };
    operator = { key: world.operatorKey, role: 'operator', owner: null };
    screens = await screensOf(world);
  });
  afterAll(() => harness.stop());

  const visit = async (visitor: Visitor | null, paths: readonly string[], look: Look): Promise<void> => {
    const opened = await ConsolePage.open(browser(), world.gateway.url, visitor, '/', look);
    const faults: unknown[] = [];
    for (const path of paths) {
      await opened.goto(path);
      await opened.settle();
      const violations = await findViolations(opened.page);
      const overflow = await opened.overflow();
      if (violations.length > 0) faults.push({ path, violations });
      if (overflow > 0) faults.push({ path, overflow });
      faults.push(...opened.faults.splice(0).map((fault) => ({ path, fault })));
    }
    await opened.close();
    expect(faults).toEqual([]);
  };

  for (const [name, look] of sampleOf(Object.entries(LOOKS), 1 / 2, random)) {
    it(`of an owner are accessible and without faults (${name})`, () => visit(owner, screens, look));
    it(`of the operator are accessible and without faults (${name})`, () => visit(operator, OPERATOR_SCREENS, look));
    it(`of a visitor are accessible and without faults (${name})`, () => visit(null, ['/'], look));
  }

  // In Russian, whose words are longer.
  it('of an owner fit into the window at 200 and 400 %', async () => {
    const opened = await ConsolePage.open(browser(), world.gateway.url, owner, '/', { language: 'ru' });
    const tooWide: unknown[] = [];
    for (const path of screens) {
      await opened.goto(path);
      await opened.settle();
      for (const zoom of [2, 4]) {
        const overflow = await opened.overflowAt(zoom);
        if (overflow > 0) tooWide.push({ path, zoom, overflow });
      }
    }
    await opened.close();
    expect(tooWide).toEqual([]);
  });

  it.each(['en', 'ru'] as const)(
    "say what a network's error means and what to do, in the language %s",
    async (language) => {
      const path = `/channels/${world.channels.max}`;
      const opened = await ConsolePage.open(browser(), world.gateway.url, owner, path, { language });
      const card = opened.page.getByRole('region', { name: 'MAX' });
      await card.getByText(WRITE_DENIED[language], { exact: true }).waitFor();
      await card.getByText('Bot has no rights to write in chat').waitFor(); // the network's own words stay
      expect(await opened.page.locator('main').innerText()).not.toContain(
        WRITE_DENIED[language === 'en' ? 'ru' : 'en'],
      );
      await opened.goto('/');
      await opened.page.getByText(WRITE_DENIED[language]).first().waitFor();
      expect(opened.faults).toEqual([]);
      await opened.close();
    },
  );

  it('follow a change of the language at once, and keep what was typed', async () => {
    const path = `/endpoints/${world.endpoints.cms.id}`;
    const opened = await ConsolePage.open(browser(), world.gateway.url, owner, path);
    const { page } = opened;
    await page.getByLabel('Name', { exact: true }).fill('Typed in English');
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox').fill('Русский');
    await page.getByRole('option', { name: 'Русский' }).waitFor();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Настройки' }).waitFor();
    await page.getByRole('button', { name: 'Сохранить' }).waitFor();
    await page.getByRole('navigation').getByText('Точки входа').first().waitFor();
    expect(await page.getByLabel('Имя', { exact: true }).inputValue()).toBe('Typed in English');
    expect(opened.faults).toEqual([]);
    await opened.close();
  });

  it('sort a table by a column', async () => {
    const opened = await ConsolePage.open(browser(), world.gateway.url, operator, '/owners');
    const { page } = opened;
    const names = (): Promise<string[]> => page.locator('tbody tr td:first-child').allTextContents();
    const header = page.getByRole('columnheader', { name: 'Name' });
    await header.getByRole('button').click();
    await page.locator('th[aria-sort="ascending"]').waitFor();
    const upwards = await names();
    expect(upwards).toEqual(upwards.toSorted((a, b) => a.localeCompare(b)));
    await header.getByRole('button').click();
    await page.locator('th[aria-sort="descending"]').waitFor();
    expect(await names()).toEqual(upwards.toReversed());
    await opened.close();
  });

  it('show hostile texts as texts', async () => {
    const opened = await ConsolePage.open(browser(), world.gateway.url, owner, '/timeline');
    await opened.page.getByText(HOSTILE.slice(0, 28)).first().waitFor();
    expect(await opened.page.locator('img[src="x"]').count()).toBe(0);
    expect(opened.faults).toEqual([]);
    await opened.close();
  });

  it('can be used with the keyboard alone', async () => {
    const opened = await ConsolePage.open(browser(), world.gateway.url, owner);
    const { page } = opened;
    const { keyboard } = page;
    const heading = (name: RegExp | string) => page.getByRole('heading', { level: 1, name }).waitFor();

    await keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).waitFor();
    await keyboard.press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' }); // keys do nothing behind it

    await Promise.all([keyboard.press('g'), keyboard.press('t')]); // at once: the second key must come soon
    await page.locator('.post-line').first().waitFor();
    await keyboard.press('j');
    await keyboard.press('Enter');
    await page.locator('.post-line[aria-expanded="true"]').waitFor();
    await keyboard.press('Escape');
    await page.locator('.post-line[aria-expanded="true"]').waitFor({ state: 'detached' });

    await keyboard.press('Control+k');
    await page.getByRole('combobox').waitFor();
    await keyboard.type('Harbour Kids');
    await page
      .getByRole('option', { name: /Harbour Kids/ })
      .first()
      .waitFor();
    await keyboard.press('Enter');
    await heading('Harbour Kids');
    await opened.tabTo(page.getByRole('button', { name: /^Pause/ }).first());
    await keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await opened.tabTo(page.getByRole('dialog').getByRole('button', { name: /^Pause for/ }));
    await keyboard.press('Enter');
    await until('the channel is paused', async () => {
      return (await world.manage.get(`/channels/${world.channels.kids}`)).paused_until !== null;
    });

    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await keyboard.press('n');
    await page.waitForURL(/compose/);
    await opened.tabTo(page.getByRole('textbox', { name: /text/i }).first());
    await keyboard.type('Written without a mouse');
    await page
      .getByRole('button', { name: /^Publish to/ })
      .and(page.locator(':enabled'))
      .waitFor();
    await keyboard.press('Control+Enter');
    await until('it is published', async () => {
      const { items } = await world.manage.get('/posts?limit=5');
      return items.some(({ excerpt }: { excerpt: string }) => excerpt === 'Written without a mouse');
    });

    await opened.goto('/time');
    await opened.tabTo(page.getByRole('slider').first());
    await keyboard.press('ArrowLeft');
    await page.getByRole('heading', { name: /As it was at/ }).waitFor();
    await keyboard.press('.');
    await page.getByRole('heading', { name: /As it was at/ }).waitFor({ state: 'detached' });
    expect(opened.faults).toEqual([]);
    await opened.close();
  });

  it('goes through time with the mouse, and compares two moments', async () => {
    const opened = await ConsolePage.open(browser(), world.gateway.url, owner, '/time?span=hour');
    const { mouse, keyboard } = opened.page;
    const moment = opened.page.getByRole('slider', { name: 'Moment' });
    const from = opened.page.getByRole('slider', { name: 'Compare from' });
    await moment.waitFor();
    const box = (await moment.boundingBox())!;
    const point = (part: number): [number, number] => [box.x + part * box.width, box.y + box.height / 2];
    const drag = async (start: number, end: number): Promise<void> => {
      await mouse.move(...point(start));
      await mouse.down();
      await mouse.move(...point(end), { steps: 4 });
      await mouse.up();
    };
    const seePlaces = (...places: readonly number[]): Promise<unknown> =>
      until(`the handles are at ${places.join(' and ')}`, async () => {
        const handles = places.length === 1 ? [moment] : [from, moment];
        const found = await Promise.all(
          handles.map(async (handle) => {
            const [min, max] = await Promise.all([handle.getAttribute('min'), handle.getAttribute('max')]);
            return (Number(await handle.inputValue()) - Number(min)) / (Number(max) - Number(min));
          }),
        );
        return found.every((place, index) => Math.abs(place - places[index]!) < 0.03);
      });

    await mouse.click(...point(0.5));
    await seePlaces(0.5);
    await keyboard.press('c');
    await from.waitFor();
    await drag(0.5, 0.75);
    await seePlaces(0.5, 0.75);
    await drag(0.5, 0.25);
    await seePlaces(0.25, 0.75);
    expect(opened.faults).toEqual([]);
    await opened.close();
  });
});
