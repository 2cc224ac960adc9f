import { execFileSync } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp, { type Sharp, type SharpOptions } from 'sharp';
import { PhotoEditor } from '../../src/media/photo-editor.js';
import type { PhotoLimits } from '../../src/media/photo-limits.js';
import { FetchError } from '../../src/outbound-http/answer-receiver.js';
import { gif, png as emptyPng } from './make-images.js';

const MB = 1_048_576;
const ALL: PhotoLimits = { maxBytes: 10 * MB, formats: ['image/jpeg', 'image/png'] };

let folder: string;
let editor: PhotoEditor;
let made = 0;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'crosspost-photos-'));
  editor = new PhotoEditor({ timeoutMs: 120_000 });
});
afterAll(async () => {
  editor.close();
  await rm(folder, { recursive: true });
});

const newPath = (): string => join(folder, `${++made}`);
const saved = async (bytes: Buffer): Promise<string> => {
  const path = newPath();
  await writeFile(path, bytes);
  return path;
};
/** An image of one colour; images that must be large on disk are noise. */
const image = (width: number, height: number, how: 'plain' | 'noise' = 'plain', alpha = 1): Sharp =>
  sharp({
    create: {
      width,
      height,
      channels: 4,
      background: { r: 200, g: 30, b: 30, alpha },
      ...(how === 'noise' && { channels: 3, noise: { type: 'gaussian', mean: 128, sigma: 60 } }),
    },
  } as SharpOptions);
const fit = async (bytes: Buffer, limits: Partial<PhotoLimits> = {}, by = editor) => {
  const order = { from: await saved(bytes), to: newPath(), limits: { ...ALL, ...limits } };
  return { photo: await by.fit(order), ...order };
};
const seen = (path: string) => sharp(path).metadata();

describe('a photo', () => {
  it('of a format that a network does not accept becomes a JPEG of the same size', async () => {
    const { photo, to } = await fit(await image(300, 200).webp().toBuffer());
    expect(photo).toEqual({ mime: 'image/jpeg', width: 300, height: 200, sizeBytes: (await stat(to)).size });
    expect(await seen(to)).toMatchObject({ format: 'jpeg', width: 300, height: 200 });
  });

  it('with transparency becomes a PNG, or a JPEG on white where PNG is not accepted', async () => {
    const bytes = await image(30, 20, 'plain', 0).webp().toBuffer();
    const { to } = await fit(bytes);
    expect(await seen(to)).toMatchObject({ format: 'png', hasAlpha: true });
    const flat = await fit(bytes, { formats: ['image/jpeg'] });
    expect((await sharp(flat.to).stats()).channels.map(({ min }) => min)).toEqual([255, 255, 255]);
  });

  it('is scaled to the limits of a network in its own shape', async () => {
    const { photo } = await fit(await image(4_000, 1_000).jpeg().toBuffer(), { maxSide: 2_000, maxSum: 2_400 });
    expect(photo).toMatchObject({ width: 1_920, height: 480 });
  });

  it('is upright and carries no metadata', async () => {
    const lying = image(300, 200)
      .jpeg()
      .withExif({ IFD0: { Copyright: 'Ada' } })
      .withMetadata({ orientation: 6 });
    const { photo, to } = await fit(await lying.toBuffer(), { maxSide: 150 });
    expect(photo).toMatchObject({ width: 100, height: 150 });
    expect(await seen(to)).not.toMatchObject({ exif: expect.anything() });
    expect((await seen(to)).orientation ?? 1).toBe(1);
  });

  it('of another colour space becomes sRGB', async () => {
    const { to } = await fit(await image(30, 20, 'noise').toColourspace('cmyk').jpeg().toBuffer());
    expect(await seen(to)).toMatchObject({ space: 'srgb', channels: 3 });
  });

  it('with animation shows its first frame', async () => {
    const frames = await Promise.all([image(20, 20), image(20, 20, 'noise')].map((one) => one.png().toBuffer()));
    const moving = await sharp(frames, { join: { animated: true } })
      .webp({ loop: 0 })
      .toBuffer();
    const { photo } = await fit(moving);
    expect(photo).toMatchObject({ width: 20, height: 20 });
  });

  it('too large on disk is compressed more, then scaled', async () => {
    const bytes = await image(2_000, 2_000, 'noise').png().toBuffer();
    const large = await fit(bytes, { maxBytes: 4 * MB });
    expect(large.photo).toMatchObject({ mime: 'image/jpeg', width: 2_000 });
    const small = await fit(bytes, { maxBytes: MB / 2 });
    expect(small.photo!.width).toBeLessThan(2_000);
    expect((await stat(small.to)).size).toBeLessThanOrEqual(MB / 2);
  });
});

describe('there is no result for', () => {
  const whole = (): Promise<Buffer> => image(600, 600, 'noise').jpeg().toBuffer();
  it.each<[string, () => Buffer | Promise<Buffer>, Partial<PhotoLimits>?]>([
    ['more than 25 megapixels, however few bytes they are', () => emptyPng(50_000, 50_000)],
    ['25 megapixels and a bit', () => image(5_001, 5_000).png().toBuffer()],
    ['a shape that scaling cannot help', () => image(2_100, 100).png().toBuffer(), { maxRatio: 20 }],
    ['a photo that breaks off', async () => (await whole()).subarray(0, 9_000)],
    ['a picture of another format', gif],
    [
      'a drawing that refers to other files',
      () => Buffer.from('<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>'),
    ],
    ['words', () => Buffer.from('no picture at all')],
    ['nothing', () => Buffer.alloc(0)],
    ['what stays too large', whole, { maxBytes: 500 }],
  ])('%s', async (_, bytes, limits = {}) => {
    expect((await fit(await bytes(), limits)).photo).toBeNull();
  });
});

describe('the process', () => {
  it('that a photo keeps busy is killed, and the next photo gets a new one', async () => {
    const impatient = new PhotoEditor({ timeoutMs: 1 });
    // Reading a pipe that nothing writes to does not end.
    const endless = newPath();
    execFileSync('mkfifo', [endless]);
    expect(await impatient.fit({ from: endless, to: newPath(), limits: ALL })).toBeNull();
    impatient.close();
    expect((await fit(await image(9, 9).webp().toBuffer())).photo).toMatchObject({ width: 9 });
  });

  it('handles many photos in turn', async () => {
    const bytes = await image(200, 200, 'noise').webp().toBuffer();
    const photos = await Promise.all(Array.from({ length: 20 }, () => fit(bytes)));
    const [first, ...others] = await Promise.all(photos.map(({ to }) => readFile(to)));
    for (const other of others) expect(other.equals(first!)).toBe(true);
  });

  it('a failing disk is not the fault of the photo', async () => {
    const from = await saved(await image(9, 9).webp().toBuffer());
    const nowhere = join(folder, 'no', 'such', 'folder');
    const failing = [
      editor.fit({ from, to: nowhere, limits: ALL }),
      editor.fit({ from: nowhere, to: newPath(), limits: ALL }),
    ];
    for (const attempt of failing) await expect(attempt).rejects.toMatchObject({ code: 'storage', isPermanent: false });
  });

  it('is not started for a caller that has gone, nor after closing', async () => {
    const from = await saved(await image(9, 9).webp().toBuffer());
    const order = { from, to: newPath(), limits: ALL };
    await expect(editor.fit(order, AbortSignal.abort())).rejects.toThrow(FetchError);
    const closed = new PhotoEditor();
    closed.close();
    await expect(closed.fit(order)).rejects.toThrow(FetchError);
  });
});
