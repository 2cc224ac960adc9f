import { FetchError, fetchErrorOfStatus } from '../outbound-http/fetch-error.js';
import { type GuardedClient, type OpenAnswer, readBytes } from '../outbound-http/guarded-client.js';
import { FETCH_MESSAGES } from '../outbound-http/messages.js';
import type { TrafficMeter } from '../outbound-http/traffic-meter.js';

/** A range of a file. */
export interface FilePart {
  /** Offset from the file's start, in bytes. */
  readonly offset: number;
  readonly bytes: Uint8Array;
}

/** A range of a file on a host. */
export interface RangeRead extends FilePart {
  /** Length of the whole file; null if unknown. */
  readonly sizeBytes: number | null;
}

/** A range to read, in bytes. */
export interface Range {
  readonly offset: number;
  readonly length: number;
}

/** Maximum number of bytes to skip to reach a range on a host that ignores `Range`. */
const MAX_SKIPPED_BYTES = 4 * 1_048_576;

/** Returns the maximum number of bytes received when reading a range; the last chunk may add a few more. */
export const mostBytesOf = ({ offset, length }: Range): number =>
  offset > MAX_SKIPPED_BYTES ? length : offset + length;

/**
 * Reads a range of a file. If the host ignores `Range`, closes the connection as soon as the range has arrived. Returns
 * fewer bytes at the end of the file, and none beyond it.
 * @throws FetchError, also if the status is 400 or above (except a 416 with the file's length) or the host sends
 * another range
 */
export const readRange = async (
  client: GuardedClient,
  url: string,
  { offset, length }: Range,
  limits: { readonly timeoutMs: number; readonly signal?: AbortSignal; readonly meter?: TrafficMeter | undefined },
): Promise<RangeRead> => {
  const headers = { range: `bytes=${offset}-${offset + length - 1}` };
  const answer = await client.open(url, { headers, maxBytes: Infinity, ...limits });
  try {
    return await extractRange(answer, offset, length);
  } finally {
    answer.close();
  }
};

const extractRange = async (answer: OpenAnswer, offset: number, length: number): Promise<RangeRead> => {
  const { status, contentLength } = answer;
  const range = contentRangeOf(String(answer.headers['content-range'] ?? ''));
  if (status === 416 && range) return { offset, bytes: Buffer.alloc(0), sizeBytes: range.sizeBytes };
  if (status >= 400) throw fetchErrorOfStatus(status);
  if (status === 206) {
    if (range?.first !== offset) throw unexpectedAnswer(status, FETCH_MESSAGES.otherRange);
    const { bytes } = await readBytes(answer, 0, length);
    if (offset + bytes.length > (range.sizeBytes ?? Infinity))
      throw unexpectedAnswer(status, FETCH_MESSAGES.moreThanAnnounced);
    return { offset, bytes, sizeBytes: range.sizeBytes };
  }
  if (offset > MAX_SKIPPED_BYTES) throw unexpectedAnswer(status, FETCH_MESSAGES.noRanges);
  const { bytes, complete } = await readBytes(answer, offset, length);
  return {
    offset,
    bytes,
    sizeBytes: contentLength ?? (complete && (bytes.length > 0 || offset === 0) ? offset + bytes.length : null),
  };
};

const unexpectedAnswer = (status: number, fault: string): FetchError =>
  new FetchError('bad_answer', fault, { isPermanent: false, status });

/** Parses `bytes 0-65535/1048576`, `bytes 0-65535/*` or `bytes * /0` (RFC 9110, 14.4). */
const contentRangeOf = (header: string): { first: number | null; sizeBytes: number | null } | undefined => {
  const parts = /^bytes (?:(\d{1,15})-\d{1,15}|\*)\/(\d{1,15}|\*)$/i.exec(header);
  if (!parts) return undefined;
  const [, first, size] = parts;
  return { first: first === undefined ? null : Number(first), sizeBytes: size === '*' ? null : Number(size) };
};
