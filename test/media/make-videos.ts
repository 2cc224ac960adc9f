// Videos and audio files with the metadata that parsers read, and almost no content.

/** Properties of an MP4 or QuickTime file. */
export interface VideoShape {
  readonly seconds: number;
  /** First four letters of the file type box: `isom`, `qt  `, `M4A `. */
  readonly brand?: string;
  readonly tracks?: readonly ('video' | 'audio')[];
  /** Place of the index: before the frames, or after them as cameras write it. */
  readonly index?: 'first' | 'last';
  /** Bytes of frames. */
  readonly mediaBytes?: number;
  /** Samples in the index; many make it long. */
  readonly samples?: number;
  /** True for a portrait video, which phones store as a landscape one with a rotation by 90°. */
  readonly isRotated?: boolean;
  /** Cover picture, stored at the end of the index as iTunes does. */
  readonly cover?: Buffer;
}

const TIMESCALE = 1_000;

/** Makes an MP4, QuickTime or M4A file. */
export const makeVideo = (shape: VideoShape): Buffer => {
  const { before, mediaBytes, after } = makeVideoParts(shape);
  return Buffer.concat([before, Buffer.alloc(mediaBytes), after]);
};

/** Makes the parts before and after the frames, which may be too large for memory. */
export const makeVideoParts = ({
  seconds,
  brand = 'isom',
  tracks = ['video', 'audio'],
  index = 'first',
  mediaBytes = 1_000,
  samples = 1,
  isRotated = false,
  cover,
}: VideoShape): { before: Buffer; mediaBytes: number; after: Buffer } => {
  const ftyp = box('ftyp', ascii(brand), uint32(512), ascii(brand), ascii(brand === 'qt  ' ? 'qt  ' : 'mp42'));
  const moov = (offset: number): Buffer =>
    box(
      'moov',
      mvhd(seconds, tracks.length),
      ...tracks.map((kind, n) => trak(kind, n + 1, seconds, samples, offset, isRotated)),
      ...(cover ? [udta(cover)] : []),
    );
  const mdat =
    mediaBytes + 8 < 2 ** 32
      ? Buffer.concat([uint32(mediaBytes + 8), ascii('mdat')])
      : Buffer.concat([uint32(1), ascii('mdat'), uint64(mediaBytes + 16)]);
  if (index === 'last') {
    const before = Buffer.concat([ftyp, mdat]);
    return { before, mediaBytes, after: moov(before.length) };
  }
  const head = ftyp.length + moov(0).length + mdat.length;
  return { before: Buffer.concat([ftyp, moov(head), mdat]), mediaBytes, after: Buffer.alloc(0) };
};

const udta = (cover: Buffer): Buffer => {
  const hdlr = fullBox('hdlr', [uint32(0), ascii('mdirappl'), Buffer.alloc(9)]);
  const covr = box('covr', box('data', uint32(13), uint32(0), cover));
  return box('udta', fullBox('meta', [hdlr, box('ilst', covr)]));
};

const mvhd = (seconds: number, tracks: number): Buffer =>
  fullBox('mvhd', [
    ...[uint32(0), uint32(0), uint32(TIMESCALE), uint32(Math.round(seconds * TIMESCALE))],
    ...[uint32(0x10000), uint16(0x100), Buffer.alloc(10), MATRIX, Buffer.alloc(24), uint32(tracks + 1)],
  ]);

const trak = (
  kind: 'video' | 'audio',
  id: number,
  seconds: number,
  samples: number,
  offset: number,
  isRotated: boolean,
): Buffer => {
  const duration = Math.round(seconds * TIMESCALE);
  const isVideo = kind === 'video';
  const [width, height] = isVideo ? [640, 360] : [0, 0];
  const tkhd = fullBox(
    'tkhd',
    [
      ...[uint32(0), uint32(0), uint32(id), uint32(0), uint32(duration), Buffer.alloc(8)],
      ...[uint16(0), uint16(0), uint16(isVideo ? 0 : 0x100), uint16(0), isVideo && isRotated ? ROTATED : MATRIX],
      ...[uint32(width * 65_536), uint32(height * 65_536)],
    ],
    7,
  );
  const mdhd = fullBox('mdhd', [uint32(0), uint32(0), uint32(TIMESCALE), uint32(duration), uint16(0x55c4), uint16(0)]);
  const hdlr = fullBox('hdlr', [uint32(0), ascii(isVideo ? 'vide' : 'soun'), Buffer.alloc(12), ascii('h\0')]);
  const stbl = box(
    'stbl',
    fullBox('stsd', [uint32(1), isVideo ? avc1(width, height) : mp4a()]),
    fullBox('stts', [uint32(1), uint32(samples), uint32(Math.max(1, Math.round(duration / samples)))]),
    fullBox('stsc', [uint32(1), uint32(1), uint32(samples), uint32(1)]),
    fullBox('stsz', [uint32(0), uint32(samples), Buffer.alloc(samples * 4, uint32(10))]),
    fullBox('stco', [uint32(1), uint32(offset)]),
  );
  const head = isVideo ? fullBox('vmhd', [Buffer.alloc(8)], 1) : fullBox('smhd', [uint32(0)]);
  const dinf = box('dinf', fullBox('dref', [uint32(1), fullBox('url ', [], 1)]));
  return box('trak', tkhd, box('mdia', mdhd, hdlr, box('minf', head, dinf, stbl)));
};

const avc1 = (width: number, height: number): Buffer =>
  box(
    'avc1',
    ...[Buffer.alloc(6), uint16(1), Buffer.alloc(16), uint16(width), uint16(height)],
    ...[uint32(0x480000), uint32(0x480000), uint32(0), uint16(1), Buffer.alloc(32), uint16(24), uint16(0xffff)],
    box('avcC', Buffer.from([1, 66, 0, 30, 0xff, 0xe0, 0])),
  );

const mp4a = (): Buffer =>
  box('mp4a', Buffer.alloc(6), uint16(1), Buffer.alloc(8), uint16(2), uint16(16), uint32(0), uint32(44_100 * 65_536));

/** Makes a WebM (or, by its `docType`, Matroska) file of one VP8 track. */
export const webm = (seconds: number, docType = 'webm'): Buffer =>
  Buffer.concat([
    element(0x1a45dfa3, [
      element(0x4286, [1]),
      element(0x42f7, [1]),
      element(0x42f2, [4]),
      element(0x42f3, [8]),
      element(0x4282, [...ascii(docType)]),
      element(0x4287, [2]),
      element(0x4285, [2]),
    ]),
    element(0x18538067, [
      element(0x1549a966, [element(0x2ad7b1, [...uint32(1_000_000)]), element(0x4489, [...float64(seconds * 1_000)])]),
      element(0x1654ae6b, [
        element(0xae, [
          ...[element(0xd7, [1]), element(0x73c5, [1]), element(0x83, [1]), element(0x86, [...ascii('V_VP8')])],
          element(0xe0, [element(0xb0, [...uint16(640)]), element(0xba, [...uint16(360)])]),
        ]),
      ]),
      element(0x1f43b675, [element(0xe7, [0]), element(0xa3, [0x81, 0, 0, 0x80, 0x10, 2, 0, 0x9d, 1, 0x2a])]),
    ]),
  ]);

/** Makes an MP3: 128 kbit/s frames of silence. */
export const mp3 = (frames = 20): Buffer => {
  const frame = Buffer.alloc(417);
  frame.set([0xff, 0xfb, 0x90, 0x00]);
  return Buffer.concat(Array.from({ length: frames }, () => frame));
};

/** Makes an MP3 that begins with an ID3 tag of `tagBytes` bytes, as with cover art. */
export const mp3WithTag = (tagBytes: number): Buffer => {
  const size = [21, 14, 7, 0].map((shift) => (tagBytes >> shift) & 0x7f);
  return Buffer.concat([ascii('ID3'), Buffer.from([4, 0, 0, ...size]), Buffer.alloc(tagBytes), mp3()]);
};

/** Makes an M4A file of one AAC track. */
export const m4a = (seconds = 3): Buffer => makeVideo({ seconds, brand: 'M4A ', tracks: ['audio'] });

/** Makes an Ogg file whose first page names its codec: audio or Theora video. */
export const ogg = (codec: 'opus' | 'vorbis' | 'theora' = 'opus'): Buffer => {
  const head = {
    opus: Buffer.concat([ascii('OpusHead'), Buffer.from([1, 2, 0, 0]), uint32(0x80bb0000), Buffer.alloc(3)]),
    vorbis: Buffer.concat([ascii('\x01vorbis'), Buffer.alloc(23)]),
    theora: Buffer.concat([Buffer.from([0x80]), ascii('theora'), Buffer.alloc(35)]),
  }[codec];
  const page = Buffer.concat([ascii('OggS'), Buffer.from([0, 2]), Buffer.alloc(20), Buffer.from([1, head.length])]);
  return Buffer.concat([page, head, Buffer.alloc(100)]);
};

const MATRIX = Buffer.concat([0x10000, 0, 0, 0, 0x10000, 0, 0, 0, 0x40000000].map((value) => uint32(value)));
/** A rotation by 90°. */
const ROTATED = Buffer.concat([0, 0x1_0000, 0, 0xffff_0000, 0, 0, 0, 0, 0x4000_0000].map((value) => uint32(value)));

const box = (type: string, ...content: Buffer[]): Buffer => {
  const body = Buffer.concat(content);
  return Buffer.concat([uint32(body.length + 8), ascii(type), body]);
};
const fullBox = (type: string, content: Buffer[], flags = 0): Buffer => box(type, uint32(flags), ...content);

/** Encodes an EBML element: id, eight bytes of length, content. */
const element = (id: number, content: readonly (number | Buffer)[]): Buffer => {
  const name = uint32(id);
  const body = Buffer.concat(content.map((part) => (typeof part === 'number' ? Buffer.from([part]) : part)));
  const length = uint64(body.length);
  length[0] = 1;
  return Buffer.concat([name.subarray(name.findIndex((byte) => byte > 0)), length, body]);
};

const ascii = (text: string): Buffer => Buffer.from(text, 'latin1');
function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}
function uint32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}
const uint64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeBigUInt64BE(BigInt(value));
  return bytes;
};
const float64 = (value: number): Buffer => {
  const bytes = Buffer.alloc(8);
  bytes.writeDoubleBE(value);
  return bytes;
};
