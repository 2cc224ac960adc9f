import { Worker } from 'node:worker_threads';
import { silentLog, type Log } from '../kernel/log.js';
import {
  inspectorThread,
  type Inspection,
  type InspectorQuestion,
  type InspectorThreadSetup,
} from './inspector-thread.js';

/** How an {@link Inspector} is set up. */
export interface InspectorOptions {
  /** Milliseconds that one file may keep the thread busy; 1 s. */
  readonly timeoutMs?: number;
  /** What WebAssembly, in which films are parsed, may take; 256 MB. */
  readonly maxWasmBytes?: number;
  /** The program of the thread; for tests. */
  readonly program?: () => Promise<void>;
  readonly log?: Log;
}

interface Job {
  readonly question: InspectorQuestion;
  readonly signal: AbortSignal | undefined;
  settle(inspection: Inspection | null): void;
}

type Message = { readonly ready: true } | { readonly answer: Inspection } | { readonly error: string };

/** The thread's own start, on a busy machine. */
const START_MS = 30_000;
const IDLE_MS = 30_000;

/**
 * Says what files are, from stretches of them. Parsing is done one file at a time in a thread with bounded memory; the
 * thread starts with the first file, and is ended when a file keeps it busy for too long.
 */
export class Inspector {
  private readonly waiting: Job[] = [];
  private running: Job | undefined;
  private thread: Worker | undefined;
  private isReady = false;
  private timer: NodeJS.Timeout | undefined;
  private readonly timeoutMs: number;
  private readonly source: string;
  private readonly maxWasmBytes: number;
  private readonly log: Log;

  constructor({ timeoutMs = 1_000, maxWasmBytes = 256 * 1_048_576, program, log }: InspectorOptions = {}) {
    this.maxWasmBytes = maxWasmBytes;
    this.log = log ?? silentLog;
    this.timeoutMs = timeoutMs;
    this.source = `(${(program ?? inspectorThread).toString()})()`;
  }

  /**
   * @param signal takes a file out of the queue.
   * @returns null where a parser failed on it, took too long, or where the signal was first: nothing is certain then.
   */
  inspect(question: InspectorQuestion, signal?: AbortSignal): Promise<Inspection | null> {
    return new Promise((settle) => {
      this.waiting.push({ question, signal, settle });
      this.next();
    });
  }

  /** Ends the thread. Files that wait are answered with null. */
  async close(): Promise<void> {
    for (const job of this.waiting.splice(0)) job.settle(null);
    await this.endThread();
  }

  private next(): void {
    if (this.running) return;
    let job = this.waiting.shift();
    for (; job?.signal?.aborted; job = this.waiting.shift()) job.settle(null);
    if (!job) {
      if (this.thread) this.rest();
      return;
    }
    clearTimeout(this.timer);
    this.running = job;
    this.thread ??= this.startThread();
    if (this.isReady) this.ask(job);
  }

  private ask({ question }: Job): void {
    this.watch(this.timeoutMs);
    this.thread?.postMessage(question);
  }

  private startThread(): Worker {
    const setup: InspectorThreadSetup = {
      libraries: {
        fileType: import.meta.resolve('file-type'),
        imageSize: import.meta.resolve('image-size'),
        mediaInfo: import.meta.resolve('mediainfo.js'),
      },
      maxWasmBytes: this.maxWasmBytes,
    };
    const thread = new Worker(this.source, {
      eval: true,
      workerData: setup,
      execArgv: [],
      env: {},
      resourceLimits: { maxOldGenerationSizeMb: 128, maxYoungGenerationSizeMb: 16 },
    });
    thread.on('message', (message: Message) => this.thread === thread && this.take(message));
    thread.on('error', (err) => this.thread === thread && this.giveUp(`it failed: ${err.message}`));
    thread.on('exit', (code) => this.thread === thread && this.giveUp(`it ended with code ${code}`));
    this.watch(START_MS);
    return thread;
  }

  private take(message: Message): void {
    if ('ready' in message) {
      this.isReady = true;
      this.thread?.unref(); // It must not keep a process alive that is done; before it is up, unref has no effect.
      if (this.running) this.ask(this.running);
      return;
    }
    if ('error' in message) this.log.warn({ reason: message.error }, 'a media file could not be parsed');
    this.finish('answer' in message ? message.answer : null);
  }

  private finish(inspection: Inspection | null): void {
    const job = this.running;
    this.running = undefined;
    job?.settle(inspection);
    this.next();
  }

  private watch(timeoutMs: number): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.giveUp(`it was busy for ${timeoutMs} ms`), timeoutMs);
  }

  /** A thread that nobody needs gives its memory back. */
  private rest(): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(() => void this.endThread(), IDLE_MS).unref();
  }

  private giveUp(reason: string): void {
    this.log.warn({ reason }, 'the thread that parses media is started anew');
    void this.endThread();
  }

  /** The next file gets a new thread. */
  private async endThread(): Promise<void> {
    clearTimeout(this.timer);
    const thread = this.thread;
    this.thread = undefined;
    this.isReady = false;
    this.finish(null);
    await thread?.terminate();
  }
}
