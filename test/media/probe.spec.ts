// More than 20 s: each of many files is probed in a helper process.
import type { ServerResponse } from 'node:http';
import { Inspector } from '../../src/media/inspector.js';
import { createProber, findMediaProblems, type ProbeReport, type ProberOptions } from '../../src/media/probe.js';
import type { Media } from '../../src/payload/payload.js';
import { until } from '../e2e/until.js';
import { clientWith, host, stopLater } from './harness.js';
import { gif, jpeg, png, webp } from './make-images.js';
import { m4a, makeVideo, makeVideoParts, mp3, mp3WithTag, ogg, type VideoShape, webm } from './make-videos.js';
import { type ServedFile, type Serving, sparse, type TestHost } from './test-host.js';

const MB = 1_048_576;

/** Limits that no probe here comes near, so that a busy machine does not change the result. */
const prober = (options: Partial<ProberOptions> = {}) => {
  const made = createProber({
    client: clientWith(),
    inspector: new Inspector({ timeoutMs: 120_000 }),
    budgetMs: 120_000,
    ...options,
  });
  stopLater({ stop: async () => made.close() });
  return made;
};

const probed = async (...media: Media[]): Promise<readonly ProbeReport[]> => prober().probeAll(media);

let there: TestHost;
beforeEach(async () => {
  there = await host();
});

/** Serves one file and probes it. */
const probeOf = async (type: Media['type'], file: ServedFile | Buffer, how?: Serving): Promise<ProbeReport> => {
  const [report] = await probed({ type, url: there.serve('/file', file, how) });
  if (!report) throw new Error('no report');
  return report;
};

const longVideo = (size: number, shape: VideoShape): ServedFile => {
  const { before, after } = makeVideoParts({ ...shape, mediaBytes: 0 });
  const { before: head, after: tail } = makeVideoParts({ ...shape, mediaBytes: size - before.length - after.length });
  return sparse(head.length === before.length ? size : size + head.length - before.length, head, tail);
};

describe('the type of a medium (publish-api.md: Limits)', () => {
  it.each<[Media['type'], string, Buffer, string, Partial<ProbeReport>]>([
    ['photo', 'a JPEG', jpeg(640, 480), 'image/jpeg', { width: 640, height: 480 }],
    ['photo', 'a PNG', png(640, 480), 'image/png', { width: 640, height: 480 }],
    ['photo', 'a WebP', webp(640, 480), 'image/webp', { width: 640, height: 480 }],
    ['photo', 'a JPEG behind 300 KB of metadata', jpeg(640, 480, 300_000), 'image/jpeg', { width: 640, height: 480 }],
    ['video', 'an MP4', makeVideo({ seconds: 12.5 }), 'video/mp4', { durationSeconds: 12.5, width: 640, height: 360 }],
    ['video', 'an MP4, index last', makeVideo({ seconds: 9, index: 'last' }), 'video/mp4', { durationSeconds: 9 }],
    ['video', 'a QuickTime video', makeVideo({ seconds: 7, brand: 'qt  ' }), 'video/quicktime', { durationSeconds: 7 }],
    ['video', 'an M4V', makeVideo({ seconds: 7, brand: 'M4V ' }), 'video/mp4', { durationSeconds: 7 }],
    ['video', 'a WebM', webm(7.25), 'video/webm', { durationSeconds: 7.25, width: 640, height: 360 }],
    ['audio', 'an MP3', mp3(), 'audio/mpeg', {}],
    ['audio', 'an MP3 behind 200 KB of cover', mp3WithTag(200_000), 'audio/mpeg', {}],
    ['audio', 'an MP3 behind silence', Buffer.concat([Buffer.alloc(500), mp3(200)]), 'audio/mpeg', {}],
    ['audio', 'an M4A', m4a(3), 'audio/mp4', { durationSeconds: 3 }],
    [
      'audio',
      'an MP4 of sound alone',
      makeVideo({ seconds: 4, tracks: ['audio'] }),
      'audio/mp4',
      { durationSeconds: 4 },
    ],
    ['audio', 'an Opus file', ogg('opus'), 'audio/ogg', {}],
    ['audio', 'a Vorbis file', ogg('vorbis'), 'audio/ogg', {}],
  ])('%s: %s', async (type, _, file, mime, more) => {
    const report = await probeOf(type, file, { headers: { 'content-type': 'text/plain' } });
    expect(report).toMatchObject({ type, mime, ok: true, inconclusive: false, sizeBytes: file.length, ...more });
    expect(findMediaProblems([report])).toEqual([]);
  });

  it.each<[Media['type'], string, Buffer, string, RegExp]>([
    ['photo', 'a GIF', gif(), 'media_format', /is image\/gif, .* a photo: send jpg, png or webp/],
    ['photo', 'a video', makeVideo({ seconds: 1 }), 'media_wrong_type', /is a video \(mp4\), not a photo/],
    ['photo', 'audio', mp3(), 'media_wrong_type', /is audio \(mp3\), not a photo/],
    ['photo', 'a web page', Buffer.from('\n<!DOCTYPE html><html>'), 'media_wrong_type', /is a web page.*direct URL/],
    ['photo', 'a page after a comment', Buffer.from('<!-- hi --><html>'), 'media_wrong_type', /is a web page/],
    [
      'photo',
      'SVG',
      Buffer.from('<?xml version="1.0"?><svg xmlns="http://www.w3.org/2000/svg"/>'),
      'media_format',
      /./,
    ],
    ['photo', 'text', Buffer.from('hello, world'), 'media_wrong_type', /is not a photo, judging by its content/],
    ['photo', 'zeros', Buffer.alloc(100_000), 'media_wrong_type', /is not a photo/],
    ['photo', 'a PDF', Buffer.from('%PDF-1.7\n'), 'media_format', /application\/pdf/],
    ['video', 'a photo', png(8, 8), 'media_wrong_type', /is a photo \(png\), not a video: send mp4, mov or webm/],
    ['video', 'a Matroska video', webm(1, 'matroska'), 'media_format', /matroska/],
    ['video', 'sound in an MP4', makeVideo({ seconds: 4, tracks: ['audio'] }), 'media_wrong_type', /is audio \(m4a\)/],
    [
      'video',
      'sound in QuickTime',
      makeVideo({ seconds: 4, brand: 'qt  ', tracks: ['audio'] }),
      'media_wrong_type',
      /only audio/,
    ],
    [
      'video',
      'an MP4 cut off before its index',
      makeVideoParts({ seconds: 4, index: 'last' }).before,
      'media_damaged',
      /./,
    ],
    ['video', 'a GIF', gif(), 'media_format', /image\/gif/],
    [
      'audio',
      'a video',
      makeVideo({ seconds: 1 }),
      'media_wrong_type',
      /is a video \(mp4\), not audio: send mp3, m4a or ogg/,
    ],
    ['audio', 'a WebM', webm(1), 'media_wrong_type', /webm/],
    ['audio', 'a Theora video', ogg('theora'), 'media_format', /video\/ogg/],
    ['audio', 'WAVE', Buffer.from('RIFF\x24\0\0\0WAVEfmt \x10\0\0\0', 'latin1'), 'media_format', /audio\/wav/],
    ['audio', 'a photo', jpeg(8, 8), 'media_wrong_type', /is a photo \(jpg\)/],
  ])('%s: not %s, whatever type its host claims', async (type, _, file, code, message) => {
    const claimed = { photo: 'image/jpeg', video: 'video/mp4', audio: 'audio/mpeg' }[type];
    const report = await probeOf(type, file, { headers: { 'content-type': claimed } });
    expect(report).toMatchObject({ ok: false, inconclusive: false, problem: { path: 'media[0].url', code } });
    expect(report.problem?.message).toMatch(message);
    expect(report.problem?.message).toMatch(/^media\[0\]\.url /);
  });

  it.each(['photo', 'video', 'audio'] as const)('%s: not an empty file', async (type) => {
    for (const ranges of ['honoured', 'ignored'] as const)
      expect((await probeOf(type, Buffer.alloc(0), { ranges })).problem).toMatchObject({ code: 'media_empty' });
  });
});

describe('the limits of a medium, at their edge and one past it', () => {
  it.each<[Media['type'], number, Buffer]>([
    ['photo', 20, png(8, 8)],
    ['audio', 500, mp3()],
  ])('%s: %d MB', async (type, megabytes, head) => {
    const limit = megabytes * MB;
    expect(await probeOf(type, sparse(limit, head))).toMatchObject({ ok: true, sizeBytes: limit });
    const { problem } = await probeOf(type, sparse(limit + 1, head));
    expect(problem).toMatchObject({ path: 'media[0].url', code: 'media_too_large' });
    expect(problem?.message).toContain((limit + 1).toLocaleString('en-US'));
  });

  it('video: 2 GB with its index last, of which few bytes are read', async () => {
    const limit = 2_048 * MB;
    expect(await probeOf('video', longVideo(limit, { seconds: 60, index: 'last' }))).toMatchObject({
      ok: true,
      inconclusive: false,
      sizeBytes: limit,
      durationSeconds: 60,
      width: 640,
    });
    expect(there.requests.length).toBeLessThanOrEqual(4);
    expect(there.bytesSent).toBeLessThan(MB);
    expect((await probeOf('video', longVideo(limit + 1, { seconds: 60, index: 'last' }))).problem).toMatchObject({
      code: 'media_too_large',
    });
  });

  it.each<[string, (width: number, height: number) => Buffer]>([
    ['PNG', png],
    ['JPEG', jpeg],
    ['WebP', webp],
  ])('photo: 25 megapixels of %s', async (_, make) => {
    expect(await probeOf('photo', make(5_000, 5_000))).toMatchObject({ ok: true, width: 5_000, height: 5_000 });
    const { problem } = await probeOf('photo', make(5_001, 5_000));
    expect(problem).toMatchObject({ code: 'media_too_many_pixels' });
    expect(problem?.message).toContain('5001 x 5000 = 25,005,000 pixels; at most 25,000,000');
  });

  it('photo: not an image that would fill the memory when decoded', async () => {
    expect((await probeOf('photo', png(2 ** 31 - 1, 2 ** 31 - 1))).problem).toMatchObject({
      code: 'media_too_many_pixels',
    });
  });

  it.each<[string, (seconds: number) => Buffer]>([
    ['MP4, index first', (seconds) => makeVideo({ seconds })],
    ['MP4, index last', (seconds) => makeVideo({ seconds, index: 'last', mediaBytes: 500_000 })],
    ['MP4, an index of 400 KB', (seconds) => makeVideo({ seconds, samples: 50_000 })],
    ['QuickTime', (seconds) => makeVideo({ seconds, brand: 'qt  ', index: 'last' })],
    ['WebM', webm],
  ])('video: 30 minutes of %s', async (_, make) => {
    expect(await probeOf('video', make(1_800))).toMatchObject({ ok: true, durationSeconds: 1_800 });
    const { problem } = await probeOf('video', make(1_800.001));
    expect(problem).toMatchObject({ code: 'media_too_long' });
    expect(problem?.message).toContain('lasts 30:00.1; at most 30:00 are allowed');
  });

  it('all media together: 4 GB, reported for the list as a whole', async () => {
    const half = longVideo(2_048 * MB, { seconds: 60 });
    const media = ['/a', '/b'].map((path): Media => ({ type: 'video', url: there.serve(path, half) }));
    expect(findMediaProblems(await probed(...media))).toEqual([]);
    const one = { type: 'photo', url: there.serve('/c', png(8, 8)) } as const;
    const reports = await probed(...media, one);
    expect(reports.map(({ ok }) => ok)).toEqual([true, true, true]);
    expect(findMediaProblems(reports)).toEqual([
      expect.objectContaining({
        path: 'media',
        code: 'media_sum_too_large',
        message: expect.stringMatching(/^media have a total of 4096 MB/) as string,
      }),
    ]);
  });
});

describe('the probes of one owner', () => {
  it('wait for each other, and delay no other owner', async () => {
    const held: ServerResponse[] = [];
    const slow = there.on('/slow', (_, response) => void held.push(response));
    const one = prober();
    const stop = new AbortController();
    const flood = Array.from({ length: 10 }, () =>
      one.probeAll(
        [0, 1, 2].map(() => ({ type: 'photo', url: slow })),
        { ownerId: 'flooding', signal: stop.signal },
      ),
    );
    await until('the owner has all its probes under way', async () => held.length === 16);
    const [report] = await one.probeAll([{ type: 'photo', url: there.serve('/fine', png(1, 2)) }], {
      ownerId: 'other',
    });
    expect(report).toMatchObject({ ok: true, inconclusive: false });
    expect(held).toHaveLength(16);
    stop.abort();
    expect((await Promise.all(flood)).flat().every(({ inconclusive }) => inconclusive)).toBe(true);
  });
});

describe('the reports', () => {
  it('are in the order of the media, each with its path', async () => {
    const media: Media[] = [
      { type: 'photo', url: there.serve('/a', png(1, 2)) },
      { type: 'photo', url: there.serve('/b', gif()) },
      { type: 'audio', url: there.serve('/c', mp3()) },
      { type: 'video', url: there.origin + '/gone' },
    ];
    const reports = await probed(...media);
    expect(reports.map(({ type, url }) => ({ type, url }))).toEqual(media);
    expect(reports.map(({ ok }) => ok)).toEqual([true, false, true, false]);
    expect(findMediaProblems(reports).map(({ path }) => path)).toEqual(['media[1].url', 'media[3].url']);
  });

  it('are empty without media', async () => {
    expect(await probed()).toEqual([]);
  });

  it('arrive for a hundred payloads at once', async () => {
    const urls = {
      photo: there.serve('/p', jpeg(640, 480, 100_000)),
      video: there.serve('/v', makeVideo({ seconds: 5, index: 'last', mediaBytes: 300_000 })),
      audio: there.serve('/a', mp3WithTag(100_000)),
    };
    const media = (['photo', 'video', 'audio'] as const).map((type): Media => ({ type, url: urls[type] }));
    const one = prober();
    const all = await Promise.all(Array.from({ length: 100 }, () => one.probeAll(media)));
    for (const reports of all)
      expect(reports.map(({ ok, inconclusive }) => [ok, inconclusive])).toEqual(media.map(() => [true, false]));
  });
});
