import { createHash } from 'node:crypto';
import type { FastifyRequest } from 'fastify';
import { MIME_OF } from '../../media/media-rules.js';
import { incompleteBody } from '../transport/body-reader.js';
import { readHeaderText } from '../transport/headers.js';
import { HttpProblem } from '../transport/problem.view.js';
import { UPLOAD_MESSAGES } from './messages.js';

/** The only part of a multipart body. */
export interface FilePartOfBody {
  readonly filename: string | null;
  /** Null if the size of the body is unknown. */
  readonly bytes: number | null;
  readonly chunks: AsyncIterable<Buffer>;
}

/** Limits for what is in a body beside the file, in bytes. */
const MAX_PREAMBLE = 1_024;
const MAX_HEADERS = 8_192;
const MAX_EPILOGUE = 1_024;

const invalid = (message: string): HttpProblem =>
  new HttpProblem(422, 'invalid_multipart', [{ path: '', code: 'invalid_multipart', message }]);

/** Bytes that arrive in chunks, read up to a pattern. */
class Incoming {
  private rest: Buffer;
  private readonly source: AsyncIterator<Buffer>;

  constructor(chunks: AsyncIterable<Buffer>, before: Buffer) {
    this.rest = before;
    this.source = chunks[Symbol.asyncIterator]();
  }

  /** Reads up to a pattern, which is left out. @throws HttpProblem if it does not come within `limit` bytes */
  async readTo(pattern: string, limit: number, message: string): Promise<Buffer> {
    for (;;) {
      const at = this.rest.indexOf(pattern);
      if (at >= 0 && at <= limit) {
        const found = this.rest.subarray(0, at);
        this.rest = this.rest.subarray(at + pattern.length);
        return found;
      }
      if (this.rest.length > limit + pattern.length || !(await this.more())) throw invalid(message);
    }
  }

  /** Passes on all bytes up to a pattern, which is left out. */
  async *passTo(pattern: string, message: string): AsyncGenerator<Buffer> {
    for (;;) {
      const at = this.rest.indexOf(pattern);
      if (at >= 0) {
        if (at > 0) yield this.rest.subarray(0, at);
        this.rest = this.rest.subarray(at + pattern.length);
        return;
      }
      // The pattern may have begun.
      const certain = this.rest.length - pattern.length + 1;
      if (certain > 0) {
        yield this.rest.subarray(0, certain);
        this.rest = this.rest.subarray(certain);
      }
      if (!(await this.more())) throw invalid(message);
    }
  }

  /** Reads all that is left. @throws HttpProblem if it is more than `limit` bytes */
  async readAll(limit: number, message: string): Promise<Buffer> {
    while (await this.more()) if (this.rest.length > limit) throw invalid(message);
    return this.rest;
  }

  private async more(): Promise<boolean> {
    const next = await this.source.next();
    if (next.done) return false;
    this.rest = this.rest.length === 0 ? next.value : Buffer.concat([this.rest, next.value]);
    return true;
  }
}

/**
 * Reads a `multipart/form-data` body with exactly one part, a file named `file` (RFC 7578). Holds no more than a chunk
 * of the file in memory.
 * @param bodyBytes null if it is unknown
 * @throws HttpProblem 422 `invalid_multipart`, here or while the chunks are read
 */
const readMultipart = async (
  chunks: AsyncIterable<Buffer>,
  boundary: string,
  bodyBytes: number | null,
): Promise<FilePartOfBody> => {
  const delimiter = `\r\n--${boundary}`;
  // The first delimiter may be at the very start, without a line before it.
  const incoming = new Incoming(chunks, Buffer.from('\r\n'));
  const preamble = await incoming.readTo(delimiter, MAX_PREAMBLE, UPLOAD_MESSAGES.noPart);
  const padding = await incoming.readTo('\r\n', MAX_PREAMBLE, UPLOAD_MESSAGES.noPart);
  if (!/^[ \t]*$/.test(padding.toString('latin1'))) throw invalid(UPLOAD_MESSAGES.noPart);
  const head = await incoming.readTo('\r\n\r\n', MAX_HEADERS, UPLOAD_MESSAGES.badPart);
  const headers = readPartHeaders(head.toString('utf8'));
  const { parameters } = readDisposition(headers.get('content-disposition') ?? '');
  const filename = parameters.get('filename*') ?? parameters.get('filename');
  if (parameters.get('name') !== 'file' || filename === undefined) throw invalid(UPLOAD_MESSAGES.notNamedFile);
  if (!/^(7bit|8bit|binary)$/i.test(headers.get('content-transfer-encoding') ?? 'binary'))
    throw invalid(UPLOAD_MESSAGES.badPart);
  const before = preamble.length - 2 + delimiter.length + padding.length + 2 + head.length + 4;
  const content = async function* (): AsyncGenerator<Buffer> {
    yield* incoming.passTo(delimiter, UPLOAD_MESSAGES.cutOff);
    const end = (await incoming.readAll(MAX_EPILOGUE, UPLOAD_MESSAGES.otherParts)).toString('latin1');
    if (!/^--[ \t]*(\r\n|$)/.test(end)) throw invalid(UPLOAD_MESSAGES.otherParts);
  };
  return {
    filename: cleanFilename(filename),
    bytes: bodyBytes === null ? null : Math.max(0, bodyBytes - before - delimiter.length - '--\r\n'.length),
    chunks: content(),
  };
};

const readPartHeaders = (head: string): ReadonlyMap<string, string> =>
  new Map(
    head.split('\r\n').map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, Math.max(colon, 0)).trim().toLowerCase(), line.slice(colon + 1).trim()] as const;
    }),
  );

/**
 * Reads a `Content-Disposition` (RFC 6266, RFC 7578). Extended values, such as `filename*=UTF-8''%D1%84.jpg`, are
 * decoded.
 */
const readDisposition = (
  header: string,
): { readonly type: string; readonly parameters: ReadonlyMap<string, string> } => {
  const [type = ''] = header.split(';', 1);
  const parameters = new Map<string, string>();
  const each = /;\s*([\w!#$&+.^`|~-]+\*?)\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s;]*))/g;
  for (const [, name = '', quoted, plain] of header.matchAll(each)) {
    const value = quoted === undefined ? (plain ?? '') : quoted.replace(/\\(.)/g, '$1');
    const decoded = name.endsWith('*') ? decodeExtended(value) : value;
    if (decoded !== null) parameters.set(name.toLowerCase(), decoded);
  }
  return { type: type.trim().toLowerCase(), parameters };
};

const decodeExtended = (value: string): string | null => {
  const [, encoded] = /^utf-8'[^']*'(.*)$/i.exec(value) ?? [];
  try {
    return encoded === undefined ? null : decodeURIComponent(encoded);
  } catch {
    return null;
  }
};

/** Maximum length of a kept file name, in characters. */
const MAX_NAME = 200;

/** Removes control characters from a file name, and whatever exceeds 200 characters. It is only ever shown. */
const cleanFilename = (name: string | undefined): string | null => {
  // Also the characters that reverse the direction of what follows: they disguise an extension.
  const shown = (name ?? '').replace(/[\p{Cc}\p{Surrogate}\u2028-\u202e\u2066-\u2069]/gu, '');
  return Array.from(shown.trim()).slice(0, MAX_NAME).join('') || null;
};

/** Media types of supported formats, and other names for them that browsers and tools send. */
const TYPES: ReadonlySet<string> = new Set([
  ...Object.values(MIME_OF),
  ...['image/jpg', 'video/x-m4v', 'audio/mp3', 'audio/m4a', 'audio/x-m4a', 'audio/opus', 'application/ogg'],
  'application/octet-stream',
]);

/** What the head of an upload says. */
export interface UploadHead {
  /** Null if the body is the file itself. */
  readonly boundary: string | null;
  readonly bodyBytes: number | null;
  /** Declared SHA-256 of the body, hex; null if there is none. */
  readonly digest: string | null;
}

/** Checks the media type of an upload. @throws HttpProblem 415 */
export const requireUploadType = ({ headers }: FastifyRequest): void => {
  const type = mediaTypeOf(headers['content-type']);
  if (!TYPES.has(type) && type !== 'multipart/form-data')
    throw unsupported(
      UPLOAD_MESSAGES.mediaType({ type: type === '' ? 'missing' : JSON.stringify(type.slice(0, 100)) }),
    );
  const encoding = headers['content-encoding'] ?? 'identity';
  if (encoding.trim().toLowerCase() !== 'identity')
    throw unsupported(UPLOAD_MESSAGES.encoding({ encoding: JSON.stringify(encoding.slice(0, 100)) }));
};

/** Reads the rest of the head. @throws HttpProblem 400, 422 */
export const readUploadHead = ({ headers }: FastifyRequest): UploadHead => {
  const type = headers['content-type'] ?? '';
  const [, quoted, plain] = /;\s*boundary\s*=\s*(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(type) ?? [];
  const isMultipart = mediaTypeOf(type) === 'multipart/form-data';
  const boundary = isMultipart ? (quoted ?? plain ?? null) : null;
  if (isMultipart && boundary === null)
    throw HttpProblem.withMessage(422, 'invalid_multipart', UPLOAD_MESSAGES.noBoundary);
  const bodyBytes = headers['transfer-encoding'] === undefined ? Number(headers['content-length'] ?? 0) : null;
  return { boundary, bodyBytes, digest: readDigest(headers['content-digest'] as string | undefined) };
};

const mediaTypeOf = (header = ''): string => header.split(';', 1)[0]!.trim().toLowerCase();

const unsupported = (message: string): HttpProblem => HttpProblem.withMessage(415, 'unsupported_media_type', message);

/** Returns the SHA-256 (hex) in a `Content-Digest` (RFC 9530); null if it has none. @throws HttpProblem 400 */
const readDigest = (header: string | undefined): string | null => {
  if (header === undefined || !/(^|,)\s*sha-256\s*=/i.test(header)) return null;
  const [, base64] = /(?:^|,)\s*sha-256=:([A-Za-z0-9+/]{43}=):\s*(?:,|$)/.exec(header) ?? [];
  if (base64 === undefined) throw HttpProblem.withMessage(400, 'digest_mismatch', UPLOAD_MESSAGES.badDigest);
  return Buffer.from(base64, 'base64').toString('hex');
};

/** An upload's file, whose bytes are about to arrive. */
export interface UploadedBody {
  readonly filename: string | null;
  /** Size of the file; null if it is unknown. */
  readonly bytes: number | null;
  /** SHA-256 (hex) that was declared for the file itself; null if none was, or only for a multipart body. */
  readonly sha256: string | null;
  readonly chunks: AsyncIterable<Buffer>;
  /** Checks the declared digest once all chunks have been read. @throws HttpProblem 400 */
  readonly verify: (facts: { readonly sha256: string }) => void;
}

/** Opens the body of an upload. @throws HttpProblem 422, here or while the chunks are read */
export const openUploadBody = async (
  request: FastifyRequest,
  { boundary, bodyBytes, digest }: UploadHead,
  chunks: AsyncIterable<Buffer>,
): Promise<UploadedBody> => {
  const requireMatch = (sha256: string): void => {
    if (digest !== null && digest !== sha256)
      throw HttpProblem.withMessage(400, 'digest_mismatch', UPLOAD_MESSAGES.digest);
  };
  if (boundary === null) {
    const { parameters } = readDisposition(readHeaderText(request, 'content-disposition') ?? '');
    const filename = cleanFilename(parameters.get('filename*') ?? parameters.get('filename'));
    return { filename, bytes: bodyBytes, sha256: digest, chunks, verify: ({ sha256 }) => requireMatch(sha256) };
  }
  const hash = createHash('sha256');
  const hashed = async function* (): AsyncGenerator<Buffer> {
    for await (const chunk of chunks) {
      if (digest !== null) hash.update(chunk);
      yield chunk;
    }
  };
  const part = await readMultipart(hashed(), boundary, bodyBytes);
  return { ...part, sha256: null, verify: () => digest !== null && requireMatch(hash.digest('hex')) };
};

/** Time limits of an upload. */
export interface UploadTimes {
  /** How long it may wait for a byte, in ms. */
  readonly idleMs: number;
  /** How long it may take, in ms. */
  readonly totalMs: number;
}

/** The time limits of the API (D-90). */
export const DEFAULT_UPLOAD_TIMES: UploadTimes = { idleMs: 30_000, totalMs: 2 * 3_600_000 };

/**
 * Reads the chunks of a request's body, no faster than they are taken. Ends with a problem if the client sends nothing
 * for too long, or closes the connection.
 * @throws HttpProblem 400 `body_incomplete`, 408 `upload_stalled`, or the signal's reason
 */
export async function* readChunks(
  request: FastifyRequest,
  signal: AbortSignal,
  { idleMs, totalMs }: UploadTimes,
): AsyncGenerator<Buffer> {
  const { raw } = request;
  const endsAt = performance.now() + totalMs;
  let failure: Error | null = null;
  let wake: () => void = () => undefined;
  const fail = (error: Error): void => {
    failure ??= error;
    wake();
  };
  const onReadable = (): void => wake();
  const onClose = (): void => fail(incompleteBody());
  const onAbort = (): void => fail(signal.reason as Error);
  request.upload = { abort: (problem) => (fail(problem), true) };
  raw.on('readable', onReadable).on('end', onReadable).on('error', onClose).on('close', onClose);
  signal.addEventListener('abort', onAbort);
  try {
    for (;;) {
      if (performance.now() > endsAt) throw stalled();
      const chunk = raw.read() as Buffer | null;
      if (chunk !== null) {
        request.receivedBytes += chunk.length;
        yield chunk;
        continue;
      }
      if (raw.readableEnded) return;
      if (failure) throw failure as Error;
      const left = Math.min(idleMs, endsAt - performance.now());
      if (left <= 0 || raw.destroyed) throw left <= 0 ? stalled() : incompleteBody();
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => fail(stalled()), left);
        wake = () => {
          clearTimeout(timer);
          resolve();
        };
      });
    }
  } finally {
    request.upload = null;
    raw.off('readable', onReadable).off('end', onReadable).off('error', onClose).off('close', onClose);
    raw.on('error', () => undefined);
    signal.removeEventListener('abort', onAbort);
    // A paused body makes the response the last on its connection (http-server.ts).
    if (raw.readableEnded) raw.resume();
    else raw.pause();
  }
}

const stalled = (): HttpProblem => HttpProblem.withMessage(408, 'upload_stalled', UPLOAD_MESSAGES.stalled);
