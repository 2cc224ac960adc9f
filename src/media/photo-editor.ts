import { silentLog, type Log } from '../kernel/log.js';
import { storageError } from './download.js';
import { fittedSize } from './fitted-size.js';
import { HelperProcess, programOf } from './helper-process.js';
import { MAX_PIXELS } from './media-rules.js';
import { type FittedPhoto, type PhotoAnswer, type PhotoOrder, photoProgram } from './photo-program.js';

/** How a {@link PhotoEditor} is set up. */
export interface PhotoEditorOptions {
  /** Milliseconds that one photo may take; 30 s. */
  readonly timeoutMs?: number;
  readonly log?: Log;
}

/** Makes photos fit: scales them down, turns them upright and encodes them anew, one at a time, in a process of its own. */
export class PhotoEditor {
  private readonly helper: HelperProcess<PhotoOrder, PhotoAnswer>;
  private readonly log: Log;

  constructor({ timeoutMs = 30_000, log = silentLog }: PhotoEditorOptions = {}) {
    const program = programOf(photoProgram, fittedSize, import.meta.resolve('sharp'), MAX_PIXELS);
    this.helper = new HelperProcess({ program, timeoutMs, maxHeapMb: 64 });
    this.log = log;
  }

  /**
   * @param signal keeps a photo from being begun; one that is under way is finished
   * @returns null where nothing within the limits can be made of the file: it is no photo, or a decoder fails on it.
   * @throws MediaFetchError `storage`, where our disk is at fault, or the gateway stops
   */
  async fit(order: PhotoOrder, signal?: AbortSignal): Promise<FittedPhoto | null> {
    const reply = await this.helper.ask(order, signal);
    if ('withdrawn' in reply) throw storageError('was not made to fit: the gateway is stopping');
    const answer: PhotoAnswer = 'answer' in reply ? reply.answer : { photo: null, reason: reply.failed };
    if ('failure' in answer) throw storageError('could not be made to fit', new Error(answer.failure));
    if (!answer.photo) this.log.warn({ reason: answer.reason }, 'a photo could not be made to fit');
    return answer.photo;
  }

  /** Ends the process; a photo under way fails. */
  close(): void {
    this.helper.close();
  }
}
