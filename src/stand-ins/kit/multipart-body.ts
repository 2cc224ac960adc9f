import type { CallBody } from './body.js';
import { BodyProblem } from './body-problem.js';
import { receiveFile, type UploadedFile } from './uploaded-file.js';

const LINE = Buffer.from('\r\n');
const HEADERS_END = Buffer.from('\r\n\r\n');

/** Returns the boundary of a content type. @throws BodyProblem 400 if there is none */
export const parseBoundary = (contentType: string): string => {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw unreadableForm();
  return boundary;
};

/**
 * Reads a form with files (RFC 7578) as a stream. File content stays in memory only if {@link receiveFile} stores it.
 * If a name occurs twice, the last field or file wins.
 */
export const readMultipart = async (chunks: AsyncIterable<Buffer>, boundary: string): Promise<CallBody> => {
  const fields: Record<string, string> = {};
  const files = new Map<string, UploadedFile>();
  const body = new Scanner(chunks);
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  await readText(body.readUntil(delimiter));
  for (;;) {
    const after = await readText(body.readUntil(LINE, true));
    if (after.startsWith('--')) break;
    if (after.trim() !== '') throw unreadableForm();
    const headers = await readText(body.readUntil(HEADERS_END));
    const name = parseParameter(headers, 'name');
    if (name === undefined) throw unreadableForm();
    const fileName = parseParameter(headers, 'filename');
    const content = body.readUntil(delimiter);
    if (fileName === undefined) fields[name] = await readText(content);
    else files.set(name, await receiveFile({ name: fileName, type: parseType(headers) }, content));
  }
  await readText(body.readRest());
  return { fields, files };
};

/** Splits a stream at byte sequences (marks), which may span two chunks. */
class Scanner {
  private readonly chunks: AsyncIterator<Buffer>;
  // Starts with a line break, which the first delimiter lacks.
  private buffered: Buffer = LINE;

  constructor(chunks: AsyncIterable<Buffer>) {
    this.chunks = chunks[Symbol.asyncIterator]();
  }

  /**
   * Yields the bytes before the next mark and skips the mark. The caller must read all bytes.
   * @param orEnd whether the end of the stream also counts as a mark
   */
  async *readUntil(mark: Buffer, orEnd = false): AsyncGenerator<Buffer, void, void> {
    for (;;) {
      const at = this.buffered.indexOf(mark);
      const end = at >= 0 ? at : this.buffered.length - mark.length + 1;
      if (end > 0) yield this.buffered.subarray(0, end);
      if (at >= 0) return void (this.buffered = this.buffered.subarray(at + mark.length));
      // The end of the buffer may be the beginning of a mark, so it is kept until more bytes arrive.
      if (end > 0) this.buffered = this.buffered.subarray(end);
      const next = await this.chunks.next();
      if (next.done && orEnd) return yield* this.readRest();
      if (next.done) throw unreadableForm();
      this.buffered = this.buffered.length > 0 ? Buffer.concat([this.buffered, next.value]) : next.value;
    }
  }

  async *readRest(): AsyncGenerator<Buffer, void, void> {
    yield this.buffered;
    this.buffered = Buffer.alloc(0);
    for (let next = await this.chunks.next(); !next.done; next = await this.chunks.next()) yield next.value;
  }
}

const readText = async (chunks: AsyncIterable<Buffer>): Promise<string> => {
  const all: Buffer[] = [];
  for await (const chunk of chunks) all.push(chunk);
  return Buffer.concat(all).toString();
};

/** Returns a parameter of the part's Content-Disposition, unquoted. */
const parseParameter = (headers: string, name: string): string | undefined =>
  new RegExp(`^content-disposition:[^\\r\\n]*;\\s*${name}="([^"]*)"`, 'im')
    .exec(headers)?.[1]
    ?.replaceAll('%22', '"')
    .replaceAll('%0D', '\r')
    .replaceAll('%0A', '\n');

const parseType = (headers: string): string =>
  /^content-type:\s*([^\r\n;]+)/im.exec(headers)?.[1]?.trim().toLowerCase() ?? 'application/octet-stream';

const unreadableForm = (): BodyProblem => new BodyProblem(400, "can't parse form data");
