import { createWriteStream } from 'node:fs';
import { rename, rm } from 'node:fs/promises';
import { pipeline } from 'node:stream/promises';
import { FetchError, fetchErrorOfStatus } from '../outbound-http/answer-receiver.js';
import { type GuardedClient, type OpenAnswer, readBytes } from '../outbound-http/guarded-client.js';
import { FETCH_MESSAGES } from '../outbound-http/messages.js';
import type { TrafficMeter } from '../outbound-http/request-slots.js';
import type { FileTarget } from './disk-cache.js';
import { MIME_OF } from './media-rules.js';
import { MEDIA_CACHE_MESSAGES } from './messages.js';

interface DownloadLimits extends Pick<FileTarget, 'signal' | 'reserve'> {
  readonly maxBytes: number;
  readonly timeoutMs: number;
}

/**
 * Streams a file to disk. The file exists at `path` only if it is complete.
 * @returns the file's length in bytes
 * @throws only FetchError; `storage` for disk errors
 */
export const download = async (
  client: GuardedClient,
  url: string,
  path: string,
  { reserve, ...limits }: DownloadLimits,
): Promise<number> => {
  const answer = await client.open(url, limits);
  const partial = `${path}.partial`;
  let received = 0;
  try {
    if (answer.status >= 400) throw fetchErrorOfStatus(answer.status);
    if (answer.status !== 200) {
      const { status } = answer;
      throw new FetchError('bad_answer', FETCH_MESSAGES.otherStatus({ status }), { isPermanent: false, status });
    }
    const announced = answer.contentLength ?? 0;
    await reserve(announced);
    const counted = async function* (): AsyncGenerator<Buffer> {
      for await (const chunk of answer.body) {
        const before = Math.max(received, announced);
        received += chunk.length;
        if (received > before) await reserve(received - before);
        yield chunk;
      }
    };
    await pipeline(counted, createWriteStream(partial, { flags: 'wx', mode: 0o600 }));
    await rename(partial, path);
    return received;
  } catch (error) {
    await rm(partial, { force: true }).catch(() => undefined);
    throw error instanceof FetchError ? error : storageError(MEDIA_CACHE_MESSAGES.notWritten, error);
  } finally {
    answer.close();
  }
};

/** Returns the error for a failure of the gateway's disk, which may be retried. */
export const storageError = (what: string, cause?: unknown): FetchError =>
  new FetchError('storage', what, { isPermanent: false, cause });

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

const EXTENSIONS = new Map(Object.entries(MIME_OF).map(([extension, mime]) => [mime, extension]));

const MAX_LENGTH = 60;

/**
 * Returns the file name that readers see where a network shows files as documents: the last part of the URL, with the
 * extension of the file's real type.
 */
export const fileNameOf = (url: string, mime: string): string => {
  const last = URL.canParse(url) ? (new URL(url).pathname.split('/').at(-1) ?? '') : '';
  const words = decoded(last)
    .replace(/\.\w{1,5}$/, '')
    .replace(/[^\p{L}\p{M}\p{N}._-]+/gu, '-')
    .replace(/^[.-]+|-+$/g, '');
  return `${Array.from(words).slice(0, MAX_LENGTH).join('') || 'file'}.${EXTENSIONS.get(mime) ?? 'bin'}`;
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};
