import { type ChildProcess, spawn } from 'node:child_process';
import { silentLog, type Log } from '../kernel/log.js';
import { storageError } from './download.js';
import { fittedSize } from './fitted-size.js';
import { MAX_PIXELS } from './media-rules.js';
import { type FittedPhoto, type PhotoAnswer, type PhotoOrder, photoProcess } from './photo-process.js';
import { Slots } from './slots.js';

export type { PhotoLimits } from './fitted-size.js';
export type { FittedPhoto } from './photo-process.js';

/** How a {@link PhotoEditor} is set up. */
export interface PhotoEditorOptions {
  /** Milliseconds that one photo may take, the process's own start among them; 30 s. */
  readonly timeoutMs?: number;
  readonly log?: Log;
}

const IDLE_MS = 30_000;

/**
 * Makes photos fit: scales them down, turns them upright and encodes them anew. One at a time, in a process of its own
 * that starts with the first photo, ends when there are no more, and is ended when one keeps it busy for too long.
 */
export class PhotoEditor {
  private readonly turn = new Slots(1);
  private readonly timeoutMs: number;
  private readonly log: Log;
  private child: ChildProcess | undefined;
  private idle: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor({ timeoutMs = 30_000, log = silentLog }: PhotoEditorOptions = {}) {
    this.timeoutMs = timeoutMs;
    this.log = log;
  }

  /**
   * @param signal keeps a photo from being begun; one that is under way is finished
   * @returns null where nothing within the limits can be made of the file: it is no photo, or a decoder fails on it.
   * @throws MediaFetchError `storage`, where our disk or our process is at fault
   */
  async fit(order: PhotoOrder, signal?: AbortSignal): Promise<FittedPhoto | null> {
    const giveBack = await this.turn.take();
    clearTimeout(this.idle);
    try {
      if (signal?.aborted || this.isClosed) throw storageError('was not made to fit: the gateway is stopping');
      const answer = await this.ask(order);
      if ('failure' in answer) throw storageError('could not be made to fit', new Error(answer.failure));
      if (!answer.photo) this.log.warn({ reason: answer.reason }, 'a photo could not be made to fit');
      return answer.photo;
    } finally {
      this.idle = setTimeout(() => this.end(), IDLE_MS).unref();
      giveBack();
    }
  }

  /** Ends the process. A photo under way fails. */
  close(): void {
    this.isClosed = true;
    this.end();
  }

  private ask(order: PhotoOrder): Promise<PhotoAnswer> {
    const child = (this.child ??= this.start());
    return new Promise((resolve) => {
      const settle = (answer: PhotoAnswer): void => {
        clearTimeout(timer);
        child.off('message', settle).off('error', fail).off('exit', onExit);
        resolve(answer);
      };
      const giveUp = (reason: string): void => {
        if (this.child === child) this.end();
        settle(this.isClosed ? { failure: 'the gateway is stopping' } : { photo: null, reason });
      };
      const fail = (error: Error): void => {
        if (this.child === child) this.end();
        settle({ failure: error.message });
      };
      const onExit = (code: number | null, signal: string | null): void =>
        giveUp(`its process ended (${signal ?? code})`);
      const timer = setTimeout(() => giveUp(`it took longer than ${this.timeoutMs} ms`), this.timeoutMs);
      child.on('message', settle).on('error', fail).on('exit', onExit);
      child.send(order, (error) => error && fail(error));
    });
  }

  private start(): ChildProcess {
    const program = `(${photoProcess.toString()})(${fittedSize.toString()})`;
    const library = import.meta.resolve('sharp');
    // Without our environment: there are secrets in it. Its words are libraries' warnings about strangers' files.
    const child = spawn(process.execPath, ['--eval', program, library, String(MAX_PIXELS)], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      env: {},
    });
    child.on('error', () => undefined);
    // It must not keep a process alive that is done.
    child.unref();
    child.channel?.unref();
    return child;
  }

  private end(): void {
    clearTimeout(this.idle);
    this.child?.kill('SIGKILL');
    this.child = undefined;
  }
}
