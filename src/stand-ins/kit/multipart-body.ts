import { BodyProblem } from './body-problem.js';
import type { CallBody } from './body.js';
import { receiveFile, type UploadedFile } from './uploaded-file.js';

const LINE = Buffer.from('\r\n');
const HEADERS_END = Buffer.from('\r\n\r\n');

/** The boundary that a content type names; {@link BodyProblem} 400 without one. */
export const boundaryOf = (contentType: string): string => {
  const [, quoted, plain] = /;\s*boundary=(?:"([^"]{1,200})"|([^\s;"]{1,200}))/i.exec(contentType) ?? [];
  const boundary = quoted ?? plain;
  if (boundary === undefined) throw unreadable();
  return boundary;
};

/**
 * A form with files (RFC 7578), read as it comes: of a file no more is in memory than {@link receiveFile} keeps. The last
 * field or file of a name counts.
 */
export const readMultipart = async (pieces: AsyncIterable<Buffer>, boundary: string): Promise<CallBody> => {
  const fields: Record<string, string> = {};
  const files = new Map<string, UploadedFile>();
  const body = new Scanner(pieces);
  const delimiter = Buffer.from(`\r\n--${boundary}`);
  await textOf(body.until(delimiter));
  for (;;) {
    const after = await textOf(body.until(LINE, true));
    if (after.startsWith('--')) break;
    if (after.trim() !== '') throw unreadable();
    const headers = await textOf(body.until(HEADERS_END));
    const name = parameterOf(headers, 'name');
    if (name === undefined) throw unreadable();
    const fileName = parameterOf(headers, 'filename');
    const content = body.until(delimiter);
    if (fileName === undefined) fields[name] = await textOf(content);
    else files.set(name, await receiveFile({ name: fileName, type: typeOf(headers) }, content));
  }
  await textOf(body.rest());
  return { fields, files };
};

/** Cuts a stream at marks; a mark may lie across two pieces. */
class Scanner {
  private readonly pieces: AsyncIterator<Buffer>;
  // As if a line had ended before the first delimiter, which has none before it.
  private known: Buffer = LINE;

  constructor(pieces: AsyncIterable<Buffer>) {
    this.pieces = pieces[Symbol.asyncIterator]();
  }

  /** What stands before the next mark, which is passed over; to be read to its end. @param orEnd the end will do as well */
  async *until(mark: Buffer, orEnd = false): AsyncGenerator<Buffer, void, void> {
    for (;;) {
      const at = this.known.indexOf(mark);
      const end = at >= 0 ? at : this.known.length - mark.length + 1;
      if (end > 0) yield this.known.subarray(0, end);
      if (at >= 0) return void (this.known = this.known.subarray(at + mark.length));
      // What may be the beginning of the mark waits for more.
      if (end > 0) this.known = this.known.subarray(end);
      const next = await this.pieces.next();
      if (next.done && orEnd) return yield* this.rest();
      if (next.done) throw unreadable();
      this.known = this.known.length > 0 ? Buffer.concat([this.known, next.value]) : next.value;
    }
  }

  /** Everything that is left. */
  async *rest(): AsyncGenerator<Buffer, void, void> {
    yield this.known;
    this.known = Buffer.alloc(0);
    for (let next = await this.pieces.next(); !next.done; next = await this.pieces.next()) yield next.value;
  }
}

const textOf = async (pieces: AsyncIterable<Buffer>): Promise<string> => {
  const all: Buffer[] = [];
  for await (const piece of pieces) all.push(piece);
  return Buffer.concat(all).toString();
};

/** A parameter of the part's Content-Disposition, as browsers quote it. */
const parameterOf = (headers: string, name: string): string | undefined =>
  new RegExp(`^content-disposition:[^\\r\\n]*;\\s*${name}="([^"]*)"`, 'im')
    .exec(headers)?.[1]
    ?.replaceAll('%22', '"')
    .replaceAll('%0D', '\r')
    .replaceAll('%0A', '\n');

const typeOf = (headers: string): string =>
  /^content-type:\s*([^\r\n;]+)/im.exec(headers)?.[1]?.trim().toLowerCase() ?? 'application/octet-stream';

const unreadable = (): BodyProblem => new BodyProblem(400, "can't parse form data");
