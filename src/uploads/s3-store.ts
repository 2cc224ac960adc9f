import { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import {
  AbortMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  HeadObjectCommand,
  ListMultipartUploadsCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  type S3ServiceException,
} from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import type { S3StoreSettings } from '../config/media-settings.js';
import { reasonOf } from '../kernel/result.js';
import {
  type ByteRange,
  checkFileName,
  FileGone,
  type FileStore,
  STORED_KINDS,
  type StoredItem,
  StoreFull,
  StoreUnavailable,
} from './file-store.js';
import { FILE_STORE_MESSAGES } from './messages.js';

/** Size of the parts of a file, in bytes, one of which is in memory at a time: the least that S3 allows. */
const PART_BYTES = 5 * 1024 ** 2;
const MARK = 'crosspost-store';

/** Time limits of calls, in ms. */
export interface S3Times {
  readonly connectMs: number;
  /** How long a call may wait for a byte. */
  readonly idleMs: number;
}

const TIMES: S3Times = { connectMs: 5_000, idleMs: 30_000 };

/** A bucket on an S3-compatible server (D-92). */
export class S3Store implements FileStore {
  readonly name: string;
  private readonly client: S3Client;

  constructor(
    private readonly settings: S3StoreSettings,
    { connectMs, idleMs }: S3Times = TIMES,
  ) {
    const { bucket, prefix, endpoint, region, pathStyle, credentials } = settings;
    this.name = `s3://${bucket}/${prefix}`;
    this.client = new S3Client({
      region,
      forcePathStyle: pathStyle,
      maxAttempts: 3,
      requestHandler: { connectionTimeout: connectMs, requestTimeout: idleMs, throwOnRequestTimeout: true },
      // Other servers do not know the checksums that AWS has added.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      ...(endpoint !== null && { endpoint }),
      ...(credentials && { credentials }),
    });
  }

  async write(file: string, body: Readable, signal: AbortSignal): Promise<void> {
    let failure: { readonly of: unknown } | null = null;
    const watched = async function* (): AsyncGenerator<Buffer> {
      try {
        yield* body as AsyncIterable<Buffer>;
      } catch (error) {
        failure = { of: error };
        throw error;
      }
    };
    const upload = new Upload({
      client: this.client,
      params: { ...this.place(file), Body: Readable.from(watched()) },
      partSize: PART_BYTES,
      queueSize: 1,
    });
    const abort = (): void => void upload.abort();
    signal.addEventListener('abort', abort);
    try {
      signal.throwIfAborted();
      await upload.done();
    } catch (error) {
      body.destroy();
      signal.throwIfAborted();
      if (failure) throw (failure as { readonly of: unknown }).of;
      throw asStoreError(error);
    } finally {
      signal.removeEventListener('abort', abort);
    }
  }

  async read(file: string, range: ByteRange | null, signal?: AbortSignal): Promise<Readable> {
    try {
      const Range = range ? `bytes=${range.start}-${range.end}` : undefined;
      const command = new GetObjectCommand({ ...this.place(file), Range });
      const { Body, ContentRange } = await this.client.send(command, signal && { abortSignal: signal });
      if (range && ContentRange === undefined) throw new StoreUnavailable(FILE_STORE_MESSAGES.noRange);
      return Body as Readable;
    } catch (error) {
      throw asStoreError(error);
    }
  }

  async sizeOf(file: string): Promise<number | null> {
    return this.sizeOfKey(this.place(file).Key);
  }

  async remove(file: string): Promise<void> {
    await this.call(() => this.client.send(new DeleteObjectCommand(this.place(file))));
  }

  async *list(kind: keyof typeof STORED_KINDS = 'uploads'): AsyncIterable<StoredItem> {
    const { bucket: Bucket, prefix } = this.settings;
    const { names, folder } = STORED_KINDS[kind];
    const Prefix = folder === null ? prefix : `${prefix}${folder}/`;
    for (let ContinuationToken: string | undefined, more = true; more;) {
      const command = new ListObjectsV2Command({ Bucket, Prefix, ContinuationToken });
      const page = await this.call(() => this.client.send(command));
      for (const { Key = '', LastModified } of page.Contents ?? []) {
        const file = Key.slice(prefix.length);
        if (!names.test(file)) continue;
        yield {
          file,
          isComplete: true,
          modifiedAt: LastModified?.getTime() ?? Date.now(),
          remove: () => this.remove(file),
        };
      }
      ContinuationToken = page.NextContinuationToken;
      more = page.IsTruncated === true && ContinuationToken !== undefined;
    }
    yield* this.listUnfinished(names, Prefix);
  }

  private async *listUnfinished(names: RegExp, Prefix: string): AsyncIterable<StoredItem> {
    const { bucket: Bucket, prefix } = this.settings;
    for (let KeyMarker: string | undefined, UploadIdMarker: string | undefined, more = true; more;) {
      const command = new ListMultipartUploadsCommand({ Bucket, Prefix, KeyMarker, UploadIdMarker });
      const page = await this.call(() => this.client.send(command));
      for (const { Key = '', UploadId, Initiated } of page.Uploads ?? []) {
        const file = Key.slice(prefix.length);
        if (!names.test(file)) continue;
        const abort = new AbortMultipartUploadCommand({ Bucket, Key, UploadId });
        yield {
          file,
          isComplete: false,
          modifiedAt: Initiated?.getTime() ?? Date.now(),
          remove: () =>
            this.call(async () => {
              const isGone = (error: unknown): boolean =>
                (error as Partial<S3ServiceException>).name === 'NoSuchUpload';
              await this.client.send(abort).catch((error: unknown) => {
                if (!isGone(error)) throw error;
              });
            }),
        };
      }
      KeyMarker = page.NextKeyMarker;
      UploadIdMarker = page.NextUploadIdMarker;
      more = page.IsTruncated === true && KeyMarker !== undefined;
    }
  }

  async readMark(): Promise<string | null> {
    const { bucket: Bucket, prefix } = this.settings;
    try {
      const { Body } = await this.client.send(new GetObjectCommand({ Bucket, Key: `${prefix}${MARK}` }));
      return await text(Body as Readable);
    } catch (error) {
      const known = asStoreError(error);
      if (known instanceof FileGone) return null;
      throw known;
    }
  }

  async writeMark(mark: string): Promise<void> {
    const { bucket: Bucket, prefix } = this.settings;
    await this.call(() => this.client.send(new PutObjectCommand({ Bucket, Key: `${prefix}${MARK}`, Body: mark })));
  }

  async check(): Promise<void> {
    await this.sizeOfKey(`${this.settings.prefix}${MARK}`);
  }

  close(): Promise<void> {
    this.client.destroy();
    return Promise.resolve();
  }

  private async sizeOfKey(Key: string): Promise<number | null> {
    try {
      const { ContentLength } = await this.client.send(new HeadObjectCommand({ Bucket: this.settings.bucket, Key }));
      return ContentLength ?? 0;
    } catch (error) {
      const known = asStoreError(error);
      if (known instanceof FileGone) return null;
      throw known;
    }
  }

  private place(file: string): { readonly Bucket: string; readonly Key: string } {
    return { Bucket: this.settings.bucket, Key: `${this.settings.prefix}${checkFileName(file)}` };
  }

  private async call<T>(send: () => Promise<T>): Promise<T> {
    try {
      return await send();
    } catch (error) {
      throw asStoreError(error);
    }
  }
}

/** Returns the store's error for an error of the client. */
const asStoreError = (error: unknown): Error => {
  if (error instanceof StoreUnavailable) return error;
  const { name, $metadata } = error as Partial<S3ServiceException>;
  const options = { cause: error };
  const status = $metadata?.httpStatusCode;
  const reason = `${status === undefined ? '' : `${status} `}${name ?? ''}: ${reasonOf(error)}`;
  if (name === 'NoSuchKey' || name === 'NotFound') return new FileGone(FILE_STORE_MESSAGES.fileGone, options);
  if (status === 507 || name === 'QuotaExceeded') return new StoreFull(reason, options);
  return new StoreUnavailable(reason, options);
};
