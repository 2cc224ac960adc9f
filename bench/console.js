/**
 * `npm run bench -- console [--posts=10000] [--channels=2000] [--rounds=7] [--trace=FILE]`: measures the web console in
 * Chromium, on a gateway with its stand-ins: the time until the overview is usable, the time from a post's answer to
 * its line in an open overview, the time until screens of an owner with many channels are usable on a slow line, and
 * the frames per second while a timeline of many posts scrolls. With `--trace`, writes a trace of the scrolling to the
 * file, gzipped, in Chromium's format.
 */
import { writeFile } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { gzipSync } from 'node:zlib';

await import('../test/support/typescript-loader.js');
const { E2eHarness } = await import('../test/e2e/e2e-harness.ts');
const { ConsolePage, startBrowser } = await import('../test/console/support/console-page.ts');
const { Management } = await import('../test/console/support/management.ts');
const { post, startEmptyWorld } = await import('../test/console/support/world.ts');
const { OPERATOR_KEY } = await import('../test/e2e/management-client.ts');
const { until } = await import('../test/e2e/until.ts');

/** Number of posts that are sent at the same time while the timeline is filled. */
const CONNECTIONS = 16;
/** Pixels that the timeline scrolls in each frame: about five rows, 320 a second. */
const SCROLL_STEP = 200;
/** Maximum time for which the timeline scrolls, in ms. */
const SCROLL_MS = 60_000;
/** Trace category of the frames. */
const TRACED = 'disabled-by-default-devtools.timeline.frame';
/** How much of the scrolling is traced, in ms. */
const TRACED_MS = 5_000;

/** @param {readonly string[]} args */
export const run = async (args) => {
  const { values } = parseArgs({
    args,
    options: {
      posts: { type: 'string', default: '10000' },
      channels: { type: 'string', default: '2000' },
      rounds: { type: 'string', default: '7' },
      trace: { type: 'string' },
    },
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
    await measureSlowLine(world, Number(values.channels), rounds);
    await fill(world, Number(values.posts));
    await waitUntilPublished(world);
    const frames = await measureScrolling(world, values.trace);
    console.log(
      `scrolling ${values.posts} posts: ${frames.perSecond.toFixed(1)} frames/s, longest frame ${frames.longest.toFixed(0)} ms, over ${frames.scrolled} px`,
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
    const credentials = { bot_token: '7000000001:DemoDemoDemoDemoDemoDemoDemoDemoDem', chat_id: `@bench_${chat}` };
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

/** Returns the ms from each post's answer to its line in an open overview. */
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

/** A slow line: 600 ms until the first byte of an answer, then 50 KB/s in each direction. */
const SLOW_LINE = { offline: false, latency: 600, downloadThroughput: 50_000, uploadThroughput: 50_000 };
/** Channels in each set of the large owner. */
const CHANNELS_IN_SET = 100;

/** The screens that are opened on the slow line, and what is there once they can be used. */
const SLOW_SCREENS = [
  ['overview', '/', (page) => page.getByRole('heading', { level: 1 })],
  ['channels', '/channels', (page) => page.getByRole('row').nth(5)],
  ['compose', '/compose', (page) => page.getByRole('textbox', { name: 'Text' }).first()],
];

/**
 * Measures the ms until screens of an owner with many channels can be used on a slow line: at the first visit, and with
 * the scripts that a browser keeps from the visit before.
 */
const measureSlowLine = async (world, channels, rounds) => {
  const visitor = await createLargeOwner(world.gateway.url, channels);
  for (const [name, path, shown] of SLOW_SCREENS)
    for (const isFirst of [true, false]) {
      const times = await repeat(rounds, () => openSlowly(world, visitor, { path, shown, isFirst }));
      const visit = isFirst ? 'first visit' : 'next visit';
      console.log(`${name} of ${channels} channels on a slow line, ${visit}: ${describe(times)} ms`);
    }
};

const openSlowly = async ({ browser, gateway }, visitor, { path, shown, isFirst }) => {
  const opened = await ConsolePage.open(browser, gateway.url, visitor, path);
  const { page } = opened;
  await opened.settle();
  const line = await page.context().newCDPSession(page);
  if (isFirst) await line.send('Network.clearBrowserCache');
  await line.send('Network.emulateNetworkConditions', SLOW_LINE);
  const start = performance.now();
  await page.goto(`${gateway.url}/console${path}`, { waitUntil: 'commit' });
  await shown(page).waitFor();
  const ms = performance.now() - start;
  await opened.close();
  return ms;
};

const createLargeOwner = async (url, channels) => {
  const { id, key } = await new Management(url, OPERATOR_KEY).post('/owners', { name: 'Large', plan: 'business' });
  const operator = new Management(url, OPERATOR_KEY);
  const ids = [];
  let next = 0;
  const connect = async () => {
    while (next < channels) {
      const n = next++;
      const credentials = { bot_token: '7000000001:DemoDemoDemoDemoDemoDemoDemoDemoDem', chat_id: `@large_${n}` };
      const body = { owner_id: id, platform: 'telegram', name: `Large ${n}`, credentials };
      ids[n] = (await operator.post('/channels', body)).id;
    }
  };
  await Promise.all(Array.from({ length: CONNECTIONS }, connect));
  for (let n = 0; n < channels; n += CHANNELS_IN_SET)
    await operator.post('/projects', {
      owner_id: id,
      name: `Set ${n / CHANNELS_IN_SET + 1}`,
      channel_ids: ids.slice(n, n + CHANNELS_IN_SET),
    });
  return { key, role: 'owner', owner: { id, name: 'Large' } };
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

/**
 * Waits until nothing is queued, because publishing at full pace takes CPU time that the browser needs for drawing.
 */
const waitUntilPublished = ({ gateway, visitor }) =>
  until('everything is published', async () => {
    const { networks } = await new Management(gateway.url, visitor.key).get('/overview');
    return networks.every(({ waiting }) => waiting === 0);
  });

/** Scrolls the timeline through all pages to its end, and counts the frames. */
const measureScrolling = async ({ browser, gateway, visitor }, traceFile) => {
  const opened = await ConsolePage.open(browser, gateway.url, visitor, '/timeline?span=week');
  await opened.page
    .getByText(/Post number/)
    .first()
    .waitFor();
  const result = await scroll(opened.page, SCROLL_MS);
  if (traceFile) {
    await opened.page.evaluate(() => window.scrollTo(0, 0));
    await browser.startTracing(opened.page, { categories: [TRACED] });
    await scroll(opened.page, TRACED_MS);
    await writeFile(traceFile, gzipSync(framesOf(await browser.stopTracing())));
  }
  await opened.close();
  return result;
};

/** Scrolls a page down, for a time or to its end, and counts its frames. */
const scroll = (page, length) =>
  page.evaluate(
    ({ step, length }) =>
      new Promise((resolve) => {
        const times = [];
        const end = performance.now() + length;
        const frame = (now) => {
          times.push(now);
          const before = window.scrollY;
          window.scrollBy(0, step);
          if (now < end && (window.scrollY > before || times.length < 60)) return requestAnimationFrame(frame);
          const lengths = times.slice(1).map((time, index) => time - times[index]);
          resolve({
            perSecond: (1000 * lengths.length) / (times.at(-1) - times[0]),
            longest: Math.max(...lengths),
            scrolled: window.scrollY,
          });
        };
        requestAnimationFrame(frame);
      }),
    { step: SCROLL_STEP, length },
  );

/** Removes the events that Chromium adds to a trace unasked. They would make it ten times as large. */
const framesOf = (trace) => {
  const { traceEvents, ...rest } = JSON.parse(trace.toString());
  const kept = traceEvents.filter(({ cat, ph }) => ph === 'M' || cat.includes(TRACED));
  return JSON.stringify({ ...rest, traceEvents: kept });
};

const describe = (results) => {
  const sorted = results.toSorted((a, b) => a - b);
  return `median ${sorted[Math.floor(sorted.length / 2)].toFixed(0)}, most ${sorted.at(-1).toFixed(0)}`;
};
