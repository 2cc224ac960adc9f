import { resolve } from 'node:path';
import { type Log, silentLog } from '../kernel/log.js';
import { storageError } from './download.js';
import { fitSize } from './fit-size.js';
import { buildProgram, HelperProcess } from './helper.js';
import { MAX_PIXELS } from './media-rules.js';
import { MEDIA_CACHE_MESSAGES } from './messages.js';
import { type PhotoAnswer, photoProgram, type PhotoRequest, type ResizedPhoto } from './photo-program.js';

interface PhotoEditorOptions {
  /** Time limit for one photo, in ms; default 30 s. */
  readonly timeoutMs?: number;
  readonly log?: Log;
}

/** Makes photos fit limits, one at a time, in a helper process that serves owners in turn. */
export class PhotoEditor {
  private readonly helper: HelperProcess<PhotoRequest, PhotoAnswer>;
  private readonly log: Log;

  constructor({ timeoutMs = 30_000, log = silentLog }: PhotoEditorOptions = {}) {
    const sharp = import.meta.resolve('sharp');
    const program = buildProgram(photoProgram, fitSize, sharp, MAX_PIXELS);
    this.helper = new HelperProcess({ program, libraries: [sharp], timeoutMs, maxHeapMb: 64, maxMemoryMb: 1_536 });
    this.log = log;
  }

  /**
   * Scales, orients and encodes a photo.
   * @param signal skips the photo if it aborts before the photo's turn
   * @returns null if the file cannot be made to fit: it is not a photo, or a decoder fails
   * @throws FetchError `storage` for disk errors, if the signal aborted, or if the gateway is stopping
   */
  async fit({ from, to, limits }: PhotoRequest, signal?: AbortSignal, owner?: string): Promise<ResizedPhoto | null> {
    // The process has its own working folder, so paths must be absolute.
    const reply = await this.helper.ask({ from: resolve(from), to: resolve(to), limits }, signal, owner);
    if ('withdrawn' in reply) throw storageError(MEDIA_CACHE_MESSAGES.resizeStopped);
    const answer: PhotoAnswer = 'answer' in reply ? reply.answer : { photo: null, reason: reply.failed };
    if ('failure' in answer) throw storageError(MEDIA_CACHE_MESSAGES.resizeFailed, new Error(answer.failure));
    if (!answer.photo) this.log.warn({ reason: answer.reason }, 'a photo could not be resized to fit');
    return answer.photo;
  }

  /** Kills the process; a photo in progress fails. */
  close(): void {
    this.helper.close();
  }
}
