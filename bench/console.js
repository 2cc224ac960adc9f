/**
 * `npm run bench -- console [--posts=10000] [--rounds=7]`: measures the web console in Chromium, on a gateway with its stand-ins:
 * the time until the overview is usable, the time from a post's answer to its line in an open overview, and the frames a second while
 * a timeline of many posts scrolls.
 */
import { parseArgs } from 'node:util';

await import('../test/support/typescript-loader.js');
const { E2eHarness } = await import('../test/e2e/e2e-harness.ts');
const { ConsolePage, startBrowser } = await import('../test/console/support/console-page.ts');
const { Management } = await import('../test/console/support/management.ts');
const { post, startEmptyWorld } = await import('../test/console/support/world.ts');
const { OPERATOR_KEY } = await import('../test/e2e/management-client.ts');

/** Posts that are sent at the same time while the timeline is filled. */
const CONNECTIONS = 16;
/** Time for which the timeline scrolls, in ms. */
const SCROLL_MS = 6_000;

/** @param {readonly string[]} args */
export const run = async (args) => {
  const { values } = parseArgs({
    args,
    options: { posts: { type: 'string', default: '10000' }, rounds: { type: 'string', default: '7' } },
  });
  const harness = new E2eHarness();
  const browser = await startBrowser();
  try {
    const { gateway } = await startEmptyWorld(harness);
    const { visitor, endpoint } = await createOwner(gateway.url);
    const world = { gateway, endpoint, visitor, browser };
    await post(world, endpoint, { text: 'The first' });
    const rounds = Number(values.rounds);
    const first = await repeat(rounds, () => measureFirstView(world));
    const live = await measureLive(world, rounds);
    console.log(`usable after a cold start of the page: ${describe(first)} ms`);
    console.log(`a post's answer to its line in the overview: ${describe(live)} ms`);
    await fill(world, Number(values.posts));
    const frames = await measureScrolling(world);
    console.log(
      `scrolling ${values.posts} posts: ${frames.perSecond.toFixed(1)} frames/s, longest frame ${frames.longest.toFixed(0)} ms`,
    );
  } finally {
    await browser.close();
    await harness.stop();
  }
};

const createOwner = async (url) => {
  const { id, key } = await new Management(url, OPERATOR_KEY).post('/owners', { name: 'Bench', plan: 'business' });
  const manage = new Management(url, key);
  const channel_ids = [];
  for (const chat of ['one', 'two']) {
    const credentials = { bot_token: '7000000001:DemoDemoDemoDemoDemoDemoDemoDemoDem', chat_id: `@${chat}` };
    channel_ids.push((await manage.post('/channels', { platform: 'telegram', name: chat, credentials })).id);
  }
  const project = await manage.post('/projects', { name: 'Bench', channel_ids });
  const endpoint = await manage.post('/endpoints', { project_ids: [project.id], mode: 'live', min_interval: 0 });
  return { endpoint, visitor: { key, role: 'owner', owner: { id, name: 'Bench' } } };
};

const repeat = async (times, measure) => {
  const results = [];
  for (let n = 0; n < times; n++) results.push(await measure());
  return results;
};

/** Returns the ms from the start of the navigation to the overview's sentence, with an empty cache. */
const measureFirstView = async ({ browser, gateway, visitor }) => {
  const opened = await ConsolePage.open(browser, gateway.url, visitor);
  await opened.page.getByRole('region', { name: 'Live activity' }).waitFor();
  const ms = await opened.page.evaluate(() => performance.now());
  await opened.close();
  return ms;
};

/** Returns the ms from the answers of posts to their lines in an open overview. */
const measureLive = async (world, rounds) => {
  const opened = await ConsolePage.open(world.browser, world.gateway.url, world.visitor);
  await opened.page.getByText('Live', { exact: true }).first().waitFor();
  const results = await repeat(rounds, async () => {
    const text = `Live ${Math.random()}`;
    await post(world, world.endpoint, { text });
    const start = performance.now();
    await opened.page.getByText(text).first().waitFor();
    return performance.now() - start;
  });
  await opened.close();
  return results;
};

const fill = async (world, posts) => {
  let next = 0;
  const send = async () => {
    while (next < posts) {
      const n = next++;
      await post(world, world.endpoint, { text: `Post number ${n} of the harbour` });
      if (n % 1_000 === 999) console.log(`  ${n + 1} posts`);
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, send));
};

/** Scrolls the timeline to its end and beyond each page, and counts the frames. */
const measureScrolling = async ({ browser, gateway, visitor }) => {
  const opened = await ConsolePage.open(browser, gateway.url, visitor, '/timeline?span=week');
  await opened.page
    .getByText(/Post number/)
    .first()
    .waitFor();
  const result = await opened.page.evaluate(
    (length) =>
      new Promise((resolve) => {
        const times = [];
        const end = performance.now() + length;
        const frame = (now) => {
          times.push(now);
          window.scrollBy(0, 60);
          if (now < end) return requestAnimationFrame(frame);
          const lengths = times.slice(1).map((time, index) => time - times[index]);
          resolve({
            perSecond: (1000 * lengths.length) / (times.at(-1) - times[0]),
            longest: Math.max(...lengths),
            scrolled: window.scrollY,
          });
        };
        requestAnimationFrame(frame);
      }),
    SCROLL_MS,
  );
  await opened.close();
  return result;
};

const describe = (results) => {
  const sorted = results.toSorted((a, b) => a - b);
  return `median ${sorted[Math.floor(sorted.length / 2)].toFixed(0)}, most ${sorted.at(-1).toFixed(0)}`;
};
