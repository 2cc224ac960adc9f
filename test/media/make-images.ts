import { crc32, deflateSync } from 'node:zlib';

/** Makes a PNG of a single grey: equal pixels keep even 25 megapixels small. */
export const png = (width: number, height: number): Buffer => {
  const header = Buffer.alloc(13);
  header.writeUInt32BE(width, 0);
  header.writeUInt32BE(height, 4);
  header.set([1, 0], 8); // one bit a pixel, grey
  const row = 1 + Math.ceil(width / 8);
  const pixels = width * height > 1_000_000 ? Buffer.alloc(0) : Buffer.alloc(row * height);
  return Buffer.concat([
    Buffer.from('\x89PNG\r\n\x1a\n', 'latin1'),
    pngChunk('IHDR', header),
    pngChunk('IDAT', deflateSync(pixels)),
    pngChunk('IEND', Buffer.alloc(0)),
  ]);
};

const pngChunk = (type: string, data: Buffer): Buffer => {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
  return Buffer.concat([uint32(data.length), body, uint32(crc32(body))]);
};

/** Makes a JPEG with valid segments up to the frame, after `exifBytes` of metadata. */
export const jpeg = (width: number, height: number, exifBytes = 0): Buffer => {
  const metadata: Buffer[] = [];
  for (let left = exifBytes; left > 0; left -= 60_000)
    metadata.push(jpegSegment(0xe1, Buffer.alloc(Math.min(left, 60_000), 'http://ns.adobe.com/xap/1.0/')));
  const frame = Buffer.from([8, height >> 8, height & 255, width >> 8, width & 255, 1, 1, 0x11, 0]);
  return Buffer.concat([
    Buffer.from([0xff, 0xd8]),
    jpegSegment(0xe0, Buffer.from('JFIF\0\x01\x01\0\0\x01\0\x01\0\0', 'latin1')),
    ...metadata,
    jpegSegment(0xdb, Buffer.alloc(65, 1)),
    jpegSegment(0xc0, frame),
    jpegSegment(0xda, Buffer.from([1, 1, 0, 0, 63, 0])),
    Buffer.alloc(64, 0x2a),
    Buffer.from([0xff, 0xd9]),
  ]);
};

const jpegSegment = (marker: number, data: Buffer): Buffer => {
  const length = Buffer.alloc(2);
  length.writeUInt16BE(data.length + 2);
  return Buffer.concat([Buffer.from([0xff, marker]), length, data]);
};

/** Makes a lossless WebP: its header and almost no pixels. */
export const webp = (width: number, height: number): Buffer => {
  const bits = (width - 1) | ((height - 1) << 14);
  const header = Buffer.alloc(5);
  header.writeUInt8(0x2f);
  header.writeInt32LE(bits, 1);
  const data = Buffer.concat([header, Buffer.alloc(27)]);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(data.length);
  const chunk = Buffer.concat([Buffer.from('WEBPVP8L'), length, data]);
  const size = Buffer.alloc(4);
  size.writeUInt32LE(chunk.length);
  return Buffer.concat([Buffer.from('RIFF'), size, chunk]);
};

/** Makes a GIF of one pixel. */
export const gif = (): Buffer => Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
