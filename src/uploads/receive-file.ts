import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { Inject, Injectable } from '@nestjs/common';
import type { UploadedFacts, UploadedType } from '../domain/media/media.events.js';
import { Inspector } from '../media/inspector.js';
import { detectFile, detectHead, findUploadSizeProblem } from '../media/media-rules.js';
import { type Examination, examine, type ReadRange } from '../media/probe.js';
import type { FieldProblem } from '../validation/wording.js';
import { FILE_STORE, type FileStore } from './file-store.js';

/** A file that a client is sending. */
export interface IncomingFile {
  readonly ownerId: string;
  /** Name that it gets in the store. */
  readonly file: string;
  readonly chunks: AsyncIterable<Buffer>;
  /** Null if it is unknown. */
  readonly announcedBytes: number | null;
  /** Called before more bytes are stored, with the number of bytes in all. @throws if they have no room */
  readonly reserve: (bytes: number) => Promise<void>;
  readonly signal: AbortSignal;
}

/** The file cannot be published, whatever the request. */
export class FileRefused extends Error {
  constructor(readonly problem: FieldProblem) {
    super(problem.predicate);
    this.name = 'FileRefused';
  }
}

/** How many bytes are looked at before the rest is received. */
const HEAD_BYTES = 65_536;
/** How often a file is parsed, because another file may have stopped the helper process. */
const ATTEMPTS = 3;

/**
 * Streams files into the store and finds out what they are. Refuses a file as soon as it is certain that it cannot be
 * published. Only the helper process parses its bytes.
 */
@Injectable()
export class FileReceiver {
  constructor(
    @Inject(FILE_STORE) private readonly store: FileStore,
    private readonly inspector: Inspector,
  ) {}

  /**
   * Stores a file. It is durable once this returns; if it throws, nothing is left in the store, except after an outage.
   * @throws FileRefused, StoreUnavailable, the errors of `chunks` and `reserve`, or the signal's reason
   */
  async receive(incoming: IncomingFile): Promise<UploadedFacts> {
    const { file, signal, ownerId } = incoming;
    const hash = createHash('sha256');
    let bytes = 0;
    const counted = async function* (this: FileReceiver): AsyncGenerator<Buffer> {
      for await (const chunk of this.refuseEarly(incoming)) {
        bytes += chunk.length;
        hash.update(chunk);
        yield chunk;
      }
    }.bind(this);
    const body = Readable.from(counted(), { objectMode: true, highWaterMark: 1 });
    await this.store.write(file, body, signal);
    try {
      const examination = await this.examineStored(file, bytes, ownerId, signal);
      const found = detectFile(examination);
      if ('code' in found) throw new FileRefused(found);
      const { width = null, height = null, durationSeconds = null } = examination.inspection ?? {};
      const { type, format: extension, mime } = found;
      return { type, mime, extension, bytes, sha256: hash.digest('hex'), width, height, durationSeconds };
    } catch (error) {
      await this.store.remove(file).catch(() => undefined); // otherwise the sweep removes it
      throw error;
    }
  }

  /** Yields the chunks; throws as soon as they show that the file cannot be published. @throws FileRefused */
  private async *refuseEarly({ chunks, announcedBytes, reserve, ownerId, signal }: IncomingFile) {
    refuse(findUploadSizeProblem(null, announcedBytes ?? 0));
    const head: Buffer[] = [];
    let received = 0;
    let type: UploadedType | null = null;
    for await (const chunk of chunks) {
      received += chunk.length;
      refuse(findUploadSizeProblem(type, received));
      await reserve(received);
      if (received - chunk.length < HEAD_BYTES) {
        head.push(chunk);
        if (received >= HEAD_BYTES) {
          const bytes = Buffer.concat(head.splice(0)).subarray(0, HEAD_BYTES);
          type = await this.lookAtHead(bytes, announcedBytes, ownerId, signal);
        }
      }
      yield chunk;
    }
  }

  /** Returns the type of a file that begins with these bytes; null if they do not say. @throws FileRefused */
  private async lookAtHead(bytes: Buffer, sizeBytes: number | null, ownerId: string, signal: AbortSignal) {
    const inspection = await this.inspector.inspect({ sizeBytes, parts: [{ offset: 0, bytes }] }, signal, ownerId);
    const found = inspection && detectHead(inspection, sizeBytes);
    if (!found) return null;
    if ('code' in found) throw new FileRefused(found);
    return found.type;
  }

  private async examineStored(
    file: string,
    sizeBytes: number,
    owner: string,
    signal: AbortSignal,
  ): Promise<Examination> {
    const read: ReadRange = async ({ offset, length }) => {
      const end = Math.min(offset + length, sizeBytes) - 1;
      if (end < offset) return { offset, bytes: Buffer.alloc(0), sizeBytes };
      return { offset, bytes: await buffer(await this.store.read(file, { start: offset, end }, signal)), sizeBytes };
    };
    let known: Examination = { sizeBytes, inspection: null, isComplete: false };
    for (let attempt = 0; attempt < ATTEMPTS && sizeBytes > 0 && !known.inspection; attempt++)
      for await (known of examine(read, this.inspector, { owner, signal }));
    return known;
  }
}

const refuse = (problem: FieldProblem | undefined): void => {
  if (problem) throw new FileRefused(problem);
};
