import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { MediaFile } from './publisher.js';

/** A file of a form, under its field's name. */
export interface FilePart {
  readonly field: string;
  readonly file: Pick<MediaFile, 'path' | 'sizeBytes' | 'mime' | 'filename'>;
}

/** A request's body that is read while it is sent, with its exact length. */
export interface Multipart {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
}

/** `multipart/form-data` (RFC 7578) of files on disk: never whole in memory, of known length, as networks want it. */
export const multipartOf = (parts: readonly FilePart[]): Multipart => {
  const boundary = `----${randomUUID()}`;
  const heads = parts.map(({ field, file }) =>
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name="${quotable(field)}"; filename="${quotable(file.filename)}"\r\n` +
        `Content-Type: ${file.mime}\r\n\r\n`,
    ),
  );
  const end = Buffer.from(`--${boundary}--\r\n`);
  const length = parts.reduce((sum, { file }, i) => sum + (heads[i]?.length ?? 0) + file.sizeBytes + 2, end.length);
  async function* read(): AsyncGenerator<Buffer> {
    for (const [i, { file }] of parts.entries()) {
      yield heads[i] ?? Buffer.alloc(0);
      yield* createReadStream(file.path) as AsyncIterable<Buffer>;
      yield Buffer.from('\r\n');
    }
    yield end;
  }
  return {
    headers: { 'content-type': `multipart/form-data; boundary=${boundary}`, 'content-length': String(length) },
    body: Readable.from(read(), { objectMode: false }),
  };
};

/** As browsers quote a name in a form's header. */
const quotable = (name: string): string => name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
