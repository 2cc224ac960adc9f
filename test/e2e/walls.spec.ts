import { readdir, stat } from 'node:fs/promises';
import { request } from 'node:http';
import { join } from 'node:path';
import { e2eTest } from './e2e-harness.js';
import { until } from './until.js';

/** Sends a GET with exactly this path. */
const get = (
  base: string,
  path: string,
): Promise<{ status: number; headers: NodeJS.Dict<string | string[]>; body: string }> =>
  new Promise((resolve, reject) => {
    const { hostname, port } = new URL(base);
    request({ hostname, port, path, agent: false }, (answer) => {
      let body = '';
      answer.setEncoding('utf8').on('data', (text: string) => (body += text));
      answer.on('end', () => resolve({ status: answer.statusCode ?? 0, headers: answer.headers, body }));
    })
      .on('error', reject)
      .end();
  });

const ODD_NAMES = [
  ...[
    '__proto__',
    'constructor',
    'prototype',
    'toString',
    'hasOwnProperty',
    'valueOf',
    'none',
    'TELEGRAM',
    '%20',
    '%00',
  ],
  ...['..', '%2e%2e', '..%2f..%2fkeys.json', '%5c', 'telegram%2ffeed', 'a'.repeat(3_000), '%F0%9F%8E%88'],
];

e2eTest(
  'the walls answer odd names with 404, forbid foreign scripts and frames, and keep their files private',
  async (harness) => {
    const DATA_DIR = await harness.createDataDir();
    const { url, program } = await harness.startGateway({ DEMO: 'on', DATA_DIR });
    await until('the demo endpoint is printed', () => /Demo endpoint/.exec(program.output));

    const odd = ODD_NAMES.flatMap((name) => [
      `/walls/${name}/feed`,
      `/walls/${name}/media/x.jpg`,
      `/walls/telegram/media/${name}`,
    ]);
    const statuses = await Promise.all(odd.map(async (path) => [path, (await get(url, path)).status]));
    expect(statuses.filter(([, status]) => status !== 404)).toEqual([]);
    const unreadable = ['/walls/%zz/feed', '/walls/telegram/media/%ff'];
    for (const path of unreadable) expect((await get(url, path)).status).toBe(400);
    const numbers = ['__proto__', '1&after=2', '1e999', '-5', 'x'];
    for (const after of numbers) expect((await get(url, `/walls/vk/feed?after=${after}`)).status).toBe(200);

    const page = await get(url, '/walls');
    const policy = String(page.headers['content-security-policy']);
    const [, nonce] = /script-src 'nonce-([\w-]+)'/.exec(policy)!;
    expect(policy).toMatch(/^default-src 'none';.* base-uri 'none'; form-action 'none'; frame-ancestors 'none'$/);
    expect(policy).toContain('; sandbox allow-scripts allow-popups');
    expect(policy).not.toMatch(/unsafe|allow-same-origin|\*/);
    expect(page.body.match(/<(?:script|style)[^>]*>/g)).toEqual([
      `<style nonce="${nonce}">`,
      `<script nonce="${nonce}">`,
    ]);
    expect(page.body).not.toMatch(/ (?:style|on\w+)="/);
    expect((await get(url, '/walls')).headers['content-security-policy']).not.toBe(policy);
    for (const { headers } of [page, await get(url, '/walls/max/feed'), await get(url, '/walls/max/media/x')])
      expect(headers).toMatchObject({
        'x-content-type-options': 'nosniff',
        'referrer-policy': 'no-referrer',
        'x-frame-options': 'DENY',
        'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
      });

    const folder = join(DATA_DIR, 'stand-ins');
    const modeOf = async (path: string): Promise<string> => ((await stat(path)).mode & 0o777).toString(8);
    expect(await modeOf(folder)).toBe('700');
    const files = await readdir(folder);
    expect(files).toHaveLength(4);
    expect(await Promise.all(files.map((file) => modeOf(join(folder, file))))).toEqual(['600', '600', '600', '600']);
  },
);
