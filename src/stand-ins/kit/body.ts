import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';
import { BodyProblem } from './body-problem.js';
import { parseBoundary, readMultipart } from './multipart-body.js';
import type { UploadedFile } from './uploaded-file.js';

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
