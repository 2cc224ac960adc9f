/**
 * `node scripts/console-screenshots.js [folder]`: takes the screenshots of the console for the documentation (default:
 * docs/console). Starts the compiled gateway with the newsroom of test/console, and takes the screenshots with
 * Chromium.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

await import('../test/support/typescript-loader.js');
const { E2eHarness } = await import('../test/e2e/e2e-harness.ts');
const { ConsolePage, startBrowser } = await import('../test/console/support/console-page.ts');
const { startWorld } = await import('../test/console/support/world.ts');

const [folder = fileURLToPath(new URL('../docs/console', import.meta.url))] = process.argv.slice(2);
mkdirSync(folder, { recursive: true });

const harness = new E2eHarness();
const browser = await startBrowser();
try {
  const world = await startWorld(harness);
  const { manage, channels, projects, endpoints, owner: account } = world;
  const owner = { key: account.key, role: 'owner', owner: { id: account.id, name: account.name } };
  const operator = { key: world.operatorKey, role: 'operator', owner: null };
  const empty = await manageEmptyOwner(world);
  const { items: posts } = await manage.get('/posts?limit=50');
  const doubtful = posts
    .flatMap(({ publications }) => publications)
    .find(({ state, platform }) => state === 'in_doubt' && platform === 'telegram');
  const { items: outputs } = await manage.get('/webhook-outputs');
  const screens = [
    ['overview', '/', owner],
    ['timeline', '/timeline', owner],
    ['publication', `/publications/${doubtful.id}`, owner],
    ['post', `/posts/${posts.at(-1).id}`, owner],
    ['compose', '/compose', owner],
    ['channels', '/channels', owner],
    ['channel', `/channels/${channels.max}`, owner],
    ['channel-new', '/channels/new', owner],
    ['projects', '/projects', owner],
    ['project', `/projects/${projects.everywhere}`, owner],
    ['endpoints', '/endpoints', owner],
    ['endpoint', `/endpoints/${endpoints.cms.id}`, owner],
    ['webhooks', '/outputs', owner],
    ['webhook', `/outputs/${outputs[0].id}`, owner],
    ['requests', '/requests', owner],
    ['time', '/time?span=hour', owner],
    ['start', '/', empty],
    ['overview-operator', '/', operator],
    ['owners', '/owners', operator],
    ['projections', '/projections', operator],
    ['signin', '/', null],
  ];
  const looks = { '': {}, '-dark': { dark: true }, '-phone': { phone: true }, '-ru': { language: 'ru' } };
  for (const [look, options] of Object.entries(looks))
    for (const [name, path, visitor] of screens) {
      const opened = await ConsolePage.open(browser, world.gateway.url, visitor, path, options);
      if (name === 'compose') await write(opened.page);
      await opened.settle();
      await opened.page.waitForTimeout(600); // time for charts to draw and walls to follow the text
      await opened.page.screenshot({ path: join(folder, `${name}${look}.png`) });
      for (const fault of opened.faults) console.log(`${name}${look}: ${fault}`);
      await opened.close();
      console.log(`${name}${look}.png`);
    }
} finally {
  await browser.close();
  await harness.stop();
}

/** Writes a post with some formatting. */
async function write(page) {
  const text = page.getByRole('textbox').first();
  await text.click();
  await page.keyboard.press('Control+b');
  await page.keyboard.type('Dusk over the lighthouse');
  await page.keyboard.press('Control+b');
  await page.keyboard.press('Enter');
  await page.keyboard.type('Next week: a tall ship. All tables at pier.example/tides');
  await page.waitForTimeout(1_500);
}

/** Creates an owner that has nothing yet. */
async function manageEmptyOwner({ gateway, operatorKey }) {
  const { Management } = await import('../test/console/support/management.ts');
  const { id, key } = await new Management(gateway.url, operatorKey).post('/owners', { name: 'Ann', plan: 'free' });
  return { key, role: 'owner', owner: { id, name: 'Ann' } };
}
