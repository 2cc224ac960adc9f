import { toBytes, toHex } from './hmac.js';

/** A file to upload: bytes in memory, or a Blob, such as a browser's File or the result of Node's `openAsBlob`. */
export type UploadSource = Blob | Uint8Array<ArrayBuffer>;

/** Options for an upload. */
export interface UploadOptions {
  /** The name that readers see where a network shows files. Default: the name of a File. */
  readonly filename?: string;
}

/** How long to wait for the answer, in ms: it comes when the whole file has arrived, which may take two hours. */
export const UPLOAD_ANSWER_MS = 7_260_000;

/** Returns the headers that describe a file. Its type is found out from its bytes. */
export const describeFile = (file: UploadSource, { filename }: UploadOptions): Record<string, string> => {
  const name = filename ?? (file as { readonly name?: string }).name;
  return {
    'content-type': 'application/octet-stream',
    ...(name !== undefined && { 'content-disposition': `attachment; filename*=UTF-8''${encode(name)}` }),
  };
};

/** Returns the Content-Digest of a file (RFC 9530), which an upload's signature covers instead of the body. */
export const digestOf = async (file: UploadSource): Promise<string> => {
  const bytes = file instanceof Uint8Array ? file : new Uint8Array(await file.arrayBuffer());
  const hash = new Uint8Array(await crypto.subtle.digest('SHA-256', bytes));
  return `sha-256=:${btoa(String.fromCharCode(...hash))}:`;
};

/** Encodes a file name for a header (RFC 8187). */
const encode = (name: string): string =>
  Array.from(toBytes(name), (byte) => {
    const character = String.fromCharCode(byte);
    return /[A-Za-z0-9._-]/.test(character) ? character : `%${toHex(Uint8Array.of(byte)).toUpperCase()}`;
  }).join('');
