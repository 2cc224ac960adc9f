import { readBytes, type GuardedClient, type OpenAnswer } from '../outbound-http/guarded-client.js';
import { MediaFetchError, statusError } from '../outbound-http/fetch-error.js';

/** A stretch of a file. */
export interface FilePart {
  /** Where it begins, in bytes from the file's start. */
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** A stretch of a file on a host, and how long the file is; null where the host does not say. */
export interface RangeRead extends FilePart {
  readonly sizeBytes: number | null;
}

/** From a host that ignores `Range`, so much is read over to reach what is wanted. */
const MAX_SKIPPED_BYTES = 4 * 1_048_576;

/**
 * Reads a stretch of a file. Hosts that ignore `Range` are hung up on as soon as the stretch is there; fewer bytes come
 * where the file ends, none where it ends before `offset`.
 * @throws MediaFetchError, also for a status of 400 and above, and for an answer that is not what was asked for.
 */
export const readRange = async (
  client: GuardedClient,
  url: string,
  { offset, length }: { readonly offset: number; readonly length: number },
  limits: { readonly timeoutMs: number; readonly signal?: AbortSignal },
): Promise<RangeRead> => {
  const headers = { range: `bytes=${offset}-${offset + length - 1}` };
  const answer = await client.open(url, { headers, maxBytes: Infinity, ...limits });
  try {
    return await stretchOf(answer, offset, length);
  } finally {
    answer.close();
  }
};

const stretchOf = async (answer: OpenAnswer, offset: number, length: number): Promise<RangeRead> => {
  const { status, contentLength } = answer;
  const range = contentRangeOf(String(answer.headers['content-range'] ?? ''));
  if (status === 416 && range) return { offset, bytes: Buffer.alloc(0), sizeBytes: range.sizeBytes };
  if (status >= 400) throw statusError(status);
  if (status === 206) {
    if (range?.first !== offset) throw unsound(status, 'sends another part of the file than it was asked for');
    const { bytes } = await readBytes(answer, 0, length);
    if (offset + bytes.length > (range.sizeBytes ?? Infinity))
      throw unsound(status, 'sends more than it says there is');
    return { offset, bytes, sizeBytes: range.sizeBytes };
  }
  if (offset > MAX_SKIPPED_BYTES) throw unsound(status, 'does not send parts of a file');
  const { bytes, complete } = await readBytes(answer, offset, length);
  return {
    offset,
    bytes,
    sizeBytes: contentLength ?? (complete && (bytes.length > 0 || offset === 0) ? offset + bytes.length : null),
  };
};

const unsound = (status: number, what: string): MediaFetchError =>
  new MediaFetchError('bad_answer', `is on a host that ${what}`, { permanent: false, status });

/** RFC 9110, 14.4: `bytes 0-65535/1048576`, `bytes 0-65535/*`, `bytes * /0`. */
const contentRangeOf = (header: string): { first: number | null; sizeBytes: number | null } | undefined => {
  const parts = /^bytes (?:(\d{1,15})-\d{1,15}|\*)\/(\d{1,15}|\*)$/i.exec(header);
  if (!parts) return undefined;
  const [, first, size] = parts;
  return { first: first === undefined ? null : Number(first), sizeBytes: size === '*' ? null : Number(size) };
};
