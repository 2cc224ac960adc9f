import { createHash } from 'node:crypto';

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
