import { createHash } from 'node:crypto';
import { appendFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { imageSize } from 'image-size';
import type { LedgerMedium } from './ledger-entry.js';

/** MIME types by file extension. A wall offers files of other types as downloads. */
export const MEDIA_TYPES: ReadonlyMap<string, string> = new Map([
  ['jpg', 'image/jpeg'],
  ['png', 'image/png'],
  ['gif', 'image/gif'],
  ['webp', 'image/webp'],
  ['mp4', 'video/mp4'],
  ['mov', 'video/quicktime'],
  ['webm', 'video/webm'],
  ['mp3', 'audio/mpeg'],
  ['m4a', 'audio/mp4'],
  ['ogg', 'audio/ogg'],
]);

/** Stores uploaded files next to the ledger, named by hash, so that a wall can show them after a restart. */
export class MediaStore {
  constructor(readonly folder: string) {}

  /** Stores a file unless it is too large, and describes it for the ledger. */
  async storeFile(type: string, { name, size, hash, bytes }: UploadedFile, mime: string): Promise<LedgerMedium> {
    const described = { type, url: null, mime, bytes: size, name, hash };
    if (!bytes) return { ...described, file: null };
    const [extension = 'bin'] = [...MEDIA_TYPES].find(([, known]) => known === mime) ?? [];
    const file = `${hash}.${extension}`;
    await mkdir(this.folder, { recursive: true, mode: 0o700 });
    await writeFile(join(this.folder, file), bytes, { mode: 0o600 });
    return { ...described, file };
  }
}

/** Detects the MIME type from the first bytes; `application/octet-stream` for types that a post's media cannot have. */
export const detectMimeType = (bytes: Buffer): string => {
  const startsWith = (hex: string, at = 0): boolean => bytes.subarray(at, at + hex.length / 2).toString('hex') === hex;
  if (startsWith('ffd8ff')) return 'image/jpeg';
  if (startsWith('89504e470d0a1a0a')) return 'image/png';
  if (startsWith('47494638')) return 'image/gif';
  if (startsWith('52494646') && startsWith('57454250', 8)) return 'image/webp';
  if (startsWith('66747970', 4)) {
    const brand = bytes.toString('latin1', 8, 12);
    if (brand === 'qt  ') return 'video/quicktime';
    return /^M4[AB]/.test(brand) ? 'audio/mp4' : 'video/mp4';
  }
  if (startsWith('1a45dfa3')) return 'video/webm';
  if (startsWith('4f676753')) return 'audio/ogg';
  if (startsWith('494433') || (bytes[0] === 0xff && ((bytes[1] ?? 0) & 0xe0) === 0xe0)) return 'audio/mpeg';
  return 'application/octet-stream';
};

/** Returns a photo's sides in pixels; null if they cannot be determined. Such photos are accepted. */
export const readPhotoDimensions = ({
  bytes,
}: UploadedFile): { width: number; height: number; long: number; short: number } | null => {
  if (!bytes) return null;
  try {
    const { width, height } = imageSize(new Uint8Array(bytes)); // a copy: imageSize reads beyond the end of a Buffer
    if (!(width > 0 && height > 0)) return null;
    return { width, height, long: Math.max(width, height), short: Math.min(width, height) };
  } catch {
    return null;
  }
};

/** Uploads that posts may refer to, by the names that the network gives them. They survive restarts. */
export class StoredUploads {
  private constructor(
    private readonly file: string,
    private readonly media: Map<string, LedgerMedium>,
  ) {}

  /** @param file one JSON line per upload; created by the first upload; an incomplete last line is ignored */
  static async open(file: string): Promise<StoredUploads> {
    const text = await readFile(file, 'utf8').catch(() => '');
    const lines = text.split('\n').slice(0, -1);
    const media = lines.map((line) => JSON.parse(line) as { readonly name: string; readonly medium: LedgerMedium });
    return new StoredUploads(file, new Map(media.map(({ name, medium }) => [name, medium])));
  }

  findMedium(name: string): LedgerMedium | undefined {
    return this.media.get(name);
  }

  async addMedium(name: string, medium: LedgerMedium): Promise<void> {
    this.media.set(name, medium);
    await mkdir(dirname(this.file), { recursive: true });
    await appendFile(this.file, `${JSON.stringify({ name, medium })}\n`);
  }
}

/** A file in a multipart body. */
export interface UploadedFile {
  readonly name: string;
  readonly type: string;
  readonly size: number;
  /** The first bytes, at most 64. */
  readonly head: Buffer;
  /** First 32 hex digits of the SHA-256. */
  readonly hash: string;
  /** Content; null if the file is too large to store and was only measured and hashed. */
  readonly bytes: Buffer | null;
}

/** Enough for photos and short videos, but too little for a demo to fill the disk. */
const MAX_STORED_BYTES = 24 * 1_048_576;
const HEAD_BYTES = 64;

/** Receives a file as a stream. */
export const receiveFile = async (
  { name, type }: Pick<UploadedFile, 'name' | 'type'>,
  chunks: AsyncIterable<Buffer>,
): Promise<UploadedFile> => {
  const hash = createHash('sha256');
  const stored: Buffer[] = [];
  let head = Buffer.alloc(0);
  let size = 0;
  for await (const chunk of chunks) {
    hash.update(chunk);
    if (head.length < HEAD_BYTES) head = Buffer.concat([head, chunk.subarray(0, HEAD_BYTES - head.length)]);
    size += chunk.length;
    if (size <= MAX_STORED_BYTES) stored.push(chunk);
    else stored.length = 0;
  }
  const bytes = size <= MAX_STORED_BYTES ? Buffer.concat(stored) : null;
  return { name, type, size, head, hash: hash.digest('hex').slice(0, 32), bytes };
};
