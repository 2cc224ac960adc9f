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
export const readMultipart = async (
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
export const readDisposition = (
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
export const cleanFilename = (name: string | undefined): string | null => {
  // Also the characters that reverse the direction of what follows: they disguise an extension.
  const shown = (name ?? '').replace(/[\p{Cc}\p{Surrogate}\u2028-\u202e\u2066-\u2069]/gu, '');
  return Array.from(shown.trim()).slice(0, MAX_NAME).join('') || null;
};
