import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { MediaFile } from './publisher.js';

/** A file in a form, with the name of its field. */
export interface FilePart {
  readonly field: string;
  readonly file: Pick<MediaFile, 'path' | 'sizeBytes' | 'mime' | 'filename'>;
}

/** Streamed request body of known length. */
export interface Multipart {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
}

/**
 * Creates a `multipart/form-data` body (RFC 7578) from fields and files on disk. Files are streamed, not loaded into
 * memory, and the length is known in advance, as networks require.
 */
export const createMultipart = (
  files: readonly FilePart[],
  fields: Readonly<Record<string, string>> = {},
): Multipart => {
  const boundary = `----${randomUUID()}`;
  const start = Object.entries(fields).map(([name, value]) => `${partHeader(boundary, name)}\r\n\r\n${value}\r\n`);
  const head = Buffer.from(start.join(''));
  const parts = files.map(({ field, file }) => {
    const filename = `; filename="${escapeName(file.filename)}"\r\nContent-Type: ${file.mime}\r\n\r\n`;
    return { file, head: Buffer.from(partHeader(boundary, field) + filename) };
  });
  const end = Buffer.from(`--${boundary}--\r\n`);
  const length = parts.reduce(
    (sum, part) => sum + part.head.length + part.file.sizeBytes + 2,
    head.length + end.length,
  );
  async function* read(): AsyncGenerator<Buffer> {
    yield head;
    for (const part of parts) {
      yield part.head;
      yield* createReadStream(part.file.path) as AsyncIterable<Buffer>;
      yield Buffer.from('\r\n');
    }
    yield end;
  }
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, 'content-length': String(length) },
    body: Readable.from(read(), { objectMode: false }),
  };
};

const partHeader = (boundary: string, name: string): string =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"`;

/** Escapes a name in a form's header as browsers do. */
const escapeName = (name: string): string =>
  name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
