// More than 20 s: a browser notices that the gateway was killed and waits until it is back.
import { E2eHarness } from '../e2e/e2e-harness.js';
import { OPERATOR_KEY } from '../e2e/management-client.js';
import { until } from '../e2e/until.js';
import { freePort } from '../support/free-port.js';
import { ConsolePage, describeInChromium, useBrowser } from './support/console-page.js';
import { Management } from './support/management.js';
import { post, startEmptyWorld, startNetworks, type WorldEndpoint } from './support/world.js';

/** An owner with one channel and one endpoint. */
const createNewsroom = async (url: string) => {
  const { id, key } = await new Management(url, OPERATOR_KEY).post('/owners', { name: 'Live', plan: 'business' });
  const manage = new Management(url, key as string);
  const channel = await manage.post('/channels', {
    platform: 'telegram',
    name: 'Live',
    credentials: { bot_token: '7000000001:DemoDemoDemoDemoDemoDemoDemoDemoDem', chat_id: '@live' },
  });
  const project = await manage.post('/projects', { name: 'Live', channel_ids: [channel.id] });
  const endpoint = await manage.post('/endpoints', {
    name: 'Live',
    project_ids: [project.id],
    mode: 'live',
    min_interval: 0,
  });
  const visitor = { key: key as string, role: 'owner' as const, owner: { id: id as string, name: 'Live' } };
  return { endpoint: endpoint as WorldEndpoint, visitor };
};

/** Waits until a post is in the list of live activity. */
const waitForPost = async ({ page }: ConsolePage, text: string): Promise<void> =>
  page.getByText(text).first().waitFor({ timeout: 120_000 });

describeInChromium('an open overview', () => {
  const browser = useBrowser();
  let harness: E2eHarness;
  beforeEach(() => void (harness = new E2eHarness()));
  afterEach(() => harness.stop());

  it('shows a post that a program published, also after the gateway was killed and started again', async () => {
    const { gateway, settings } = await startEmptyWorld(harness, { PORT: String(await freePort()) });
    const { endpoint, visitor } = await createNewsroom(gateway.url);
    expect(await post({ gateway }, endpoint, { text: 'Before the page was opened' })).toBe(200);
    const opened = await ConsolePage.open(browser(), gateway.url, visitor);
    await waitForPost(opened, 'Before the page was opened');

    expect(await post({ gateway }, endpoint, { text: 'While it is open' })).toBe(200);
    await waitForPost(opened, 'While it is open');
    expect(opened.faults).toEqual([]);

    await gateway.program.killAll();
    await opened.page.getByText(/No connection since/).waitFor({ timeout: 120_000 });
    const again = await harness.startGateway(settings);
    expect(await post({ gateway: again }, endpoint, { text: 'After the restart' })).toBe(200);
    await waitForPost(opened, 'After the restart');
    await until('the bar is gone', async () => (await opened.page.getByText(/No connection since/).count()) === 0);
    await opened.close();
  });

  it('shows a post that another api process accepted', async () => {
    const { settings } = await startNetworks(harness);
    const database = await harness.createDatabase();
    const start = async (ROLES: string) =>
      harness.startGateway({ ...settings, ...database, DATA_DIR: await harness.createFolder(), ROLES });
    const [first, second] = [await start('api'), await start('api')];
    await start('worker');
    const { endpoint, visitor } = await createNewsroom(first.url);
    expect(await post({ gateway: second }, endpoint, { text: 'The first of all' })).toBe(200);
    const opened = await ConsolePage.open(browser(), first.url, visitor);
    await waitForPost(opened, 'The first of all');
    expect(await post({ gateway: second }, endpoint, { text: 'From the other process' })).toBe(200);
    await waitForPost(opened, 'From the other process');
    expect(opened.faults).toEqual([]);
    await opened.close();
  });
});
