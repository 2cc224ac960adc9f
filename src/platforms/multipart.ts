import { randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import type { NetworkConnection } from './channel-check.js';
import { type Exchange, exchange, type ExchangeLimits } from './exchange.js';
import type { MediaFile } from './publisher.js';

/** A file to upload, and the name of its form field. */
export interface FilePart {
  readonly field: string;
  readonly file: Pick<MediaFile, 'path' | 'sizeBytes' | 'mime' | 'filename'>;
}

/** A streamed form body with its headers. */
export interface Multipart {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Readable;
}

/**
 * Creates a `multipart/form-data` body (RFC 7578) from fields and files on disk. Streams the files and computes the
 * content length in advance, because networks require it.
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

/** Uploads a file to a URL; never throws. */
export const uploadFile = async (
  { connections }: Pick<NetworkConnection, 'connections'>,
  url: string,
  part: FilePart,
  limits: ExchangeLimits,
): Promise<Exchange> => {
  const { headers, body } = createMultipart([part]);
  const answer = await exchange(connections, { method: 'POST', url, headers, body }, limits);
  body.destroy();
  return answer;
};

const partHeader = (boundary: string, name: string): string =>
  `--${boundary}\r\nContent-Disposition: form-data; name="${escapeName(name)}"`;

/** Escapes a name in a part header the way browsers do. */
const escapeName = (name: string): string =>
  name.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A');
