import { createMaxPublisher } from '../../../src/platforms/max/descriptor.js';
import type { SendContext } from '../../../src/platforms/publisher.js';
import type { Fault } from '../../../stand-ins/kit/control.js';
import { CHAT, startStandIn, TOKEN } from '../../stand-ins/max/stand-in.js';
import { mediaError, mediaFolder } from '../media-files.js';
import { postOf, publishPost } from '../publish-post.js';

let max: Awaited<ReturnType<typeof startStandIn>>;
let files: Awaited<ReturnType<typeof mediaFolder>>;
let publisher: ReturnType<typeof createMaxPublisher>;
beforeEach(async () => {
  max = await startStandIn();
  files = await mediaFolder();
  publisher = createMaxPublisher({ apiUrl: max.url });
});
afterEach(async () => {
  await max.stop();
  await publisher.close();
  expect(files.lent()).toBe(0);
  await files.remove();
});

const channel = { id: 'tgt_1', address: { chat_id: CHAT }, settings: {} };
const TYPES = { jpg: 'photo', mp4: 'video', mp3: 'audio' } as const;
const publishFiles = async (names: readonly string[], more: Partial<SendContext> = {}) => {
  const media = names.map((name) => ({
    type: TYPES[name.split('.')[1] as 'jpg'],
    url: `https://media.example/${name}`,
  }));
  const paths = await Promise.all(names.map((name) => files.make(name)));
  return publishPost(publisher, postOf({ text: 'Look', media }), channel, {
    credentials: { access_token: TOKEN },
    key: 'key',
    waits: {},
    media: files.lending(paths),
    signal: new AbortController().signal,
    ...more,
  });
};
const accepted = async () => (await max.control.readLedger()).length;

const HTML = '<html><body>502 Bad Gateway</body></html>';
const answer = (status: number, body: unknown = null, headers = {}) =>
  ({ mode: 'answer', status, body, headers }) as const;

describe('a failed upload may be repeated, and readers see nothing', () => {
  const again = { kind: 'retry', named: false };
  it.each<readonly [string, Partial<Fault> & Pick<Fault, 'mode'>, object]>([
    ['no URL: dropped', { mode: 'accept_then_drop', method: 'POST /uploads' }, again],
    ['no URL: 500', { ...answer(500), method: 'POST /uploads' }, again],
    ['no URL: HTML', { ...answer(200, HTML), method: 'POST /uploads' }, again],
    ['a malformed URL', { ...answer(200, { url: 'file:///etc/passwd' }), method: 'POST /uploads' }, again],
    ['no URL: 401', { ...answer(401), method: 'POST /uploads' }, { kind: 'needs_attention' }],
    ['no URL: 429', { ...answer(429), method: 'POST /uploads' }, { kind: 'retry', named: true }],
    ['dropped', { mode: 'accept_then_drop', method: 'upload' }, again],
    ['500', { ...answer(500, ''), method: 'upload' }, again],
    ['404', { ...answer(404), method: 'upload' }, again],
    ['retval -1', { ...answer(200, '<retval>-1</retval>'), method: 'upload' }, again],
    ['an error in JSON', { ...answer(200, { error_code: 4, error_msg: 'no' }), method: 'upload' }, again],
    ['an empty object', { ...answer(200, {}), method: 'upload' }, again],
    ["a refusal that is not MAX's", { ...answer(400, HTML), method: 'upload' }, again],
    ['an empty response', { ...answer(200, ''), method: 'upload' }, again],
    [
      '429',
      { ...answer(429, '', { 'retry-after': '3' }), method: 'upload' },
      { kind: 'retry', named: true, afterMs: 3_000 },
    ],
  ])('%s', async (_, fault, outcome) => {
    await max.control.addFault(fault);
    expect((await publishFiles(['a.mp4'])).outcome).toMatchObject(outcome);
    expect(await accepted()).toBe(0);
    expect((await publishFiles(['a.mp4'])).outcome).toMatchObject({ kind: 'done' });
  });

  it('with the words of a 429 response (D-35)', async () => {
    await max.control.addFault({ ...answer(429, '<h1>Too many uploads</h1>'), method: 'upload' });
    const { outcome } = await publishFiles(['a.mp4']);
    expect(outcome).toMatchObject({ kind: 'retry', named: true, error: { platform_says: 'Too many uploads' } });
  });

  it.each([
    ['upload', 400, 'errors.process.attachment.video.not.supported', 'media_refused'],
    ['upload', 413, 'too.large', 'media_too_large'],
    ['upload', 200, 'errors.process.attachment.video.not.supported', 'media_refused'],
    ['POST /uploads', 400, 'proto.payload', 'bad_request'],
  ])(
    'when MAX refuses it (%s, %i %s): a link at once, with its words (D-22, D-35)',
    async (method, status, code, reported) => {
      const body = { success: false, code, message: 'not this one' };
      await max.control.addFault({ ...answer(status, body), method });
      const { outcome, results } = await publishFiles(['a.mp4']);
      expect(outcome).toMatchObject({ kind: 'done' });
      expect(results).toMatchObject({ 'upload-0': { link: `${reported}: ${code}: not this one` } });
      const [entry] = await max.control.readLedger();
      expect(entry).toMatchObject({ text: 'Look\n\nhttps://media.example/a.mp4', media: [] });
    },
  );

  it('that is too large for MAX is a link in the text (D-22)', async () => {
    await max.control.addFault({ ...answer(413, ''), method: 'upload' });
    const { outcome, warnings } = await publishFiles(['a.mp4', 'b.jpg']);
    expect(outcome).toMatchObject({ kind: 'done' });
    expect(warnings).toContain('media_as_link');
    const [entry] = await max.control.readLedger();
    expect(entry).toMatchObject({ text: 'Look\n\nhttps://media.example/a.mp4', media: [{ type: 'photo' }] });
  });
});

describe('a message that MAX refuses because of its media', () => {
  const refused = answer(400, { code: 'proto.payload', message: 'errors.process.attachment.movie.not.owner' });
  const texts = async () => (await max.control.readLedger()).map(({ text, media }) => [text, media.length]);

  it('keeps its text, and the media are links in it (D-22)', async () => {
    await max.control.addFault({ ...refused, method: 'POST /messages' });
    const { outcome, warnings } = await publishFiles(['a.mp4']);
    expect(outcome).toMatchObject({ kind: 'done' });
    expect(warnings).toContain('media_as_link');
    expect(await texts()).toEqual([['Look\n\nhttps://media.example/a.mp4', 0]]);
  });

  it('and follows the text is replaced by a link to its audio file', async () => {
    await max.control.addFault({ mode: 'delay', delay_ms: 1, method: 'POST /messages' }); // the text
    await max.control.addFault({ ...refused, method: 'POST /messages' });
    expect((await publishFiles(['b.mp3'])).outcome).toMatchObject({ kind: 'done' });
    expect(await texts()).toEqual([
      ['Look', 0],
      ['https://media.example/b.mp3', 0],
    ]);
  });
});

describe('files (D-22, D-24)', () => {
  it('are requested within the limits of MAX', async () => {
    await publishFiles(['a.jpg', 'b.mp4', 'c.mp3']);
    const MB = 1_048_576;
    expect(files.requested.map(({ index, limits }) => [index, limits.maxBytes, limits.maxSide])).toEqual([
      [0, 50 * MB, 7_680],
      [1, 250 * MB, undefined],
      [2, 256 * MB, undefined],
    ]);
    expect(files.requested[0]?.limits.formats).not.toContain('image/webp');
  });

  it.each([
    ['media_too_large', 'media', { kind: 'done' }],
    ['media_unsuitable', 'media', { kind: 'done' }],
    ['redirect', 'media', { kind: 'failed', error: { code: 'redirect' } }],
    ['unreachable', 'network', { kind: 'retry', named: false, afterMs: null }],
  ] as const)('%s (%s)', async (code, category, outcome) => {
    const published = await publishFiles(['a.mp4'], { media: files.lending([mediaError(code, category)]) });
    expect(published.outcome).toMatchObject(outcome);
    expect(published.warnings.includes('media_as_link')).toBe(outcome.kind === 'done');
    expect(await accepted()).toBe(outcome.kind === 'done' ? 1 : 0);
  });

  it('are retried from the failed step', async () => {
    await max.control.addFault({ ...answer(429), method: 'POST /messages' });
    const first = await publishFiles(['a.jpg', 'b.mp3']);
    expect(first.outcome).toMatchObject({ kind: 'retry' });
    const second = await publishFiles(['a.jpg', 'b.mp3'], { results: first.results });
    expect(second.outcome).toMatchObject({ kind: 'done' });
    expect((await max.control.listCalls({ method: 'upload' })).items).toHaveLength(2);
    expect((await max.control.readLedger()).map(({ media: shown }) => shown.map(({ type }) => type))).toEqual([
      ['photo'],
      ['audio'],
    ]);
  });
});
