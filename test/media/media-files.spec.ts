import { randomBytes } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { silentLog } from '../../src/kernel/log.js';
import { buildProgram } from '../../src/media/helper.js';
import { type Inspection, type InspectionRequest, Inspector } from '../../src/media/inspector.js';
import { MediaCache } from '../../src/media/media-cache.js';
import { PhotoEditor } from '../../src/media/photo-editor.js';
import type { GuardedClientOptions } from '../../src/outbound-http/guarded-client.js';
import type { Media } from '../../src/payload/payload.js';
import { becomesLink, classifyMediaError } from '../../src/platforms/media.js';
import type { MediaFile, MediaLimits, PublishError } from '../../src/platforms/publisher.js';
import { createTelegramPublisher } from '../../src/platforms/telegram/descriptor.js';
import { TELEGRAM_LIMITS } from '../../src/platforms/telegram/limits.js';
import { MediaFiles } from '../../src/sagas/publish-due-posts/inputs/shared-inputs.js';
import { postOf, publishPost } from '../platforms/publish-post.js';
import { startStandIn, TOKEN } from '../stand-ins/telegram/stand-in.js';
import { selfSigned } from './certificate.js';
import { clientWith, host, stopLater, tcp } from './harness.js';
import { gif, jpeg, png } from './make-images.js';
import { makeVideo, mp3, ogg, type VideoShape, webm } from './make-videos.js';
import { sparse, type TestHost } from './test-host.js';

const MB = 1_048_576;
const PHOTO: MediaLimits = { maxBytes: 10 * MB, maxSum: 10_000, maxRatio: 20, formats: ['image/jpeg', 'image/png'] };
const VIDEO: MediaLimits = { maxBytes: 50 * MB, formats: ['video/mp4', 'video/quicktime'] };
const AUDIO: MediaLimits = { maxBytes: 50 * MB, formats: ['audio/mpeg'] };
const WANTED = { photo: PHOTO, video: VIDEO, audio: AUDIO };

let there: TestHost;
let directory: string;
const inspector = new Inspector({ timeoutMs: 60_000 });
const editor = new PhotoEditor({ timeoutMs: 60_000 });
beforeEach(async () => {
  directory = await mkdtemp(join(tmpdir(), 'crosspost-files-'));
  stopLater({ stop: () => rm(directory, { recursive: true, force: true }) });
  there = await host();
});
afterAll(() => {
  editor.close();
  inspector.close();
});

const unexpected = () => Promise.reject(new Error('no file was uploaded'));

const filesWith = (
  options: Partial<GuardedClientOptions> = {},
  timeoutMs = 120_000,
  parser = inspector,
): MediaFiles => {
  const client = clientWith(options);
  const parts = { client, uploads: { find: unexpected }, inspector: parser, editor };
  const cache = new MediaCache({ ...parts, directory, capacityBytes: 200 * MB, timeoutMs });
  stopLater({ stop: () => cache.close() });
  return new MediaFiles(cache, silentLog);
};
const signal = new AbortController().signal;
const lend = (type: Media['type'], url: string, by = filesWith(), wanted: MediaLimits = WANTED[type]) =>
  by.forPost({ postId: 'post_1', ownerId: 'own_1', media: [{ type, url }], signal })(0, wanted);
const lent = async (...args: Parameters<typeof lend>): Promise<MediaFile> => {
  const file = await lend(...args);
  if ('code' in file) throw new Error(JSON.stringify(file));
  return file;
};
const refused = async (...args: Parameters<typeof lend>): Promise<PublishError> => {
  const file = await lend(...args);
  if ('code' in file) return file;
  throw new Error(`it is lent: ${file.filename}`);
};
const colour = (width: number, height: number) =>
  sharp({ create: { width, height, channels: 3, background: '#802020' } });

describe('a medium that a network accepts', () => {
  it.each([
    ['photo', encodeURI('/Гавань вечером.JPG'), () => jpeg(30, 20), 'image/jpeg', 'Гавань-вечером.jpg'],
    ['video', '/film.bin', () => makeVideo({ seconds: 3 }), 'video/mp4', 'film.mp4'],
    ['video', '/', () => makeVideo({ seconds: 3, brand: 'qt  ' }), 'video/quicktime', 'file.mov'],
    ['audio', '/..%2f..%2fa%22b.mp3', () => mp3(), 'audio/mpeg', 'a-b.mp3'],
  ] as const)('goes as it is: %s %s', async (type, path, bytes, mime, filename) => {
    const file = await lent(type, there.serve(path, bytes()));
    expect(file).toMatchObject({ mime, filename, sizeBytes: bytes().length });
    file.release();
  });

  it.each([
    ['as it is stored', false, { width: 640, height: 360, duration: 13 }],
    ['as readers see it, if it is rotated', true, { width: 360, height: 640, duration: 13 }],
  ])('goes with the size and length of a video: %s', async (_, isRotated, video) => {
    const file = await lent('video', there.serve('/film.mp4', makeVideo({ seconds: 12.6, isRotated })));
    expect(file.video).toEqual(video);
    file.release();
  });

  it('is fetched once for all networks and attempts, and resized once per set of limits', async () => {
    const by = filesWith();
    const url = there.serve('/photo', await colour(300, 200).webp().toBuffer());
    const files = await Promise.all([1, 2, 3].map(() => lent('photo', url, by)));
    expect(new Set(files.map(({ path }) => path)).size).toBe(1);
    files.forEach((file) => file.release());
    (await lent('photo', url, by)).release();
    (await lent('photo', url, by, { ...PHOTO, maxSide: 100 })).release();
    expect(there.requests).toHaveLength(1);
    expect(await readdir(directory)).toHaveLength(3);
  });
});

describe('the cover of a video (ADR-282)', () => {
  const { cover: limits } = TELEGRAM_LIMITS.media.video;
  const LARGE = 10 * MB;
  const noise = (width: number, height: number) =>
    sharp(randomBytes(width * height * 3), { raw: { width, height, channels: 3 } });
  const film = (cover: Buffer | undefined, more: Partial<VideoShape> = {}) =>
    makeVideo({ seconds: 9, mediaBytes: LARGE, ...(cover && { cover }), ...more });
  const lendFilm = (bytes: Buffer, by = filesWith()) =>
    lent('video', there.serve('/film', bytes), by, { ...VIDEO, cover: limits });

  it.each<[string, Partial<VideoShape>]>([
    ['at the start', {}],
    ['at the end', { index: 'last' }],
    ['after a long index', { samples: 200_000 }],
  ])('becomes a small JPEG: %s', async (_, shape) => {
    for (const cover of [await noise(900, 600).jpeg().toBuffer(), await noise(300, 400).png().toBuffer()]) {
      const file = await lendFilm(film(cover, shape));
      expect(file.cover).toMatchObject({ mime: 'image/jpeg', filename: 'file.jpg' });
      const { format, width, height } = await sharp(file.cover!.path).metadata();
      expect([format, Math.max(width, height)]).toEqual(['jpeg', 320]);
      expect((await readFile(file.cover!.path)).length).toBe(file.cover!.sizeBytes);
      expect(file.cover!.sizeBytes).toBeLessThan(200_000);
      file.release();
    }
  });

  it.each<[string, () => Buffer | Promise<Buffer>]>([
    ['has none', () => film(undefined)],
    ['has an empty one', () => film(Buffer.alloc(0))],
    ['has words for one', () => film(Buffer.from('no picture at all'))],
    ['has a drawing for one', () => film(Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"/>'))],
    ['has one that breaks off', async () => film((await noise(600, 600).jpeg().toBuffer()).subarray(0, 9_000))],
    ['has one of 2,500 megapixels', () => film(png(50_000, 50_000))],
    ['has one of more than 4 MB', async () => film(await noise(1_500, 1_500).png().toBuffer())],
    [
      'ends within it',
      async () => {
        const whole = film(await noise(600, 600).jpeg().toBuffer(), { index: 'last' });
        return whole.subarray(0, whole.length - 1_000);
      },
    ],
    ['is not above 10 MB', async () => film(await noise(300, 300).jpeg().toBuffer(), { mediaBytes: LARGE - 200_000 })],
    ['is no MP4', async () => film(await noise(300, 300).jpeg().toBuffer(), { brand: 'qt  ' })],
  ])('does not stop the video: it %s', async (_, bytes) => {
    const file = await lendFilm(await bytes());
    expect(file.video).toEqual({ width: 640, height: 360, duration: 9 });
    expect(file.cover).toBeUndefined();
    file.release();
  });

  it('does not stop the video if its parser dies', async () => {
    const dying = buildProgram(async () => async ({ wantsCover }: InspectionRequest): Promise<Inspection> => {
      if (wantsCover) process.kill(process.pid, 'SIGSEGV');
      return { extension: 'mp4', mime: 'video/mp4', hasVideo: true, hasAudio: true };
    });
    const fragile = new Inspector({ timeoutMs: 60_000, program: dying });
    stopLater({ stop: async () => fragile.close() });
    const file = await lendFilm(film(await noise(300, 300).jpeg().toBuffer()), filesWith({}, 120_000, fragile));
    expect(file).toMatchObject({ mime: 'video/mp4', cover: undefined });
    file.release();
  });

  it('goes to Telegram, alone and in an album', async () => {
    const telegram = await startStandIn();
    const publisher = createTelegramPublisher({ apiUrl: telegram.url });
    for (const part of [telegram, { stop: () => publisher.close() }]) stopLater(part);
    const cover = await noise(900, 600).jpeg().toBuffer();
    const of = (name: string, bytes: Buffer) => ({ type: 'video' as const, url: there.serve(name, bytes) });
    const media = [of('/with', film(cover)), of('/without', film(undefined))];
    const channel = { id: 'tgt_1', address: { chat_id: '@harbour' }, settings: {} };
    const send = async (list: readonly Media[]) => {
      const files = filesWith().forPost({ postId: 'post_1', ownerId: 'own_1', media: list, signal });
      const context = { credentials: { bot_token: TOKEN }, key: 'pub_1', waits: {}, signal, media: files };
      const { outcome } = await publishPost(publisher, postOf({ media: list }), channel, context);
      expect(outcome).toMatchObject({ kind: 'done' });
      return (await telegram.control.listCalls()).items.map(({ request }) => JSON.stringify(request));
    };
    const [alone] = await send(media.slice(0, 1));
    expect(alone).toContain('attach://cover-0');
    const album = (await send(media)).find((request) => request.includes('video-1'));
    expect(album?.match(/attach:[^"\\]+/g)).toEqual(['attach://video-0', 'attach://cover-0', 'attach://video-1']);
  });

  it('is read once, and leaves nothing behind', async () => {
    const by = filesWith();
    const bytes = film(await noise(900, 600).jpeg().toBuffer());
    const files = await Promise.all([1, 2].map(() => lendFilm(bytes, by)));
    expect(new Set(files.map(({ cover }) => cover!.path)).size).toBe(1);
    files.forEach((file) => file.release());
    expect(await readdir(directory)).toHaveLength(2);
  });
});

describe('a photo that a network does not accept is resized (D-22)', () => {
  it.each([
    ['its format', () => colour(300, 200).webp().toBuffer(), {}, { mime: 'image/jpeg', filename: 'photo.jpg' }],
    ['its size in pixels', () => colour(400, 30).png().toBuffer(), { maxSum: 215 }, { mime: 'image/png' }],
    ['its length in bytes', () => colour(900, 900).png().toBuffer(), { maxBytes: 3_000 }, { mime: 'image/jpeg' }],
  ] as const)('%s', async (_, bytes, more, expected) => {
    const file = await lent('photo', there.serve('/photo.webp', await bytes()), filesWith(), { ...PHOTO, ...more });
    expect(file).toMatchObject(expected);
    file.release();
  });
});

describe('a medium that cannot be sent becomes a link (D-22)', () => {
  it.each<[string, Media['type'], () => Buffer | Promise<Buffer>, string, Partial<MediaLimits>?]>([
    [
      'a photo of a shape that no scaling helps',
      'photo',
      () => colour(2_100, 100).jpeg().toBuffer(),
      'media_unsuitable',
    ],
    ['a photo that cannot be decoded', 'photo', () => jpeg(30, 20), 'media_unsuitable', { maxSide: 10 }],
    ['a photo of more than 25 megapixels', 'photo', () => png(50_000, 50_000), 'media_too_many_pixels'],
    ['a video of a format that the network does not accept', 'video', () => webm(3), 'media_unsuitable'],
    ['sound of a format that the network does not take', 'audio', () => ogg(), 'media_unsuitable'],
    [
      'a video of more bytes than the network takes',
      'video',
      () => makeVideo({ seconds: 3 }),
      'media_too_large',
      { maxBytes: 9 },
    ],
    ['a video of more than 30 minutes', 'video', () => makeVideo({ seconds: 1_801 }), 'media_too_long'],
  ])('%s', async (_, type, bytes, code, more = {}) => {
    const url = there.serve('/medium', await bytes());
    const error = await refused(type, url, filesWith(), { ...WANTED[type], ...more });
    expect(error).toMatchObject({ code, category: 'media', source: 'gateway' });
    expect(error.message).toMatch(/^media\[0\]\.url /);
    expect(becomesLink(error)).toBe(true);
  });

  it('a photo that has grown over 20 MB, announced or not: no more than that is fetched', async () => {
    for (const contentLength of [true, false]) {
      const url = there.serve('/grown', sparse(100 * MB, png(8, 8)), { contentLength });
      const error = await refused('photo', url);
      expect([error.code, becomesLink(error)]).toEqual(['media_too_large', true]);
      expect(there.bytesSent).toBeLessThan(40 * MB);
    }
  });

  it('a video too large for a network is not fetched for it', async () => {
    const url = there.serve('/film', sparse(2_000 * MB, makeVideo({ seconds: 3 })));
    expect(await refused('video', url)).toMatchObject({ code: 'media_too_large' });
    expect(there.bytesSent).toBeLessThan(10 * MB);
  });
});

describe('a medium that has changed since it was accepted fails for good (D-24, D-35)', () => {
  it.each<[string, Media['type'], () => string | Promise<string>, string]>([
    ['a web page', 'photo', () => there.serve('/', Buffer.from('<!doctype html><p>')), 'media_wrong_type'],
    ['another type', 'photo', () => there.serve('/', makeVideo({ seconds: 1 })), 'media_wrong_type'],
    ['a format that posts do not have', 'photo', () => there.serve('/', gif()), 'media_format'],
    ['nothing', 'video', () => there.serve('/', Buffer.alloc(0)), 'media_empty'],
    ['gone', 'photo', () => `${there.origin}/nowhere`, 'media_http_status'],
    ['elsewhere', 'photo', () => there.on('/', (_, answer) => answer.writeHead(302).end()), 'media_redirect'],
    [
      'compressed',
      'audio',
      () => there.serve('/', mp3(), { headers: { 'content-encoding': 'gzip' } }),
      'media_content_encoding',
    ],
    ['at a private address', 'photo', () => there.as('moved.example', '/'), 'private_address'],
    [
      'on a host with a bad certificate',
      'photo',
      async () => (await host({ tls: selfSigned(['127.0.0.1']) })).origin + '/',
      'media_tls',
    ],
  ])('%s', async (_, type, serve, code) => {
    const by = filesWith({ resolve: async () => ['10.0.0.1'] });
    const error = await refused(type, await serve(), by);
    expect(error).toMatchObject({ code, category: 'media' });
    expect(classifyMediaError(error)).toMatchObject({ kind: 'failed' });
    expect(becomesLink(error)).toBe(false);
  });

  it('and is fetched again when the post is sent again: it may have been repaired', async () => {
    const by = filesWith();
    const url = there.serve('/photo', gif());
    expect(await refused('photo', url, by)).toMatchObject({ code: 'media_format' });
    there.serve('/photo', jpeg(30, 20));
    (await lent('photo', url, by)).release();
  });
});

describe('a temporary failure is retried (D-24)', () => {
  const head = (length: number) => `HTTP/1.1 200 OK\r\ncontent-length: ${length}\r\n\r\n`;
  const silent = { timeouts: { headersMs: 100, idleMs: 100 } };
  it.each<[string, () => string | Promise<string>, string, Partial<GuardedClientOptions>?, number?]>([
    ['a host that is down', () => 'http://127.0.0.1:9/', 'media_unreachable'],
    ['an unknown host', () => there.as('gone.example', '/'), 'media_unreachable', { resolve: async () => [] }],
    ['a host that is overloaded', () => there.on('/', (_, answer) => answer.writeHead(503).end()), 'media_http_status'],
    ['a host that does not answer', () => there.on('/', () => undefined), 'media_timeout', silent],
    ['a body that stops', () => tcp((socket) => void socket.write(head(9))), 'media_timeout', silent],
    [
      'a body that drips',
      () =>
        there.on('/', (_, answer) => {
          const drip = setInterval(() => answer.write('a'), 10);
          answer.on('close', () => clearInterval(drip));
        }),
      'media_timeout',
      {},
      200,
    ],
    [
      'a body that breaks off',
      () => tcp((socket) => socket.once('data', () => socket.end(`${head(9)}abc`))),
      'media_unreachable',
    ],
    [
      'what is no HTTP',
      () => tcp((socket) => socket.once('data', () => socket.end('220 smtp\r\n'))),
      'media_bad_answer',
    ],
    [
      'TLS with a host that speaks none',
      async () => (await tcp((socket) => socket.once('data', () => socket.end('hello')))).replace('http', 'https'),
      'media_tls',
    ],
  ])('%s', async (_, serve, code, options = {}, timeoutMs = 120_000) => {
    const error = await refused('photo', await serve(), filesWith(options, timeoutMs));
    expect(error).toMatchObject({ code, category: 'network', source: 'gateway' });
    expect(classifyMediaError(error)).toMatchObject({ kind: 'retry', named: false, afterMs: null });
    expect(await readdir(directory)).toEqual([]);
  });

  it('a failure of the disk', async () => {
    const url = there.serve('/photo', png(8, 8));
    await rm(directory, { recursive: true });
    const error = await refused('photo', url);
    expect(error).toMatchObject({ code: 'media_storage', category: 'internal' });
    expect(classifyMediaError(error)).toMatchObject({ kind: 'retry' });
  });

  it('a stopping worker aborts its downloads', async () => {
    const url = there.on('/', (_, answer) => void answer.write('a'));
    const stop = new AbortController();
    const post = { postId: 'post_1', ownerId: 'own_1', media: [{ type: 'photo', url } as const], signal: stop.signal };
    const waiting = filesWith().forPost(post)(0, PHOTO);
    while (there.requests.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    stop.abort();
    expect(await waiting).toMatchObject({ code: 'media_aborted', category: 'network' });
  });
});
