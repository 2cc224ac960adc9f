import type { SendContext } from '../../../src/platforms/publisher.js';
import { createTelegramPublisher } from '../../../src/platforms/telegram/descriptor.js';
import { startStandIn, TOKEN } from '../../stand-ins/telegram/stand-in.js';
import { mediaError, mediaFolder } from '../media-files.js';
import { postOf, publishPost } from '../publish-post.js';
import { startSink } from '../sink.js';

let telegram: Awaited<ReturnType<typeof startStandIn>>;
let files: Awaited<ReturnType<typeof mediaFolder>>;
let publisher: ReturnType<typeof createTelegramPublisher>;
const toClose: (() => Promise<unknown>)[] = [];
beforeEach(async () => {
  telegram = await startStandIn();
  files = await mediaFolder();
  publisher = createTelegramPublisher({ apiUrl: telegram.url });
});
afterEach(async () => {
  for (const close of toClose.splice(0)) await close();
  await telegram.stop();
  await publisher.close();
  expect(files.lent()).toBe(0);
  await files.remove();
});

const MB = 1_048_576;
const channel = { id: 'tgt_1', address: { chat_id: '@harbour' }, settings: {} };
const TYPES = { jpg: 'photo', mp4: 'video', mov: 'video', mp3: 'audio' } as const;
const mediaOf = (names: readonly string[]) =>
  names.map((name) => ({ type: TYPES[name.split('.')[1] as 'jpg'], url: `https://media.example/${name}` }));
const contextWith = (more: Partial<SendContext> = {}): SendContext => ({
  credentials: { bot_token: TOKEN },
  channel,
  results: {},
  key: 'key',
  waits: {},
  media: files.lending([]),
  signal: new AbortController().signal,
  ...more,
});
const publishFiles = async (
  names: readonly string[],
  { channel: to = channel, ...more }: Partial<SendContext> = {},
  by = publisher,
) => {
  const paths = await Promise.all(names.map((name) => files.make(name)));
  const post = postOf({ text: 'Look', media: mediaOf(names) });
  return publishPost(by, post, to, contextWith({ media: files.lending(paths), ...more }));
};
const kinds = async () => (await telegram.control.readLedger()).map(({ media, text }) => media[0]?.type ?? text);

describe('files (D-22, D-24)', () => {
  it('are requested within the limits of Telegram', async () => {
    await publishFiles(['a.jpg', 'b.mp4', 'c.mp3']);
    const asked = files.requested.slice(0, 3).map(({ index, limits }) => [index, limits.maxBytes, limits.maxSum]);
    expect(asked).toEqual([
      [0, 10 * MB, 10_000],
      [1, 50 * MB, undefined],
      [2, 50 * MB, undefined],
    ]);
  });

  it('a file with a wrong extension is sent by its real type', async () => {
    const post = postOf({ text: 'Film', media: mediaOf(['a.mp4', 'b.mp4']) });
    const paths = [await files.make('really.mov'), await files.make('b.mp4')];
    const { outcome, warnings } = await publishPost(
      publisher,
      post,
      channel,
      contextWith({ media: files.lending(paths) }),
    );
    expect(outcome).toMatchObject({ kind: 'done' });
    expect(warnings).toEqual(['media_as_document']);
    expect(await kinds()).toEqual(['video', 'document', 'Film']);
  });

  it.each([
    [10 * MB, 'a.jpg', ['photo']],
    [10 * MB + 1, 'a.jpg', ['Look\n\nhttps://media.example/a.jpg']],
    [50 * MB + 1, 'a.mp4', ['Look\n\nhttps://media.example/a.mp4']],
  ])('%i bytes of %s', async (size, name, shown) => {
    const path = await files.make(name, size);
    const post = postOf({ text: 'Look', media: mediaOf([name]) });
    const { outcome } = await publishPost(publisher, post, channel, contextWith({ media: files.lending([path]) }));
    expect(outcome).toMatchObject({ kind: 'done' });
    expect(await kinds()).toEqual(shown);
  });

  const tooLarge = { ok: false, error_code: 413, description: 'Request Entity Too Large' };
  it.each([
    ['sendPhoto', ['a.jpg'], tooLarge, ['Look\n\nhttps://media.example/a.jpg']],
    ['sendPhoto', ['a.jpg'], '<html>too large</html>', ['Look\n\nhttps://media.example/a.jpg']],
    [
      'sendMediaGroup',
      ['a.jpg', 'b.mp4'],
      tooLarge,
      ['Look\n\nhttps://media.example/a.jpg\nhttps://media.example/b.mp4'],
    ],
    ['sendPhoto', ['a.jpg', 'b.mp3'], tooLarge, ['audio', 'Look\n\nhttps://media.example/a.jpg']],
    ['sendAudio', ['a.jpg', 'b.mp3'], tooLarge, ['photo', 'Look\n\nhttps://media.example/b.mp3']],
    ['sendDocument', ['a.mov', 'b.jpg'], tooLarge, ['photo', 'Look\n\nhttps://media.example/a.mov']],
  ])('%s refuses %j as too large: the text is sent, once, with links', async (method, names, body, shown) => {
    await telegram.control.addFault({ mode: 'answer', method, status: 413, body });
    const { outcome, warnings } = await publishFiles(names);
    expect(outcome).toMatchObject({ kind: 'done' });
    expect(warnings).toContain('media_as_link');
    expect(await kinds()).toEqual(shown);
    expect((await telegram.control.readLedger()).filter(({ text }) => text.includes('Look'))).toHaveLength(1);
  });

  it.each([
    ['redirect', 'media', { kind: 'failed', error: { code: 'redirect' } }],
    ['unreachable', 'network', { kind: 'retry', named: false, afterMs: null }],
  ] as const)('%s (%s), and nothing is sent', async (code, category, outcome) => {
    const media = files.lending([await files.make('a.jpg'), mediaError(code, category)]);
    expect((await publishFiles(['a.jpg', 'b.mp4'], { media })).outcome).toMatchObject(outcome);
    expect((await telegram.control.listCalls()).total).toBe(0);
  });

  it('a file that is missing when it is sent is downloaded again in the next attempt', async () => {
    const path = await files.make('a.jpg');
    let asked = 0;
    const media: SendContext['media'] = (index, limits) =>
      files.lending([path, asked++ < 3 ? path : mediaError('unreachable', 'network')])(index, limits);
    const { outcome } = await publishFiles(['a.jpg', 'b.jpg'], { media });
    expect(outcome).toMatchObject({ kind: 'retry', named: false });
    expect((await telegram.control.listCalls()).total).toBe(0);
  });
});

describe('the cover of a video (ADR-282)', () => {
  const video = { width: 1_280, height: 720, duration: 9 };
  /** Publishes videos; their covers are gone from the cache when they are sent, if `isLost`. */
  const publishVideos = async (names: readonly string[], isLost = false) => {
    const cover = await files.makeCover();
    const paths = await Promise.all(names.map((name) => files.make(name)));
    let asked = 0;
    const media: SendContext['media'] = (index, limits) => {
      const isKnown = !isLost || asked++ < names.length;
      return files.lending(paths, { video, ...(isKnown && { cover }) })(index, limits);
    };
    const { outcome } = await publishFiles(names, { media });
    expect(outcome).toMatchObject({ kind: 'done' });
    return (await telegram.control.listCalls()).items.map(({ method, request }) => ({ method, request }));
  };

  it.each([
    ['alone', ['a.mp4'], 'sendVideo'],
    ['in an album', ['a.jpg', 'b.mp4', 'c.mp4'], 'sendMediaGroup'],
  ])('goes with it: %s', async (_, names, method) => {
    const [call] = await publishVideos(names);
    expect(call).toMatchObject({ method });
    expect(JSON.stringify(call?.request).match(/attach:\/\/cover-\d/g)).toEqual(
      names.flatMap((name, index) => (name.endsWith('.mp4') ? [`attach://cover-${index}`] : [])),
    );
  });

  it('is left out if it is gone when the video is sent', async () => {
    for (const names of [['a.mp4'], ['b.mp4', 'c.mp4']])
      expect(JSON.stringify(await publishVideos(names, true))).not.toContain('thumbnail');
  });
});

describe('a post of several messages', () => {
  it('resumes at the failed step, and does not repeat the completed ones', async () => {
    const names = ['a.jpg', 'b.jpg', 'c.mp3'];
    const refused = { ok: false, error_code: 429, description: 'Too Many Requests: retry after 7' };
    await telegram.control.addFault({ mode: 'answer', method: 'sendAudio', status: 429, body: refused });
    const first = await publishFiles(names);
    expect(first.outcome).toMatchObject({ kind: 'retry', named: true, afterMs: 7_000 });
    expect(Object.keys(first.results)).toEqual(['media', 'visual']);
    const second = await publishFiles(names, { results: first.results });
    expect(second.outcome).toMatchObject({ kind: 'done' });
    expect(await kinds()).toEqual(['photo', 'photo', 'audio', 'Look']);
    expect((await telegram.control.readLedger()).at(-1)?.reply_to).toBe('1');
  });

  it('whose chat moves in between is not a reply there: the number may belong to another message', async () => {
    const here = { ...channel, address: { chat_id: '-4321' } };
    const there = { ...channel, address: { chat_id: '-1004321' } };
    await telegram.control.addFault({ mode: 'answer', method: 'sendAudio', status: 429, body: '' });
    const names = ['a.jpg', 'b.jpg', 'c.mp3'];
    const first = await publishFiles(names, { channel: here });
    expect(Object.keys(first.results)).toEqual(['media', 'visual']);
    await telegram.control.request('POST', 'chats', { chat_id: '-4321', migrated_to: -1004321 });
    const second = await publishFiles(names, { channel: there, results: first.results });
    expect(second.outcome).toMatchObject({ kind: 'done' });
    const shown = await telegram.control.readLedger({ channel: '-1004321' });
    expect(shown.map(({ text, reply_to }) => [text, reply_to])).toEqual([
      ['', null],
      ['Look', null],
    ]);
  });

  const refuseAlbum = (description: string) =>
    telegram.control.addFault({
      mode: 'answer',
      method: 'sendMediaGroup',
      status: 400,
      body: { ok: false, error_code: 400, description },
    });
  const because = (cause: string) => `Bad Request: failed to send message #2 with the error message "${cause}"`;

  it('an album that may have been sent in part is in doubt', async () => {
    await refuseAlbum(because('Message was not sent'));
    const { outcome } = await publishFiles(['a.jpg', 'b.jpg']);
    expect(outcome).toMatchObject({ kind: 'in_doubt', error: { code: 'album_incomplete' } });
  });

  it('an album of which nothing was sent is sent again', async () => {
    await refuseAlbum('Bad Request: group send failed');
    expect((await publishFiles(['a.jpg', 'b.jpg'])).outcome).toMatchObject({ kind: 'retry', named: false });
    expect((await publishFiles(['a.jpg', 'b.jpg'])).outcome).toMatchObject({ kind: 'done' });
    expect(await kinds()).toEqual(['photo', 'photo']);
  });

  it.each(['PHOTO_INVALID_DIMENSIONS', 'not enough rights to send photos to the chat'])(
    'the media of an album that Telegram refuses because of "%s" are links in the text (D-22)',
    async (cause) => {
      await refuseAlbum(because(cause));
      expect((await publishFiles(['a.jpg', 'b.jpg'])).outcome).toMatchObject({ kind: 'done' });
      const links = mediaOf(['a.jpg', 'b.jpg']).map(({ url }) => url);
      expect((await telegram.control.readLedger()).map(({ text, media }) => [text, media])).toEqual([
        [`Look\n\n${links.join('\n')}`, []],
      ]);
    },
  );

  it('an upload that Telegram did not get whole is sent once more', async () => {
    await refuseAlbum(because('FILE_PARTS_INVALID'));
    expect((await publishFiles(['a.jpg', 'b.jpg'])).outcome).toMatchObject({ kind: 'done' });
    expect(await kinds()).toEqual(['photo', 'photo']);
  });

  it('an album whose response is lost is in doubt', async () => {
    await telegram.control.addFault({ mode: 'accept_then_drop', method: 'sendMediaGroup' });
    expect((await publishFiles(['a.jpg', 'b.jpg'])).outcome).toMatchObject({ kind: 'in_doubt' });
    expect(await kinds()).toEqual(['photo', 'photo']);
  });
});

describe('an upload', () => {
  it('that is interrupted was never accepted, and may be sent again', async () => {
    const sink = await startSink({ breakAfter: MB });
    const path = await files.make('big.mp4', 40 * MB);
    const impeded = createTelegramPublisher({ apiUrl: sink.url });
    toClose.push(sink.stop, () => impeded.close());
    const { outcome } = await publishFiles(['a.mp4'], { media: files.lending([path]) }, impeded);
    expect(outcome).toMatchObject({ kind: 'retry', named: false, error: { code: 'not_sent' } });
  });

  it('of two files of 49 MB is streamed: the files are never complete in memory', async () => {
    const sink = await startSink();
    const paths = [await files.make('a.mp4', 49 * MB), await files.make('b.mp4', 49 * MB)];
    const streaming = createTelegramPublisher({ apiUrl: sink.url });
    toClose.push(sink.stop, () => streaming.close());
    const media = files.lending(paths);
    const post = postOf({ media: mediaOf(['a.mp4', 'b.mp4']) });
    const { outcome } = await publishPost(streaming, post, channel, contextWith({ media }));
    expect(outcome).toMatchObject({ kind: 'done' });
    expect(sink.received()).toBe(sink.promised());
    expect(sink.received()).toBeGreaterThan(98 * MB);
    expect(sink.grown()).toBeLessThan(64 * MB);
  });
});
