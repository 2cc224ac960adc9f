import { mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { MediaFile, MediaLimits, PublishError, SendContext } from '../../../src/platforms/publisher.js';
import { APPLICATION, TOKEN } from '../../stand-ins/ok/stand-in.js';
import { CHANNEL, contextFor, post, publish, startOk } from './ok-harness.js';

let folder: string;
let ok: Awaited<ReturnType<typeof startOk>>;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crosspost-media-'));
  ok = await startOk();
});
afterEach(async () => {
  await ok.stop();
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
const newest = async () => (await ok.control.readLedger()).at(-1);

describe('photos and videos', () => {
  it('are uploaded one by one, are on the wall in their order, and their files are released', async () => {
    const { context, requested } = files([
      await fileOf('a.png', PNG, 'image/png'),
      await fileOf('storm.mp4', MP4, 'video/mp4'),
    ]);
    const { outcome, results } = await publish(ok.publisher, post({ media: [photo, video] }), context);
    expect(outcome).toMatchObject({ kind: 'done', messageIds: [expect.any(String)] });
    expect(results).toEqual({
      'media-1': { id: expect.stringMatching(/^[0-9a-f]{64}$/) },
      'media-2': { id: expect.stringMatching(/^\d+$/) },
    });
    expect((await newest())?.media).toMatchObject([
      { type: 'photo', name: 'a.png', bytes: PNG.length },
      { type: 'video', name: 'storm.mp4', bytes: MP4.length },
    ]);
    expect(released).toBe(2);
    expect(requested).toMatchObject([
      { maxBytes: 20_971_520, formats: ['image/jpeg', 'image/png', 'image/gif'] },
      { maxBytes: 2_147_483_648, formats: ['video/mp4', 'video/quicktime', 'video/webm'] },
    ]);
    const { items } = await ok.control.listCalls();
    expect(items.map(({ method }) => method)).toEqual([
      'photosV2.getUploadUrl',
      'upload.photo',
      'video.getUploadUrl',
      'upload.video',
      'video.update',
      'video.get',
      'mediatopic.post',
    ]);
  });

  it('may have numbers as ids', async () => {
    const server = createServer((request, response) => {
      request.resume().once('end', () => response.end(JSON.stringify({ photos: { 77: { token: 'T77' } } })));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const upload_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
    const body = { photo_ids: [77], upload_url };
    await ok.control.addFault({ mode: 'answer', method: 'photosV2.getUploadUrl', status: 200, body });
    const { context } = files([await fileOf('a.png', PNG, 'image/png')]);
    const { results } = await publish(ok.publisher, post({ media: [photo] }), context);
    expect(results).toEqual({ 'media-1': { id: 'T77' } });
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  });

  it('are sent without a text too', async () => {
    const { context } = files([await fileOf('a.png', PNG, 'image/png')]);
    await publish(ok.publisher, post({ text: '', media: [photo] }), context);
    expect(await newest()).toMatchObject({ text: '', media: [{ type: 'photo' }] });
  });

  it('do not include audio, which becomes a link in the text, with a warning', async () => {
    await publish(ok.publisher, post({ media: [audio] }), contextFor());
    expect(await newest()).toMatchObject({ text: `Ahoy\n\n${audio.url}`, media: [] });
    expect(ok.publisher.render(post({ media: [audio] }), CHANNEL).warnings).toEqual([
      { code: 'media_linked', message: 'media[0] is published as a link in the text: OK does not accept audio.' },
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
    const { outcome, results } = await publish(ok.publisher, of, context);
    expect(outcome).toMatchObject({ kind: 'done' });
    expect(await newest()).toMatchObject({ text: `Ahoy\n\n${video.url}`, media: [{ type: 'photo' }] });
    expect(ok.publisher.render(of, CHANNEL, results).warnings).toEqual([
      { code: 'media_linked', message: 'media[0] is published as a link in the text: It is 60 MB.' },
    ]);
  });

  it('when OK cannot read it: a link in the text', async () => {
    const { context } = files([await fileOf('a.png', Buffer.from('words'), 'image/png')]);
    await publish(ok.publisher, post({ media: [photo] }), context);
    expect(await newest()).toMatchObject({ text: `Ahoy\n\n${photo.url}`, media: [] });
    expect(released).toBe(1);
  });

  const refused = (error_code: number) => ({ error_code, error_msg: 'not this one' });
  it.each([
    ['upload.photo', 413, '<html>not this one</html>', 1],
    ['upload.video', 413, '<html>not this one</html>', 1],
    ['upload.photo', 400, refused(500), 2],
    ['upload.video', 200, refused(505), 2],
    ['photosV2.getUploadUrl', 200, refused(500), 2],
    ['video.update', 200, refused(511), 2],
    ['video.update', 200, refused(100), 2],
  ])('when OK refuses it (%s %i %j): a link in the text (D-22)', async (method, status, body, times) => {
    const [medium, file] = method.includes('video')
      ? ([video, await fileOf('b.mp4', MP4, 'video/mp4')] as const)
      : ([photo, await fileOf('a.png', PNG, 'image/png')] as const);
    const { context } = files([file]);
    await ok.control.addFault({ mode: 'answer', method, status, body, times });
    const of = post({ media: [medium] });
    const { outcome, results } = await publish(ok.publisher, of, context);
    expect(outcome).toMatchObject({ kind: 'done' });
    expect(await newest()).toMatchObject({ text: `Ahoy\n\n${medium.url}`, media: [] });
    expect(ok.publisher.render(of, CHANNEL, results).warnings).toMatchObject([
      { code: 'media_linked', message: expect.stringContaining('(not this one)') },
    ]);
    expect((await ok.control.listCalls({ method })).items).toHaveLength(times);
    expect(released).toBe(1);
  });

  it.each([{ photos: {} }, { error_code: 500, error_msg: 'UPLOAD : no' }])(
    'unless it was damaged in transit once: after %j it is uploaded again',
    async (body) => {
      const { context } = files([await fileOf('a.png', PNG, 'image/png')]);
      await ok.control.addFault({ mode: 'answer', method: 'upload.photo', status: 200, body });
      await publish(ok.publisher, post({ media: [photo] }), context);
      expect(await newest()).toMatchObject({ text: 'Ahoy', media: [{ type: 'photo' }] });
      expect(released).toBe(1);
    },
  );

  it.each([
    ['when it no longer exists: the post fails', error('media_not_found', 'media'), { kind: 'failed' }],
    ['when its host is down: it is retried', error('unreachable', 'network'), { kind: 'retry', named: false }],
  ])('%s', async (_, failure, outcome) => {
    const { context } = files([failure]);
    expect((await publish(ok.publisher, post({ media: [photo] }), context)).outcome).toMatchObject(outcome);
    expect(await newest()).toBeUndefined();
  });
});

describe('a failed upload may be repeated (networks.md §3)', () => {
  it.each([
    ['photosV2.getUploadUrl', 'drop_before_accepting', 'retry'],
    ['upload.photo', 'accept_then_drop', 'retry'],
    ['upload.photo', 'answer', 'retry'],
    ['upload.video', 'accept_then_drop', 'retry'],
    ['video.update', 'accept_then_drop', 'retry'],
  ] as const)('%s meets %s', async (method, mode, kind) => {
    const { context } = files([await fileOf('a.png', PNG, 'image/png'), await fileOf('b.mp4', MP4, 'video/mp4')]);
    const of = post({ media: [photo, video] });
    await ok.control.addFault({ mode, method, status: 502, body: '<html></html>' });
    expect((await publish(ok.publisher, of, context)).outcome).toMatchObject({ kind, named: false });
    expect((await publish(ok.publisher, of, context)).outcome).toMatchObject({ kind: 'done' });
    expect(await ok.control.readLedger()).toHaveLength(1);
  });

  it('a video whose processing OK says takes a while is waited for, as long as the channel says', async () => {
    const { context } = files([await fileOf('b.mp4', MP4, 'video/mp4')]);
    await ok.control.request('POST', 'videos', { checks: 2 });
    const settings = { video_check_seconds: 0.01, video_wait_seconds: 60 };
    const patient = { ...context, channel: { ...context.channel, settings } };
    expect((await publish(ok.publisher, post({ media: [video] }), patient)).outcome).toMatchObject({ kind: 'done' });
    expect((await ok.control.listCalls({ method: 'video.get' })).items).toHaveLength(3);
    const hasty = { ...patient, channel: { ...context.channel, settings: { ...settings, video_wait_seconds: 0 } } };
    const more = { ...hasty, media: files([await fileOf('c.mp4', MP4, 'video/mp4')]).context.media };
    expect((await publish(ok.publisher, post({ media: [video] }), more)).outcome).toMatchObject({ kind: 'done' });
    expect((await ok.control.listCalls({ method: 'video.get' })).items).toHaveLength(4);
  });

  it('a video that is ready before it is released is published', async () => {
    await ok.control.request('POST', 'videos', { ready: true });
    const { context } = files([await fileOf('b.mp4', MP4, 'video/mp4')]);
    await publish(ok.publisher, post({ media: [video] }), context);
    expect(await newest()).toMatchObject({ text: 'Ahoy', media: [{ type: 'video' }] });
  });

  it('for a video without a clear response that is not there', async () => {
    const { context } = files([await fileOf('b.mp4', MP4, 'video/mp4')]);
    await ok.control.addFault({ mode: 'answer', method: 'upload.video', status: 200, body: '' });
    const { outcome } = await publish(ok.publisher, post({ media: [video] }), context);
    expect(outcome).toMatchObject({ kind: 'done' });
    expect(await newest()).toMatchObject({ text: 'Ahoy', media: [{ type: 'video' }] });
    const chain = ['video.getUploadUrl', 'upload.video', 'video.update', 'video.get'];
    const { items } = await ok.control.listCalls();
    expect(items.map(({ method }) => method)).toEqual([...chain, ...chain, 'mediatopic.post']);
  });

  it.each([
    [503, { message: 'busy' }],
    [500, { error_code: 500, error_msg: 'UPLOAD' }],
    [200, {}],
  ])('for a photo with the response %i %j, neither accepted nor refused', async (status, body) => {
    const { context } = files([await fileOf('a.png', PNG, 'image/png')]);
    await ok.control.addFault({ mode: 'answer', method: 'upload.photo', status, body });
    const { outcome } = await publish(ok.publisher, post({ media: [photo] }), context);
    expect(outcome).toMatchObject({ kind: 'retry', named: false });
    expect((await publish(ok.publisher, post({ media: [photo] }), context)).outcome).toMatchObject({ kind: 'done' });
    expect(await newest()).toMatchObject({ text: 'Ahoy', media: [{ type: 'photo' }] });
  });

  it('unless the token has expired in the meantime: the channel needs attention', async () => {
    const { context } = files([await fileOf('a.png', PNG, 'image/png')]);
    await ok.control.request('POST', 'tokens', { token: TOKEN, state: 'expired' });
    const { outcome } = await publish(ok.publisher, post({ media: [photo] }), context);
    expect(outcome).toMatchObject({ kind: 'needs_attention', error: { code: 'token_expired' } });
    expect(JSON.stringify(outcome)).not.toContain(APPLICATION.application_secret);
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
      request.on('end', () => response.end('<retval>1</retval>'));
    });
    await new Promise<void>((listening) => sink.listen(0, '127.0.0.1', listening));
    const upload_url = `http://127.0.0.1:${(sink.address() as AddressInfo).port}/`;
    const answers = { 'video.getUploadUrl': { upload_url, video_id: 5 }, 'video.update': {} };
    for (const [method, body] of Object.entries(answers))
      await ok.control.addFault({ mode: 'answer', method, status: 200, body });

    const file = {
      path,
      sizeBytes: size,
      mime: 'video/mp4',
      filename: 'long.mp4',
      isFitted: false,
      release: () => undefined,
    };
    const { context } = files([file]);
    const step = ok.publisher.render(post({ media: [video] }), CHANNEL).steps[0]!;
    expect(await ok.publisher.send(step, context)).toMatchObject({ result: { id: '5' } });
    expect(received).toBeGreaterThan(size);
    expect(held).toBeLessThan(64 * 1_048_576);
    sink.closeAllConnections();
    await new Promise((closed) => sink.close(closed));
  });
});
