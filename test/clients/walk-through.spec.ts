import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { chromium } from 'playwright-core';
import { type ManagementHarness, OPERATOR_KEY, startHarness } from '../api/management/management-harness.js';
import { until } from '../e2e/until.js';
import { CHROMIUM, CHROMIUM_ARGUMENTS } from '../support/chromium.js';
import { buildClient, CLIENT_DIST, readExample } from './client-files.js';

const PAGE = `<!doctype html><link rel="icon" href="data:,">
<script type="importmap">{ "imports": { "@crosspost/client": "/index.js" } }</script>`;

/** Serves a page, and the compiled client beside it. */
const servePage = async (): Promise<{ origin: string; server: Server }> => {
  const server = createServer((request, response) => {
    const isModule = /^\/[a-z-]+\.js$/.test(request.url!);
    response.setHeader('content-type', isModule ? 'text/javascript' : 'text/html');
    void (isModule ? readFile(join(CLIENT_DIST, request.url!)) : Promise.resolve(PAGE)).then(
      (content) => response.end(content),
      () => response.writeHead(404).end(),
    );
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, server };
};

describe("the walk-through of the client's README, with the compiled client", () => {
  let harness: ManagementHarness;
  let page: Awaited<ReturnType<typeof servePage>>;
  let folder: string;
  let code: string;
  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'crosspost-client-'));
    page = await servePage();
    const [started, ...examples] = await Promise.all([
      startHarness({ CORS_ORIGINS: page.origin }),
      readExample('From owner to first post'),
      readExample('Planned posts'),
      buildClient(),
    ]);
    harness = started;
    code = examples.slice(0, 2).join('\n');
  });
  afterAll(async () => {
    page?.server.close();
    await harness?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const script = (chat: string): string =>
    `const BASE = ${JSON.stringify(harness.url)}, KEY = ${JSON.stringify(OPERATOR_KEY)};\n${code.replace('@news_of_ann', chat)}`;

  const expectPost = async (chat: string): Promise<void> => {
    const [post] = await until('the post is in the chat', async () => {
      const posts = await harness.telegram.readLedger({ channel: chat });
      return posts.length > 0 && posts;
    });
    expect(post!.text).toContain('Good morning');
  };

  it('runs in Node', async () => {
    const file = join(folder, 'walk-through.mjs');
    const client = pathToFileURL(join(CLIENT_DIST, 'index.js')).href;
    await writeFile(file, script('@from_node').replace('@crosspost/client', client));
    const { stdout } = await promisify(execFile)(process.execPath, [file]);
    expect(stdout).toMatch(/platform: 'telegram'/);
    await expectPost('@from_node');
  });

  (existsSync(CHROMIUM) ? it : it.skip)(`runs on a page of another origin, in Chromium (${CHROMIUM})`, async () => {
    const context = await chromium.launchPersistentContext(folder, {
      executablePath: CHROMIUM,
      args: CHROMIUM_ARGUMENTS,
      headless: true,
    });
    try {
      const tab = await context.newPage();
      const errors: string[] = [];
      tab.on('pageerror', (error) => errors.push(String(error)));
      await tab.goto(page.origin);
      const logged = tab.waitForEvent('console', { timeout: 120_000 });
      await tab.addScriptTag({ type: 'module', content: script('@from_chromium') });
      const [publications] = (await logged).args();
      expect(errors).toEqual([]);
      expect(await publications!.jsonValue()).toMatchObject([{ platform: 'telegram' }]);
      await expectPost('@from_chromium');
      // Errors can be read, too: their headers are exposed to the page.
      const refusal = await tab.evaluate(async (base) => {
        const name = '/index.js';
        const { createClient } = await import(name);
        const client = createClient({ url: `${base}/v1/webhooks/none`, token: 'none', signingSecret: 'key' });
        return client
          .info()
          .catch(({ status, code, requestId }: Record<string, unknown>) => ({ status, code, requestId }));
      }, harness.url);
      expect(refusal).toEqual({
        status: 401,
        code: 'unauthorized',
        requestId: expect.stringMatching(/^req_/) as string,
      });
    } finally {
      await context.close();
    }
  });
});
