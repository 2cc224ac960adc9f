// More than 20 s: a browser does ten tasks, one after the other.
import { E2eHarness } from '../e2e/e2e-harness.js';
import { until } from '../e2e/until.js';
import { ConsolePage, describeInChromium, useBrowser, type Visitor } from './support/console-page.js';
import { DOUBTFUL, HELD, startWorld, type World } from './support/world.js';

/** The ten tasks of the console's design, each started from the overview, with its maximum number of clicks. */
describeInChromium('the ten tasks', () => {
  const browser = useBrowser();
  const harness = new E2eHarness();
  let world: World;
  let owner: Visitor;
  let opened: ConsolePage;
  beforeAll(async () => {
    world = await startWorld(harness);
    owner = { key: world.owner.key, role: 'owner', owner: { id: world.owner.id, name: world.owner.name } };
  });
  afterAll(() => harness.stop());
  afterEach(async () => {
    expect(opened.faults).toEqual([]);
    await opened.close();
  });

  /** Opens the overview, where every task begins. */
  const begin = async (visitor: Visitor = owner): Promise<ConsolePage> => {
    opened = await ConsolePage.open(browser(), world.gateway.url, visitor);
    await opened.page.getByRole('heading', { level: 1, name: /attention|published/ }).waitFor();
    return opened;
  };
  const navigation = ({ page }: ConsolePage, name: string) =>
    page.getByRole('navigation', { name: 'Screens' }).first().getByRole('link', { name });
  const stateOf = async (text: string, platform: string): Promise<string> => {
    const { items } = await world.manage.get('/posts?limit=50');
    const post = items.find(({ excerpt }: { excerpt: string }) => excerpt === text);
    return post.publications.find((each: { platform: string }) => each.platform === platform).state;
  };

  it('1: is everything being published? No click', async () => {
    const { page, clicks } = await begin();
    const heading = await page.getByRole('heading', { level: 1 }).textContent();
    expect(heading).toMatch(/things need your attention/);
    expect(clicks).toBe(0);
  });

  it('2: why does this post wait? One click from the overview, two by the timeline', async () => {
    const overview = await begin();
    const waiting = overview.page.getByRole('region', { name: 'Waiting, and why' });
    await overview.click(waiting.getByText(HELD.slice(0, 12)).first());
    await overview.page.getByText(/MAX/).first().waitFor();
    await overview.page.getByText('Bot has no rights to write in chat').first().waitFor();
    expect(overview.clicks).toBe(1);

    await overview.goto('/');
    await overview.click(navigation(overview, 'Timeline'));
    // The overview, which is there until the timeline has loaded, shows the post too.
    await overview.click(overview.page.getByRole('list', { name: 'Posts' }).getByText(HELD));
    await overview.page.getByText('Bot has no rights to write in chat').first().waitFor();
    expect(overview.clicks).toBe(3);
  });

  it('3: settle a doubt: two clicks, three to send again', async () => {
    const overview = await begin();
    await overview.click(overview.page.getByRole('link', { name: 'Resolve…' }));
    await overview.click(overview.page.getByRole('button', { name: 'Send again…' }));
    const dialog = overview.page.getByRole('dialog');
    await dialog.getByText(/twice/).waitFor();
    await overview.click(dialog.getByRole('button', { name: /^Send/ }));
    expect(overview.clicks).toBe(3);
    await until('it was sent again', async () => (await stateOf(DOUBTFUL, 'telegram')) === 'published');
  });

  it('4: mend a channel on hold and try again: one click', async () => {
    const overview = await begin();
    await overview.click(overview.page.getByRole('button', { name: /Try again/ }).first());
    expect(overview.clicks).toBe(1);
    await until('the post that was held is published', async () => (await stateOf(HELD, 'max')) === 'published');
  });

  it('5: pause a channel for an hour: four clicks', async () => {
    const overview = await begin();
    await overview.click(navigation(overview, 'Channels'));
    const row = overview.page.getByRole('row').filter({ hasText: 'Harbour Kids' });
    await overview.click(row.getByRole('button', { name: /Pause/ }));
    const dialog = overview.page.getByRole('dialog');
    await overview.click(dialog.getByRole('button', { name: /^Pause for/ }));
    expect(overview.clicks).toBeLessThanOrEqual(4);
    const ends = await until('the channel is paused', async () => {
      return (await world.manage.get(`/channels/${world.channels.kids}`)).paused_until as string | null;
    });
    expect(Date.parse(ends) - Date.now()).toBeGreaterThan(50 * 60_000);
  });

  it('6: write, see four walls, publish: two clicks', async () => {
    const overview = await begin();
    await overview.click(navigation(overview, 'Compose'));
    await overview.page.getByRole('textbox', { name: /text/i }).first().click();
    await overview.page.keyboard.type('A whale was seen off the breakwater');
    for (const network of ['Telegram', 'VK', 'MAX', 'Odnoklassniki'])
      await overview.page
        .getByRole('region', { name: new RegExp(network) })
        .getByText('A whale was seen off the breakwater')
        .waitFor();
    await overview.click(overview.page.getByRole('button', { name: /^Publish to/ }));
    expect(overview.clicks).toBe(2);
    await until('it is published', async () => {
      const { items } = await world.manage.get('/posts?limit=5');
      return items.some(({ excerpt }: { excerpt: string }) => excerpt === 'A whale was seen off the breakwater');
    });
  });

  it('7: why was a request refused? Two clicks', async () => {
    const overview = await begin();
    await overview.click(navigation(overview, 'Requests'));
    await overview.click(overview.page.getByRole('button', { name: 'Unauthorized' }).last());
    await overview.page.getByText('The token does not belong to this endpoint.').waitFor();
    expect(overview.clicks).toBe(2);
  });

  it('8: how was it then, and who changed it? One click on the tide', async () => {
    const overview = await begin();
    await overview.click(overview.page.getByRole('link', { name: /last 24 hours/ }));
    await overview.page.getByRole('heading', { name: /As it was at/ }).waitFor();
    await overview.page.getByRole('heading', { name: 'What happened' }).waitFor();
    expect(overview.clicks).toBe(1);
  });

  it('9: prove an event: three clicks', async () => {
    const overview = await begin();
    await overview.click(navigation(overview, 'Time machine'));
    const changes = overview.page.getByRole('region', { name: 'What happened' });
    await overview.click(changes.getByRole('listitem').getByRole('button').first());
    await overview.page.getByText('Proved').waitFor();
    expect(overview.clicks).toBeLessThanOrEqual(3);
  });

  it('10: rebuild, compare, promote: six clicks, two of them confirmations', async () => {
    const operator = await begin({ key: world.operatorKey, role: 'operator', owner: null });
    const { page } = operator;
    await operator.click(navigation(operator, 'Projections'));
    await operator.click(page.getByRole('button', { name: 'Actions for request-log' }));
    await operator.click(page.getByRole('menuitem', { name: 'Rebuild…' }));
    await operator.click(page.getByRole('dialog').getByRole('button', { name: 'Rebuild' }));
    await page.getByText(/rows compared/).waitFor({ timeout: 300_000 });
    await page.getByText('Live and fresh are equal.').waitFor();
    await operator.click(page.getByRole('button', { name: /^Promote 2/ }));
    // Starts waiting before the click, because the message is shown for only six seconds.
    await Promise.all([
      page.getByText(/Promoted request-log 2/).waitFor(),
      operator.click(page.getByRole('dialog').getByRole('button', { name: 'Promote' })),
    ]);
    expect(operator.clicks).toBe(6);
  });
});
