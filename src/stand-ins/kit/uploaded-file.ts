import { createHash } from 'node:crypto';

/** A file of a multipart body. */
export interface UploadedFile {
  readonly name: string;
  readonly type: string;
  readonly size: number;
  /** Its first bytes, 64 at most. */
  readonly head: Buffer;
  /** The first 32 hex digits of its SHA-256. */
  readonly hash: string;
  /** Null where it is too large to be kept: it was counted and hashed, no more. */
  readonly bytes: Buffer | null;
}

/** Every photo of a post, and any video that is worth looking at on a wall; nobody wants gigabytes in a demo's folder. */
const KEPT_BYTES = 24 * 1_048_576;
const HEAD_BYTES = 64;

/** Takes a file piece by piece; what is too large to be kept passes through. */
export const receiveFile = async (
  { name, type }: Pick<UploadedFile, 'name' | 'type'>,
  pieces: AsyncIterable<Buffer>,
): Promise<UploadedFile> => {
  const hash = createHash('sha256');
  const kept: Buffer[] = [];
  let head = Buffer.alloc(0);
  let size = 0;
  for await (const piece of pieces) {
    hash.update(piece);
    if (head.length < HEAD_BYTES) head = Buffer.concat([head, piece.subarray(0, HEAD_BYTES - head.length)]);
    size += piece.length;
    if (size <= KEPT_BYTES) kept.push(piece);
    else kept.length = 0;
  }
  const bytes = size <= KEPT_BYTES ? Buffer.concat(kept) : null;
  return { name, type, size, head, hash: hash.digest('hex').slice(0, 32), bytes };
};
