import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MediaFile, MediaLimits, PublishError, SendContext } from '../../../src/platforms/publisher.js';
import { COMMUNITY_TOKEN } from '../../stand-ins/vk/stand-in.js';
import { CHANNEL, contextFor, post, publish, startVk, TEXT_ONLY_CHANNEL } from './vk-harness.js';

let folder: string;
let vk: Awaited<ReturnType<typeof startVk>>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crosspost-media-'));
  vk = await startVk();
});
afterEach(async () => {
  await vk.stop();
  await rm(folder, { recursive: true, force: true });
});

const PNG = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const MP4 = Buffer.concat([Buffer.alloc(4), Buffer.from('ftypisom')]);
const photo = { type: 'photo', url: 'https://media.example/a.png' } as const;
const video = { type: 'video', url: 'https://media.example/storm%20at%20sea.mp4' } as const;
const audio = { type: 'audio', url: 'https://media.example/horn.mp3' } as const;

let released: number;
const fileOf = async (name: string, bytes: Buffer, mime: string): Promise<MediaFile> => {
  const path = join(folder, name);
  await writeFile(path, bytes);
  return { path, sizeBytes: bytes.length, mime, filename: name, isFitted: false, release: () => void released++ };
};
/** Returns a context with these files or errors, by the index of their medium. */
const files = (
  available: readonly (MediaFile | PublishError)[],
): { context: SendContext; requested: MediaLimits[] } => {
  released = 0;
  const requested: MediaLimits[] = [];
  const media: SendContext['media'] = async (index, limits) => {
    requested.push(limits);
    return available[index]!;
  };
  return { context: contextFor({ media }), requested };
};
const newest = async () => (await vk.control.readLedger()).at(-1);

describe('photos and videos', () => {
  it('are uploaded one by one, are on the wall in their order, and their files are released', async () => {
    const { context, requested } = files([
      await fileOf('a.png', PNG, 'image/png'),
      await fileOf('storm.mp4', MP4, 'video/mp4'),
    ]);
    const { outcome, results } = await publish(vk.publisher, post({ media: [photo, video] }), context);
    expect(outcome).toMatchObject({ kind: 'done', messageIds: ['1'] });
    expect(results).toEqual({
      'media-1': { attachment: expect.stringMatching(/^photo1_\d+_\w+$/) },
      'media-2': { attachment: expect.stringMatching(/^video-7_\d+_\w+$/) },
    });
    expect((await newest())?.media).toMatchObject([
      { type: 'photo', name: 'a.png', bytes: PNG.length },
      { type: 'video', name: 'storm at sea', bytes: MP4.length },
    ]);
    expect(released).toBe(2);
    expect(requested).toMatchObject([
      { maxBytes: 52_428_800, maxSum: 14_000 },
      { formats: ['video/mp4', 'video/quicktime', 'video/webm'] },
    ]);
    const { items } = await vk.control.listCalls();
    expect(items.map(({ method }) => method)).toEqual([
      'photos.getWallUploadServer',
      'upload.photo',
      'photos.saveWallPhoto',
      'video.save',
      'upload.video',
      'wall.post',
    ]);
  });

  it('are sent without a text too', async () => {
    const { context } = files([await fileOf('a.png', PNG, 'image/png')]);
    await publish(vk.publisher, post({ text: '', media: [photo] }), context);
    expect(await newest()).toMatchObject({ text: '', media: [{ type: 'photo' }] });
  });

  it('without an upload token become links in the text, with a warning', async () => {
    const context = contextFor({ channel: TEXT_ONLY_CHANNEL, credentials: { access_token: COMMUNITY_TOKEN } });
    await publish(vk.publisher, post({ media: [photo, audio] }), context);
    expect(await newest()).toMatchObject({ text: `Ahoy\n\n${photo.url}\n${audio.url}`, media: [] });
    const { warnings } = vk.publisher.render(post({ media: [photo, audio] }), TEXT_ONLY_CHANNEL);
    expect(warnings.map(({ message }) => message)).toEqual([
      'media[0] is published as a link in the text: the channel has no upload token.',
      'media[1] is published as a link in the text: VK does not accept audio.',
    ]);
  });
});

describe('a medium that is not sent', () => {
  const error = (code: string, category: PublishError['category']): PublishError => ({
    code,
    category,
    source: 'gateway',
    message: 'It is 60 MB.',
  });

  it('when it cannot be fitted: a link in the text, the others as they are', async () => {
    const { context } = files([error('media_too_large', 'media'), await fileOf('a.png', PNG, 'image/png')]);
    const of = post({ media: [video, photo] });
    const { outcome, results } = await publish(vk.publisher, of, context);
    expect(outcome).toMatchObject({ kind: 'done' });
    expect(await newest()).toMatchObject({ text: `Ahoy\n\n${video.url}`, media: [{ type: 'photo' }] });
    expect(vk.publisher.render(of, CHANNEL, results).warnings).toEqual([
      { code: 'media_linked', message: 'media[0] is published as a link in the text: It is 60 MB.' },
    ]);
  });

  it('when VK cannot read it: a link in the text', async () => {
    const { context } = files([await fileOf('a.png', Buffer.from('words'), 'image/png')]);
    await publish(vk.publisher, post({ media: [photo] }), context);
    expect(await newest()).toMatchObject({ text: `Ahoy\n\n${photo.url}`, media: [] });
    expect(released).toBe(1);
  });

  const parameter = { error: { error_code: 100, error_msg: 'photo is undefined' } };
  it.each([
    ['upload.photo', 413, '<html>Request Entity Too Large</html>', 1],
    ['upload.video', 413, '<html>Request Entity Too Large</html>', 1],
    ['upload.video', 200, { error_code: 22, error_msg: 'unsupported video format' }, 2],
    ['upload.photo', 400, { error: 'ERR_UPLOAD_FILE_NOT_UPLOADED' }, 2],
    ['photos.saveWallPhoto', 200, parameter, 2],
    ['photos.getWallUploadServer', 200, parameter, 2],
    ['video.save', 200, parameter, 2],
  ])('when VK refuses it (%s %i %j): a link in the text (D-22)', async (method, status, body, times) => {
    const [medium, file] = method.includes('video')
      ? ([video, await fileOf('a.mp4', MP4, 'video/mp4')] as const)
      : ([photo, await fileOf('a.png', PNG, 'image/png')] as const);
    const { context } = files([file]);
    await vk.control.addFault({ mode: 'answer', method, status, body, times });
    const of = post({ media: [medium] });
    const { outcome, results } = await publish(vk.publisher, of, context);
    expect(outcome).toMatchObject({ kind: 'done' });
    expect(await newest()).toMatchObject({ text: `Ahoy\n\n${medium.url}`, media: [] });
    const says = /undefined|unsupported|ERR_UPLOAD|Too Large/.exec(JSON.stringify(body))?.[0];
    expect(vk.publisher.render(of, CHANNEL, results).warnings).toMatchObject([
      { code: 'media_linked', message: expect.stringContaining(says!) },
    ]);
    expect((await vk.control.listCalls({ method })).items).toHaveLength(times);
    expect(released).toBe(1);
  });

  it.each([
    ['photos.getWallUploadServer', { error_code: 1117, error_msg: 'Access token has expired' }],
    ['photos.getWallUploadServer', { error_code: 5, error_msg: 'User authorization failed' }],
    ['photos.saveWallPhoto', { error_code: 3610, error_msg: 'User is deactivated' }],
    ['video.save', { error_code: 15, error_subcode: 1133, error_msg: 'Access denied' }],
  ])('but a dead upload token (%s %j) stops the channel, and nothing becomes a link', async (method, error) => {
    const [medium, file] = method.includes('video')
      ? ([video, await fileOf('a.mp4', MP4, 'video/mp4')] as const)
      : ([photo, await fileOf('a.png', PNG, 'image/png')] as const);
    await vk.control.addFault({ mode: 'answer', method, status: 200, body: { error } });
    const { outcome } = await publish(vk.publisher, post({ media: [medium] }), files([file]).context);
    expect(outcome).toMatchObject({ kind: 'needs_attention', error: { category: 'credentials' } });
    expect(await newest()).toBeUndefined();
  });

  it('unless it cannot be saved once: it is uploaded again', async () => {
    const { context } = files([await fileOf('a.png', PNG, 'image/png')]);
    await vk.control.addFault({ mode: 'answer', method: 'photos.saveWallPhoto', status: 200, body: parameter });
    await publish(vk.publisher, post({ media: [photo] }), context);
    expect(await newest()).toMatchObject({ text: 'Ahoy', media: [{ type: 'photo' }] });
  });

  it.each([[''], ['[]'], [[]]])(
    'unless it was damaged in transit once: after photo %j it is uploaded again',
    async (empty) => {
      const { context } = files([await fileOf('a.png', PNG, 'image/png')]);
      const body = { server: 1, photo: empty, hash: 'h' };
      await vk.control.addFault({ mode: 'answer', method: 'upload.photo', status: 200, body });
      await publish(vk.publisher, post({ media: [photo] }), context);
      expect(await newest()).toMatchObject({ text: 'Ahoy', media: [{ type: 'photo' }] });
      expect(released).toBe(1);
    },
  );

  it.each([
    ['when it no longer exists: the post fails', error('media_not_found', 'media'), { kind: 'failed' }],
    ['when its host is down: it is retried', error('unreachable', 'network'), { kind: 'retry', named: false }],
  ])('%s', async (_, failure, outcome) => {
    const { context } = files([failure]);
    expect((await publish(vk.publisher, post({ media: [photo] }), context)).outcome).toMatchObject(outcome);
    expect(await newest()).toBeUndefined();
  });
});

describe('a failed upload may be repeated (networks.md §3)', () => {
  it.each([
    ['photos.getWallUploadServer', 'drop_before_accepting', 'retry'],
    ['upload.photo', 'accept_then_drop', 'retry'],
    ['photos.saveWallPhoto', 'accept_then_drop', 'retry'],
    ['upload.photo', 'answer', 'retry'],
  ] as const)('%s meets %s', async (method, mode, kind) => {
    const { context } = files([await fileOf('a.png', PNG, 'image/png')]);
    await vk.control.addFault({ mode, method, status: 502, body: '<html></html>' });
    expect((await publish(vk.publisher, post({ media: [photo] }), context)).outcome).toMatchObject({
      kind,
      named: false,
    });
    expect((await publish(vk.publisher, post({ media: [photo] }), context)).outcome).toMatchObject({ kind: 'done' });
    expect(await vk.control.readLedger()).toHaveLength(1);
    expect(released).toBe(2);
  });

  const busy = { message: 'busy' };
  const internal = { error: { error_code: 10, error_msg: 'Internal server error' } };
  it.each([
    ['photo', 503, busy],
    ['photo', 500, internal],
    ['photo', 200, internal],
    ['photo', 200, {}],
    ['video', 503, busy],
    ['video', 400, busy],
    ['video', 500, { error: { error_code: 1 } }],
    ['video', 200, internal],
    ['video', 200, {}],
  ] as const)('a %s that is answered with %i %j: neither taken nor refused', async (kind, status, body) => {
    const { context } = files([
      await (kind === 'photo' ? fileOf('a.png', PNG, 'image/png') : fileOf('a.mp4', MP4, 'video/mp4')),
    ]);
    const of = post({ media: [kind === 'photo' ? photo : video] });
    await vk.control.addFault({ mode: 'answer', method: `upload.${kind}`, status, body });
    const { outcome } = await publish(vk.publisher, of, context);
    expect(outcome).toMatchObject({ kind: 'retry', named: false, error: { platform_says: expect.any(String) } });
    expect((await vk.control.listCalls({ method: `upload.${kind}` })).items).toHaveLength(1);
    expect((await publish(vk.publisher, of, context)).outcome).toMatchObject({ kind: 'done' });
    expect(await newest()).toMatchObject({ text: 'Ahoy', media: [{ type: kind }] });
  });

  it('after the delay that a 429 response names, whatever its body contains', async () => {
    const { context } = files([await fileOf('a.png', PNG, 'image/png')]);
    const slow = { status: 429, body: internal, headers: { 'retry-after': '3' } };
    await vk.control.addFault({ mode: 'answer', method: 'upload.photo', ...slow });
    const { outcome } = await publish(vk.publisher, post({ media: [photo] }), context);
    expect(outcome).toMatchObject({ kind: 'retry', named: true, afterMs: 3_000 });
  });

  it("unless the token is a community's, which cannot upload: the channel needs attention", async () => {
    const { context } = files([await fileOf('a.png', PNG, 'image/png')]);
    const credentials = { access_token: COMMUNITY_TOKEN, upload_token: COMMUNITY_TOKEN };
    const { outcome } = await publish(vk.publisher, post({ media: [photo] }), { ...context, credentials });
    expect(outcome).toMatchObject({ kind: 'needs_attention', error: { code: 'wrong_kind_of_token' } });
    expect(released).toBe(1);
  });
});

describe('a file of 100 MB', () => {
  it('is streamed and never complete in memory', async () => {
    const size = 100 * 1_048_576;
    const path = join(folder, 'long.mp4');
    const handle = await open(path, 'w');
    await handle.truncate(size);
    await handle.close();

    let received = 0;
    let held = 0;
    const before = process.memoryUsage().arrayBuffers;
    const sink = createServer((request, response) => {
      request.on('data', (chunk: Buffer) => {
        received += chunk.length;
        held = Math.max(held, process.memoryUsage().arrayBuffers - before);
      });
      request.on('end', () => response.end(JSON.stringify({ size, video_id: 1 })));
    });
    await new Promise<void>((listening) => sink.listen(0, '127.0.0.1', listening));
    const upload_url = `http://127.0.0.1:${(sink.address() as AddressInfo).port}/`;
    const body = { response: { upload_url, owner_id: -7, video_id: 5 } };
    await vk.control.addFault({ mode: 'answer', method: 'video.save', status: 200, body });

    const file = {
      path,
      sizeBytes: size,
      mime: 'video/mp4',
      filename: 'long.mp4',
      isFitted: false,
      release: () => undefined,
    };
    const { context } = files([file]);
    const step = vk.publisher.render(post({ media: [video] }), CHANNEL).steps[0]!;
    expect(await vk.publisher.send(step, context)).toMatchObject({ result: { attachment: 'video-7_5' } });
    expect(received).toBeGreaterThan(size);
    expect(held).toBeLessThan(64 * 1_048_576);
    sink.closeAllConnections();
    await new Promise((closed) => sink.close(closed));
  });
});
