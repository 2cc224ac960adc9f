import { jpeg, png as blank } from '../../media/make-images.js';
import { fetchBot, startStandIn, TOKEN } from './stand-in.js';

let telegram: Awaited<ReturnType<typeof startStandIn>>;
beforeAll(async () => {
  telegram = await startStandIn();
});
afterAll(() => telegram.stop());

const png = Buffer.from('89504e470d0a1a0a0000000d49484452', 'hex');
const mp4 = Buffer.concat([Buffer.alloc(4), Buffer.from('ftypisom')]);
const ogg = Buffer.from('OggS....');
const mp3 = Buffer.from('ID3....');

const upload = (method: string, fields: Record<string, unknown>, files: Record<string, Buffer> = {}) => {
  const form = new FormData();
  form.set('chat_id', '@media');
  for (const [name, value] of Object.entries(fields)) {
    form.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  for (const [name, bytes] of Object.entries(files)) form.set(name, new Blob([new Uint8Array(bytes)]), `${name}.bin`);
  return fetchBot(`${telegram.url}/bot${TOKEN}/${method}`, { method: 'POST', body: form });
};

describe('a single file', () => {
  it('is accepted under any field name, is shown on the wall, and has a limited caption', async () => {
    const caption = '😀'.repeat(1_024);
    const { body } = await upload('sendPhoto', { photo: 'attach://a', caption }, { a: png });
    expect(body.result).toMatchObject({ caption, photo: [{ file_size: png.length }] });
    const [entry] = (await telegram.control.readLedger({ channel: '@media' })).slice(-1);
    const shown = await fetch(`${telegram.url}/wall/media/${entry?.media[0]?.file}`);
    expect(shown.headers.get('content-type')).toBe('image/png');
    expect(Buffer.from(await shown.arrayBuffer()).equals(png)).toBe(true);
    const tooLong = await upload('sendPhoto', { photo: 'attach://a', caption: `${caption}!` }, { a: png });
    expect(tooLong.body.description).toBe('Bad Request: message caption is too long');
  });

  it.each([
    ['sendPhoto', { photo: png }, 'photo'],
    ['sendVideo', { video: mp4 }, 'video'],
    ['sendVideo', { video: ogg }, 'document'],
    ['sendAudio', { audio: mp3 }, 'audio'],
    ['sendAudio', { audio: ogg }, 'document'],
    ['sendDocument', { document: png }, 'document'],
  ])('%s: readers see the type of the file', async (method, files, type) => {
    const { body } = await upload(method, {}, files);
    expect(Object.keys(body.result)).toContain(type);
  });

  it.each([
    ['no file', {}, {}, 'there is no photo in the request'],
    ['a file that is not attached', { photo: 'attach://b' }, { a: png }, 'there is no photo in the request'],
    ['an empty file', { photo: 'attach://a' }, { a: Buffer.alloc(0) }, 'file must be non-empty'],
    ['a file that is not an image', { photo: 'attach://a' }, { a: mp3 }, 'IMAGE_PROCESS_FAILED'],
    ['an unknown file id', { photo: 'AgACAgI' }, {}, "wrong remote file identifier specified: can't unserialize it"],
    [
      'over 10 MB',
      { photo: 'attach://a' },
      { a: Buffer.concat([png, Buffer.alloc(10 * 1_048_576)]) },
      'file of size 10485776 bytes is too big for a photo; the maximum size is 10485760 bytes',
    ],
  ])('is rejected as a photo: %s', async (_, fields, files, message) => {
    const { body } = await upload('sendPhoto', fields, files);
    expect(body.description).toBe(`Bad Request: ${message}`);
  });

  it.each([
    ['too large', 9_000, 1_001],
    ['too narrow', 2_001, 100],
  ])('is rejected as a photo if it is %s', async (_, width, height) => {
    const { body } = await upload('sendPhoto', { photo: 'attach://a' }, { a: blank(width, height) });
    expect(body.description).toBe('Bad Request: PHOTO_INVALID_DIMENSIONS');
    const accepted = await upload('sendPhoto', { photo: 'attach://a' }, { a: blank(width - 1, height) });
    expect(accepted.status).toBe(200);
  });

  it('is a video of the size that was sent; above 10 MB, of none that was not', async () => {
    const large = Buffer.concat([mp4, Buffer.alloc(10 * 1_048_576)]);
    const size = { width: 1280, height: 720, duration: 9 };
    const known = await upload('sendVideo', { video: 'attach://a', ...size }, { a: large });
    expect(known.body.result.video).toMatchObject(size);
    const unknown = await upload('sendVideo', { video: 'attach://a' }, { a: large });
    expect(unknown.body.result.video).toMatchObject({ width: 320, height: 320, duration: 0 });
  });

  const VIDEO_AND = { video: 'attach://a', thumbnail: 'attach://t' };
  it('is a video with the thumbnail that was sent', async () => {
    const { body } = await upload('sendVideo', VIDEO_AND, { a: mp4, t: jpeg(320, 180) });
    const { thumbnail } = body.result.video;
    expect(thumbnail).toMatchObject({ width: 320, height: 180, file_size: jpeg(320, 180).length });
  });

  it.each<[string, Record<string, Buffer>]>([
    ['not attached', {}],
    ['a PNG', { t: blank(320, 180) }],
    ['wider than 320 pixels', { t: jpeg(321, 180) }],
    ['higher than 320 pixels', { t: jpeg(180, 321) }],
    ['of 200 kB', { t: jpeg(320, 180, 200_000) }],
  ])('is rejected with a thumbnail that is %s', async (_, files) => {
    const { body } = await upload('sendVideo', VIDEO_AND, { a: mp4, ...files });
    expect(body.description).toMatch(/^Bad Request: a thumbnail must be /);
  });

  it('is a document if it is no MP4', async () => {
    const { body } = await upload('sendVideo', { video: 'attach://a' }, { a: Buffer.from('1a45dfa3', 'hex') });
    expect(body.result).toMatchObject({ document: { file_id: expect.any(String) } });
    expect(body.result).not.toHaveProperty('video');
  });

  it('is rejected over 50 MB', async () => {
    const { status } = await upload('sendDocument', {}, { document: Buffer.alloc(50 * 1_048_576 + 1) });
    expect(status).toBe(413);
  });
});

describe('an album', () => {
  const item = (type: string, name: string, more = {}) => ({ type, media: `attach://${name}`, ...more });

  it('becomes several messages of one group, accepted together', async () => {
    const media = [item('photo', 'a', { caption: 'Both' }), item('video', 'b')];
    const { body } = await upload('sendMediaGroup', { media }, { a: png, b: mp4 });
    const [first, second] = body.result;
    expect(first).toMatchObject({ caption: 'Both', media_group_id: second.media_group_id });
    expect(second.message_id).toBe(first.message_id + 1);
    const entries = (await telegram.control.readLedger({ channel: '@media' })).slice(-2);
    expect(entries.map(({ group_id }) => group_id)).toEqual([first.media_group_id, first.media_group_id]);
    expect(new Set(entries.map(({ call_id }) => call_id)).size).toBe(1);
  });

  it('has the thumbnails that were sent', async () => {
    const media = [item('video', 'a', { thumbnail: 'attach://t' }), item('video', 'a')];
    const { body } = await upload('sendMediaGroup', { media }, { a: mp4, t: jpeg(200, 320) });
    expect(body.result.map(({ video }: { video: object }) => video)).toMatchObject([
      { thumbnail: { width: 200, height: 320 } },
      expect.not.objectContaining({ thumbnail: expect.anything() }),
    ]);
    const small = await upload('sendMediaGroup', { media }, { a: mp4, t: blank(9, 9) });
    expect(small.status).toBe(400);
  });

  it.each([
    ['without items', [], 'there are no messages to send'],
    ['of one item', [item('photo', 'a')], 'an album needs at least two media'],
    ['of eleven items', Array(11).fill(item('photo', 'a')), 'too many messages to send as an album'],
    [
      'of a photo and an audio',
      [item('photo', 'a'), item('audio', 'c')],
      "audio can't be mixed with other media types",
    ],
    ['with a missing file', [item('photo', 'a'), item('photo', 'z')], "can't parse InputMedia: media not found"],
    [
      'with an unsupported type',
      [item('photo', 'a'), item('animation', 'a')],
      'can\'t parse InputMedia: type "animation" is unsupported',
    ],
    [
      'with a caption that is too long',
      [item('photo', 'a'), item('photo', 'a', { caption: 'x'.repeat(1_025) })],
      'message caption is too long',
    ],
  ])('%s is rejected as a whole', async (_, media, message) => {
    const before = (await telegram.control.readLedger()).length;
    const { body } = await upload('sendMediaGroup', { media }, { a: png, c: mp3 });
    expect(body.description).toBe(`Bad Request: ${message}`);
    expect(await telegram.control.readLedger()).toHaveLength(before);
  });

  it('is rejected with buttons', async () => {
    const media = [item('photo', 'a'), item('photo', 'a')];
    const { status } = await upload('sendMediaGroup', { media, reply_markup: { inline_keyboard: [] } }, { a: png });
    expect(status).toBe(400);
  });
});
