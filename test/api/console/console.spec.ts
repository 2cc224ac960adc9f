import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { request as rawRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { TestEnvironment } from '../../support/test-environment.js';

const PAGE = `<!doctype html><meta property="csp-nonce" nonce="__CSP_NONCE__">
<script type="module" src="./assets/main-a1.js"></script><link rel="stylesheet" href="/console/assets/main-b2.css">
<link rel="icon" href="./icon.svg">`;
const SCRIPT = 'console.log("started");'.repeat(50);

let environment: TestEnvironment<Record<string, never>>;
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crosspost-console-'));
  environment = await TestEnvironment.start({ startNetworks: async () => ({}), operatorKey: 'operator' });
});
afterAll(async () => {
  await environment?.stop();
  await rm(folder, { recursive: true, force: true });
});

/** Sends a request without decoding or normalising anything. */
const send = (url: string, path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
  new Promise<{ status: number; headers: Readonly<Record<string, unknown>>; body: Buffer }>((resolve, reject) => {
    const { hostname, port } = new URL(url);
    rawRequest({ hostname, port, path, method, headers }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.on('end', () =>
        resolve({ status: response.statusCode!, headers: response.headers, body: Buffer.concat(chunks) }),
      );
    })
      .on('error', reject)
      .end();
  });

describe('a process with a built console', () => {
  let address: string;
  beforeAll(async () => {
    const built = join(folder, 'console');
    await mkdir(join(built, 'assets'), { recursive: true });
    await writeFile(join(folder, 'secret.js'), 'a secret');
    await writeFile(join(built, 'index.html'), PAGE);
    await writeFile(join(built, 'icon.svg'), '<svg/>');
    await writeFile(join(built, '.built'), 'digest');
    await writeFile(join(built, 'assets/main-a1.js'), SCRIPT);
    await writeFile(join(built, 'assets/main-a1.js.br'), brotliCompressSync(SCRIPT));
    await writeFile(join(built, 'assets/main-a1.js.gz'), gzipSync(SCRIPT));
    await writeFile(join(built, 'assets/main-b2.css'), 'body {}');
    ({ address } = await environment.startProcess({ consoleFolder: built, roles: 'api' }));
  });

  it.each(['', '/', '/timeline', '/posts/post_01', '/posts/a.b%2Fc', '/posts/x.js', '?language=ru', '/index.html'])(
    'answers /console%s with the page, under a policy without unsafe-inline',
    async (path) => {
      const { status, headers, body } = await send(address, `/console${path}`);
      expect([status, headers['content-type'], headers['cache-control']]).toEqual([
        ...[200, 'text/html; charset=utf-8', 'no-cache'],
      ]);
      const [, nonce] = /nonce="([^"]+)"/.exec(body.toString())!;
      expect(headers['content-security-policy']).toBe(
        `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; ` +
          `font-src 'self'; connect-src 'self'; manifest-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
      );
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'cross-origin-opener-policy': 'same-origin',
      });
    },
  );

  it('uses another nonce in each answer, and absolute addresses of files', async () => {
    const [one, other] = [(await send(address, '/console')).body, (await send(address, '/console/a/b')).body];
    expect(one.toString()).toContain('src="/console/assets/main-a1.js"');
    expect(one.toString()).toContain('href="/console/assets/main-b2.css"');
    expect(one.toString()).toContain('href="/console/icon.svg"');
    expect(one.toString()).not.toContain('__CSP_NONCE__');
    expect(one.equals(other)).toBe(false);
  });

  it('sends hashed files for a year, in the smallest form that the client accepts', async () => {
    for (const [accepted, encoding, decode] of [
      ['gzip, deflate, br', 'br', brotliDecompressSync],
      ['gzip, br;q=0', 'gzip', gunzipSync],
      ['identity', undefined, (content: Buffer) => content],
    ] as const) {
      const { status, headers, body } = await send(address, '/console/assets/main-a1.js', {
        'accept-encoding': accepted,
      });
      expect([status, headers['content-encoding'], decode(body).toString()]).toEqual([200, encoding, SCRIPT]);
      expect(headers).toMatchObject({
        'content-type': 'text/javascript; charset=utf-8',
        'cache-control': 'public, max-age=31536000, immutable',
        vary: 'Accept-Encoding',
        'x-content-type-options': 'nosniff',
      });
    }
    const icon = await send(address, '/console/icon.svg');
    expect([icon.headers['content-type'], icon.headers['cache-control']]).toEqual(['image/svg+xml', 'no-cache']);
  });

  it('answers HEAD with the same headers and no body', async () => {
    for (const path of ['/console', '/console/assets/main-a1.js']) {
      const { status, headers, body } = await send(address, path, {}, 'HEAD');
      const get = await send(address, path);
      expect([status, body.length]).toEqual([200, 0]);
      expect([headers['content-type'], headers['content-length']]).toEqual([
        get.headers['content-type'],
        String(get.body.length),
      ]);
    }
  });

  it.each([
    'assets/main-old.js',
    'assets/',
    'assets/main-a1.js.br',
    'assets/../../secret.js',
    'assets/%2e%2e/%2e%2e/secret.js',
    'assets/..%2f..%2fsecret.js',
    'assets/__proto__',
  ])('answers 404 to /console/%s', async (path) => {
    const { status, body } = await send(address, `/console/${path}`);
    expect([status, JSON.parse(body.toString())]).toEqual([404, expect.objectContaining({ code: 'not_found' })]);
  });

  it('sends no file from outside the folder, and none of the build itself', async () => {
    for (const path of [
      '/console/../secret.js',
      '/console/%2e%2e/secret.js',
      '/console/..%2fsecret.js',
      '/console/.built',
    ]) {
      const { body } = await send(address, path);
      expect(body.toString()).not.toMatch(/a secret|digest/);
    }
    expect((await send(address, '/console/%')).status).toBe(400);
  });

  it('takes no other method', async () => {
    expect((await send(address, '/console', {}, 'POST')).status).toBe(404);
  });

  it('leads people from / to the console', async () => {
    const { status, headers } = await send(address, '/');
    expect([status, headers.location]).toEqual([302, '/console']);
  });
});

it('serves the console below the path of BASE_URL', async () => {
  const built = join(folder, 'below');
  await mkdir(built);
  await writeFile(join(built, 'index.html'), PAGE);
  const other = await TestEnvironment.start({
    startNetworks: async () => ({}),
    operatorKey: 'operator',
    env: { BASE_URL: 'https://post.invalid/gateway/' },
  });
  try {
    const { address } = await other.startProcess({ consoleFolder: built, roles: 'api' });
    const { body } = await send(address, '/console/timeline');
    expect(body.toString()).toContain('src="/gateway/console/assets/main-a1.js"');
    expect((await send(address, '/')).headers.location).toBe('/gateway/console');
  } finally {
    await other.stop();
  }
});

it('says how to build a console that was not built, and serves it once it is', async () => {
  const built = join(folder, 'later');
  const { address } = await environment.startProcess({ consoleFolder: built, roles: 'api' });
  for (const path of ['/console', '/console/timeline', '/console/assets/main-a1.js']) {
    const { status, body } = await send(address, path);
    expect([status, JSON.parse(body.toString())]).toEqual([
      404,
      expect.objectContaining({ code: 'console_not_built', errors: [expect.stringContaining('npm run build')] }),
    ]);
  }
  expect((await send(address, '/')).headers.location).toBe('/docs');
  await mkdir(built);
  await writeFile(join(built, 'index.html'), PAGE);
  expect((await send(address, '/console')).status).toBe(200);
});

it('is not served by a process without the role api', async () => {
  const { address } = await environment.startProcess({ consoleFolder: join(folder, 'console'), roles: 'worker' });
  for (const path of ['/console', '/console/assets/main-a1.js']) expect((await send(address, path)).status).toBe(404);
  expect((await send(address, '/')).status).toBe(200);
});
