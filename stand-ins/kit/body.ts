import { isUtf8 } from 'node:buffer';
import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { receiveFile, type UploadedFile } from './media-store.js';
import type { StandInCall } from './network.js';

/** Thrown for a body that cannot be read. The network decides how to word the response. */
export class BodyProblem extends Error {
  constructor(
    readonly status: 400 | 413,
    message: string,
  ) {
    super(message);
  }
}

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

/** The parameters of a request in any encoding. JSON values keep their types; all others are strings. */
export interface CallBody {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly files: ReadonlyMap<string, UploadedFile>;
}

/** Default limit: an upload of 50 MB and its multipart framing. */
const MAX_BODY_BYTES = 52 * 1_048_576;

/**
 * Reads a request body as JSON, a form or multipart, depending on its content type. Only multipart bodies are streamed,
 * so only they may be larger than the default of 52 MB.
 * @throws BodyProblem 413 over `maxBytes` (the rest is read and discarded); 400 if the body does not match its type
 */
export const readBody = async (request: IncomingMessage, maxBytes: number = MAX_BODY_BYTES): Promise<CallBody> => {
  const contentType = request.headers['content-type'] ?? '';
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type === 'multipart/form-data') return readMultipart(readChunks(request, maxBytes), parseBoundary(contentType));
  const chunks: Buffer[] = [];
  for await (const chunk of readChunks(request, Math.min(maxBytes, MAX_BODY_BYTES))) chunks.push(chunk);
  return { fields: parseFields(Buffer.concat(chunks), type), files: new Map() };
};

const parseFields = (bytes: Buffer, type: string): CallBody['fields'] => {
  if (bytes.length === 0) return {};
  if (!isUtf8(bytes)) throw new BodyProblem(400, 'strings must be encoded in UTF-8');
  if (type === 'application/json') return parseJsonObject(bytes.toString());
  return Object.fromEntries(new URLSearchParams(bytes.toString()));
};

/** Streams a body. Reads even an oversized body in full, so that the sender receives the response. */
async function* readChunks(request: IncomingMessage, maxBytes: number): AsyncGenerator<Buffer, void, void> {
  let size = 0;
  for await (const chunk of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size <= maxBytes) yield chunk;
  }
  if (size > maxBytes) throw new BodyProblem(413, `content length is ${size}`);
}

const parseJsonObject = (text: string): CallBody['fields'] => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new BodyProblem(400, "can't parse JSON object");
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new BodyProblem(400, 'JSON object expected');
  }
  return value as Record<string, unknown>;
};

/** Parameters of a call, all strings. */
export type TextParameters = Readonly<Record<string, string>>;

/** Returns the text parameters from query, form or multipart, which are equivalent. */
export const textParametersOf = ({ query, fields }: StandInCall): TextParameters =>
  Object.fromEntries(
    Object.entries({ ...Object.fromEntries(query), ...fields }).filter(
      (field): field is [string, string] => typeof field[1] === 'string',
    ),
  );

/** Returns the address at which the client reached the stand-in. */
export const originOf = ({ headers }: StandInCall): string => `http://${headers.host ?? '127.0.0.1'}`;

/** Path of an upload address at a stand-in: `/upload/photo/<ticket>` or `/upload/video/<ticket>`. */
export interface UploadPath {
  readonly kind: 'photo' | 'video';
  readonly ticket: string;
}

/** Parses the path of an upload address. Returns null for any other path. */
export const parseUploadPath = (path: string): UploadPath | null => {
  const [, kind, ticket] = /^\/upload\/(photo|video)\/([0-9a-f]{32})$/.exec(path) ?? [];
  return kind === undefined || ticket === undefined ? null : { kind: kind as UploadPath['kind'], ticket };
};

/** Creates the random part of an upload address. */
export const newTicket = (): string => randomBytes(16).toString('hex');
