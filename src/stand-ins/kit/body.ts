import { isUtf8 } from 'node:buffer';
import type { IncomingMessage } from 'node:http';

/** A file of a multipart body. */
export interface UploadedFile {
  readonly name: string;
  readonly type: string;
  readonly bytes: Buffer;
}

/** A request's parameters, whatever form they came in. JSON values keep their types; others are strings. */
export interface CallBody {
  readonly fields: Readonly<Record<string, unknown>>;
  readonly files: ReadonlyMap<string, UploadedFile>;
}

/** A body that cannot be taken; the network words the answer. */
export class BodyProblem extends Error {
  constructor(
    readonly status: 400 | 413,
    message: string,
  ) {
    super(message);
  }
}

/** Room for one upload of 50 MB and what surrounds it; a network that takes more says so. */
export const MAX_BODY_BYTES = 52 * 1_048_576;

const NO_FILES: ReadonlyMap<string, UploadedFile> = new Map();

/** The whole body; {@link BodyProblem} 413 over `maxBytes`, whose rest is read and thrown away. */
export const readBytes = (request: IncomingMessage, maxBytes: number = MAX_BODY_BYTES): Promise<Buffer> =>
  new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    request.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxBytes) chunks.push(chunk);
      else chunks.length = 0;
    });
    request.on('end', () => {
      if (size > maxBytes) reject(new BodyProblem(413, `content length is ${size}`));
      else resolve(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    });
    request.on('error', reject);
    request.on('close', () => reject(new Error('the client went away')));
  });

/** Parses JSON, a form or multipart by the content type; {@link BodyProblem} 400 where it is not what it says. */
export const parseBody = async (bytes: Buffer, contentType: string | undefined): Promise<CallBody> => {
  const type = contentType?.split(';', 1)[0]?.trim().toLowerCase() ?? '';
  if (bytes.length === 0) return { fields: {}, files: NO_FILES };
  if (type === 'multipart/form-data') return parseMultipart(bytes, contentType ?? '');
  if (!isUtf8(bytes)) throw new BodyProblem(400, 'strings must be encoded in UTF-8');
  if (type === 'application/json') return { fields: parseJsonObject(bytes.toString()), files: NO_FILES };
  return { fields: Object.fromEntries(new URLSearchParams(bytes.toString())), files: NO_FILES };
};

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

const parseMultipart = async (bytes: Buffer, contentType: string): Promise<CallBody> => {
  let form: FormData;
  try {
    form = await new Response(bytes, { headers: { 'content-type': contentType } }).formData();
  } catch {
    throw new BodyProblem(400, "can't parse form data");
  }
  const fields: Record<string, string> = {};
  const files = new Map<string, UploadedFile>();
  for (const [name, value] of form) {
    if (typeof value === 'string') fields[name] = value;
    else files.set(name, { name: value.name, type: value.type, bytes: Buffer.from(await value.arrayBuffer()) });
  }
  return { fields, files };
};
