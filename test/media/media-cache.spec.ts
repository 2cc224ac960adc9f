import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Inspector } from '../../src/media/inspector.js';
import { MediaCache, type MediaCacheOptions } from '../../src/media/media-cache.js';
import { PhotoEditor } from '../../src/media/photo-editor.js';
import { clientWith, failure, host, stopLater, tcp } from './harness.js';
import { gif, png } from './make-images.js';
import { makeVideo, mp3 } from './make-videos.js';
import { sparse, type TestHost } from './test-host.js';

const MB = 1_048_576;
const WANTED = { postId: 'post_1', ownerId: 'own_1', maxBytes: 100 * MB };

let directory: string;
let there: TestHost;
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crosspost-media-test-'));
  stopLater({ stop: () => rm(directory, { recursive: true }) });
  there = await host();
});

const cacheWith = (options: Partial<MediaCacheOptions> = {}): MediaCache => {
  // A file that is not examined in time has no facts.
  const [inspector, editor] = [new Inspector({ timeoutMs: 60_000 }), new PhotoEditor({ timeoutMs: 60_000 })];
  stopLater({ stop: async () => inspector.close() });
  stopLater({ stop: async () => editor.close() });
  const uploads = { find: () => Promise.reject(new Error('no file was uploaded')) };
  const parts = { client: clientWith(), uploads, inspector, editor };
  const cache = new MediaCache({ ...parts, directory, capacityBytes: 100 * MB, ...options });
  stopLater({ stop: () => cache.close() });
  return cache;
};
const fetched = async (cache: MediaCache, ...urls: string[]): Promise<void> => {
  for (const url of urls) (await cache.fetchToDisk(url, WANTED)).release();
};
const asked = (path: string): number => there.requests.filter((request) => request.path === path).length;
/** Waits for a condition. */
const until = async (condition: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await condition())) await new Promise((resolve) => setTimeout(resolve, 5));
};

describe('a file', () => {
  it('is on disk, byte for byte, with its facts', async () => {
    const bytes = makeVideo({ seconds: 5, index: 'last', mediaBytes: 3 * MB });
    const media = await cacheWith().fetchToDisk(there.serve('/film', bytes), WANTED);
    expect(await readFile(media.path)).toEqual(bytes);
    expect(media).toMatchObject({ sizeBytes: bytes.length, mime: 'video/mp4', durationSeconds: 5, width: 640 });
    expect((await stat(media.path)).mode & 0o077).toBe(0);
    expect(media.findProblemAs('video')).toBeUndefined();
    expect(media.findProblemAs('photo')).toMatchObject({ code: 'media_wrong_type' });
    media.release();
  });

  it.each([
    ['a GIF as a photo', gif(), 'photo', 'media_format'],
    ['a photo of 26 megapixels', png(5_200, 5_000), 'photo', 'media_too_many_pixels'],
    ['a video of 31 minutes', makeVideo({ seconds: 1_860 }), 'video', 'media_too_long'],
    ['an empty file', Buffer.alloc(0), 'audio', 'media_empty'],
  ] as const)('is checked again now that it is here (D-24): %s', async (_, bytes, type, code) => {
    const media = await cacheWith().fetchToDisk(there.serve('/file', bytes), WANTED);
    expect(media.findProblemAs(type)).toMatchObject({ code });
  });

  it('may have no announced length', async () => {
    const url = there.serve('/file', mp3(5_000), { contentLength: false });
    expect(await cacheWith().fetchToDisk(url, WANTED)).toMatchObject({ sizeBytes: 5_000 * 417 });
  });

  it('is streamed: 300 MB need almost no memory', async () => {
    const url = there.serve('/file', sparse(300 * MB, png(8, 8)));
    const cache = cacheWith({ capacityBytes: 300 * MB });
    const before = process.memoryUsage().arrayBuffers;
    let most = 0;
    const watch = setInterval(() => (most = Math.max(most, process.memoryUsage().arrayBuffers - before)), 5);
    const media = await cache.fetchToDisk(url, { ...WANTED, maxBytes: 300 * MB });
    clearInterval(watch);
    expect((await stat(media.path)).size).toBe(300 * MB);
    // The figure includes the test host's buffers and garbage that has not been collected yet.
    expect(most).toBeLessThan(150 * MB);
  });
});

describe('one download', () => {
  it('serves concurrent and later callers', async () => {
    const url = there.serve('/file', sparse(2 * MB, png(8, 8)));
    const cache = cacheWith();
    const all = await Promise.all(Array.from({ length: 50 }, () => cache.fetchToDisk(url, WANTED)));
    expect(new Set(all.map(({ path }) => path)).size).toBe(1);
    all.forEach((media) => media.release());
    await fetched(cache, url, url);
    expect(asked('/file')).toBe(1);
  });

  it('serves one post: another gets the current file', async () => {
    const cache = cacheWith();
    const url = there.serve('/latest', png(1, 1));
    expect(await cache.fetchToDisk(url, { ...WANTED, postId: 'post_1' })).toMatchObject({ width: 1 });
    there.serve('/latest', png(2, 2));
    expect(await cache.fetchToDisk(url, { ...WANTED, postId: 'post_2' })).toMatchObject({ width: 2 });
    expect(await cache.fetchToDisk(url, { ...WANTED, postId: 'post_1' })).toMatchObject({ width: 1 });
  });

  it('fails for all its callers, and the next one retries', async () => {
    const url = there.on('/file', (_, response) => response.writeHead(503).end());
    const cache = cacheWith();
    const errors = await Promise.all([1, 2, 3].map(() => failure(cache.fetchToDisk(url, WANTED))));
    expect(errors).toEqual(
      [1, 2, 3].map(() => expect.objectContaining({ code: 'http_status', isPermanent: false }) as unknown),
    );
    expect(asked('/file')).toBe(1);
    there.serve('/file', png(8, 8));
    await fetched(cache, url);
    expect(asked('/file')).toBe(2);
  });

  it('continues while a caller waits, and ends with the last one', async () => {
    let closed = false;
    const url = there.on('/file', (_, response) => {
      response.on('close', () => (closed = true)).write('a');
    });
    const cache = cacheWith();
    const [first, second] = [new AbortController(), new AbortController()];
    const one = failure(cache.fetchToDisk(url, { ...WANTED, signal: first.signal }));
    const two = failure(cache.fetchToDisk(url, { ...WANTED, signal: second.signal }));
    await until(async () => (await readdir(directory)).length === 1);
    first.abort();
    expect(await one).toMatchObject({ code: 'aborted', isPermanent: false });
    expect([closed, asked('/file')]).toEqual([false, 1]);
    second.abort();
    expect(await two).toMatchObject({ code: 'aborted' });
    await until(async () => closed && (await readdir(directory)).length === 0);
  });

  it('is not started for a caller that has gone', async () => {
    const cache = cacheWith();
    const url = there.serve('/file', png(8, 8));
    const gone = cache.fetchToDisk(url, { ...WANTED, signal: AbortSignal.abort() });
    expect(await failure(gone)).toMatchObject({ code: 'aborted' });
    await fetched(cache, url);
    await until(async () => (await readdir(directory)).length === 1);
  });
});

describe('the length of a file', () => {
  it.each([true, false])('is at most what its caller allows; announced: %s', async (contentLength) => {
    const cache = cacheWith();
    const fits = there.serve('/fits', Buffer.alloc(MB), { contentLength });
    const exceeds = there.serve('/exceeds', Buffer.alloc(MB + 1), { contentLength });
    expect(await cache.fetchToDisk(fits, { ...WANTED, maxBytes: MB })).toMatchObject({ sizeBytes: MB });
    expect(await failure(cache.fetchToDisk(exceeds, { ...WANTED, maxBytes: MB }))).toMatchObject({
      code: 'too_large',
      isPermanent: true,
    });
    await until(async () => (await readdir(directory)).length === 1);
  });

  it('is checked against the limit of each caller', async () => {
    const url = there.serve('/file', sparse(MB, png(8, 8)));
    const cache = cacheWith();
    const [small, large] = await Promise.all([
      failure(cache.fetchToDisk(url, { ...WANTED, maxBytes: MB - 1 })),
      cache.fetchToDisk(url, { ...WANTED, maxBytes: MB }),
    ]);
    expect([small.code, large.sizeBytes]).toEqual(['too_large', MB]);
    expect(await failure(cache.fetchToDisk(url, { ...WANTED, maxBytes: MB - 1 }))).toMatchObject({ code: 'too_large' });
    expect(asked('/file')).toBe(2);
  });
});

describe('the rest on disk', () => {
  it.each<[string, () => Promise<string>]>([
    [
      'breaks off',
      () => tcp((socket) => socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\ncontent-length: 9\r\n\r\nabc'))),
    ],
    ['is a redirect', async () => there.on('/', (_, response) => response.writeHead(302).end())],
    ['is not there', async () => `${there.origin}/nowhere`],
    ['is only a part', async () => there.on('/', (_, response) => response.writeHead(206).end('part'))],
    ['is nothing', async () => there.on('/', (_, response) => response.writeHead(204).end())],
  ])('is nothing if a file %s', async (_, serve) => {
    const cache = cacheWith();
    await failure(cache.fetchToDisk(await serve(), WANTED));
    expect(await readdir(directory)).toEqual([]);
  });

  it('is nothing after the cache is closed, at any moment', async () => {
    const cache = cacheWith({ capacityBytes: MB });
    await fetched(cache, there.serve('/file', png(8, 8)));
    const waiting = failure(
      cache.fetchToDisk(
        there.on('/slow', (_, response) => void response.write('a')),
        WANTED,
      ),
    );
    await until(async () => (await readdir(directory)).length === 2);
    await cache.close();
    expect(await waiting).toMatchObject({ code: 'aborted' });
    expect(await readdir(directory)).toEqual([]);
  });
});

describe('space on disk', () => {
  const serveAll = (...paths: string[]) => paths.map((path) => there.serve(path, sparse(MB, png(8, 8))));

  it('is freed from the least recently used file', async () => {
    const [a, b, c] = serveAll('/a', '/b', '/c') as [string, string, string];
    const cache = cacheWith({ capacityBytes: 2 * MB });
    await fetched(cache, a, b, a, c);
    await until(async () => (await readdir(directory)).length === 2);
    await fetched(cache, a, c);
    expect(['/a', '/b', '/c'].map(asked)).toEqual([1, 1, 1]);
    await fetched(cache, b);
    expect(asked('/b')).toBe(2);
  });

  it('is not freed from files in use: they stay until released', async () => {
    const [a, b] = serveAll('/a', '/b') as [string, string];
    const cache = cacheWith({ capacityBytes: MB + 1_000, spaceTimeoutMs: 20 });
    const held = await cache.fetchToDisk(a, WANTED);
    const twice = await cache.fetchToDisk(a, WANTED);
    held.release();
    held.release();
    expect(await failure(cache.fetchToDisk(b, WANTED))).toMatchObject({ code: 'storage', isPermanent: false });
    expect(existsSync(held.path)).toBe(true);
    twice.release();
    await fetched(cache, b);
    await until(() => !existsSync(held.path));
  });

  it('is awaited while other files use it', async () => {
    const [a, b] = serveAll('/a', '/b') as [string, string];
    const cache = cacheWith({ capacityBytes: MB + 1_000 });
    const held = await cache.fetchToDisk(a, WANTED);
    const waiting = cache.fetchToDisk(b, WANTED);
    await until(() => asked('/b') === 1);
    expect(existsSync(held.path)).toBe(true);
    held.release();
    expect(await waiting).toMatchObject({ sizeBytes: MB });
  });

  it('is freed after a failure, with or without an announced length', async () => {
    const broken = there.on('/broken', (_, response) => {
      response.write(Buffer.alloc(900_000));
      response.on('drain', () => response.destroy());
      setImmediate(() => response.destroy());
    });
    const [a] = serveAll('/a') as [string];
    const cache = cacheWith({ capacityBytes: MB });
    for (let n = 0; n < 3; n++) await failure(cache.fetchToDisk(broken, WANTED));
    await fetched(cache, a);
    expect(asked('/a')).toBe(1);
  });

  it('is never enough for a file larger than the cache', async () => {
    const cache = cacheWith({ capacityBytes: MB - 1 });
    for (const contentLength of [true, false]) {
      const url = there.serve('/file', sparse(MB, png(8, 8)), { contentLength });
      expect(await failure(cache.fetchToDisk(url, WANTED))).toMatchObject({ code: 'too_large', isPermanent: true });
    }
    expect(await readdir(directory)).toEqual([]);
  });
});

it('fetches an old file again, and keeps the old copy for its readers', async () => {
  let now = 1_000_000;
  const cache = cacheWith({ clock: { now: () => now }, maxAgeMs: 60_000 });
  const url = there.serve('/file', png(1, 1));
  const old = await cache.fetchToDisk(url, WANTED);
  there.serve('/file', png(2, 2));
  now += 59_999;
  const second = await cache.fetchToDisk(url, WANTED);
  expect(second).toMatchObject({ width: 1, path: old.path });
  now += 1;
  const fresh = await cache.fetchToDisk(url, WANTED);
  expect(fresh).toMatchObject({ width: 2 });
  old.release();
  expect(await readFile(second.path)).toEqual(png(1, 1));
  second.release();
  await until(() => !existsSync(old.path));
  expect(await readFile(fresh.path)).toEqual(png(2, 2));
});
