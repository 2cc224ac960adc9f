import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { BodyProblem } from './body-problem.js';
import { boundaryOf, readMultipart } from './multipart-body.js';
import type { UploadedFile } from './uploaded-file.js';

/** A request's parameters, whatever form they came in. JSON values keep their types; others are strings. */
export interface CallBody {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly files: ReadonlyMap<string, UploadedFile>;
}

/** Room for one upload of 50 MB and what surrounds it; a network that takes more says so. */
const MAX_BODY_BYTES = 52 * 1_048_576;

const NO_FILES: ReadonlyMap<string, UploadedFile> = new Map();

/**
 * A request's body: JSON, a form or multipart, by its content type. Only multipart is read piece by piece, so only that
 * may be longer than the usual 52 MB.
 * @throws BodyProblem 413 over `maxBytes`, whose rest is read and thrown away; 400 where it is not what it says
 */
export const readBody = async (request: IncomingMessage, maxBytes: number = MAX_BODY_BYTES): Promise<CallBody> => {
  const contentType = request.headers['content-type'] ?? '';
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (type === 'multipart/form-data') return readMultipart(piecesOf(request, maxBytes), boundaryOf(contentType));
  const pieces: Buffer[] = [];
  for await (const piece of piecesOf(request, Math.min(maxBytes, MAX_BODY_BYTES))) pieces.push(piece);
  return parseText(Buffer.concat(pieces), type);
};

/** JSON or a form. {@link BodyProblem} 400 where it is neither. */
const parseText = (bytes: Buffer, type: string): CallBody => {
  if (bytes.length === 0) return { fields: {}, files: NO_FILES };
  if (!isUtf8(bytes)) throw new BodyProblem(400, 'strings must be encoded in UTF-8');
  if (type === 'application/json') return { fields: parseJsonObject(bytes.toString()), files: NO_FILES };
  return { fields: Object.fromEntries(new URLSearchParams(bytes.toString())), files: NO_FILES };
};

/** The body as it comes; what is too long is read to its end all the same, so that its sender hears the answer. */
async function* piecesOf(request: IncomingMessage, maxBytes: number): AsyncGenerator<Buffer, void, void> {
  let size = 0;
  for await (const piece of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
    size += piece.length;
    if (size <= maxBytes) yield piece;
  }
  if (size > maxBytes) throw new BodyProblem(413, `content length is ${size}`);
}

const parseJsonObject = (text: string): Readonly<Record<string, unknown>> => {
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
