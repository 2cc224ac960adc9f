import { type ChildProcess, spawn } from 'node:child_process';
import { Slots } from '../runtime/semaphore.js';

/** What the process runs: set up once, it answers question after question. It travels as source text. */
export type HelperProgram<Question, Answer> = string & { readonly takes?: Question; readonly gives?: Answer };

/** How a {@link HelperProcess} is set up. */
export interface HelperOptions<Question, Answer> {
  readonly program: HelperProgram<Question, Answer>;
  /** Milliseconds that one question may take. */
  readonly timeoutMs: number;
  /** Of JavaScript in it; for what libraries take beside it, the program is answerable. */
  readonly maxHeapMb: number;
}

/** What came of a question. */
export type HelperReply<Answer> =
  | { readonly answer: Answer }
  /** The program could not answer, took too long, or died of the question; in the last two cases it is started anew. */
  | { readonly failed: string; readonly died: boolean }
  /** The question was not put: its asker has gone, or this is closed. */
  | { readonly withdrawn: true };

type Message<Answer> = { readonly ready: true } | { readonly answer: Answer } | { readonly error: string };

/** The process's own start, on a busy machine. */
const START_MS = 30_000;
const IDLE_MS = 30_000;

/**
 * Source text of a program.
 * @param set functions reach nothing outside themselves but types, and what is handed to them here: functions of the same
 *   kind, and values that JSON can write
 */
export const programOf = <Parts extends readonly unknown[], Question, Answer>(
  set: (...parts: Parts) => Promise<(question: Question) => Promise<Answer>>,
  ...parts: Parts
): HelperProgram<Question, Answer> => {
  const written = parts.map((part) => (typeof part === 'function' ? `(${part.toString()})` : JSON.stringify(part)));
  return `(${serve.toString()})((${set.toString()})(${written.join(', ')}))`;
};

/** The frame of a program, in its process. */
const serve = (program: Promise<(question: unknown) => Promise<unknown>>): void => {
  process.on('disconnect', () => process.exit());
  void program.then((answer) => {
    process.on('message', (question) => {
      answer(question).then(
        (value) => process.send?.({ answer: value }),
        (error: unknown) => process.send?.({ error: String(error) }),
      );
    });
    process.send?.({ ready: true });
  });
};

/**
 * Work on strangers' files in a process of its own: what crashes a parser, keeps it busy for ever or takes all memory
 * costs that process and no more, and its memory is not the gateway's. One question at a time; the process starts with
 * the first, ends when there are no more, and is ended when one keeps it busy for too long.
 */
export class HelperProcess<Question, Answer> {
  private readonly turn = new Slots(1);
  private running: { readonly child: ChildProcess; readonly ready: Promise<unknown> } | undefined;
  private idle: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(private readonly options: HelperOptions<Question, Answer>) {}

  /** @param signal withdraws a question that has not been put yet */
  async ask(question: Question, signal?: AbortSignal): Promise<HelperReply<Answer>> {
    const giveBack = await this.turn.take();
    clearTimeout(this.idle);
    try {
      if (signal?.aborted || this.isClosed) return { withdrawn: true };
      const { child, ready } = (this.running ??= this.start());
      await ready;
      const message = await nextMessage<Answer>(child, this.options.timeoutMs, question);
      if ('answer' in message) return message;
      return { failed: 'error' in message ? message.error : 'it speaks out of turn', died: false };
    } catch (error) {
      this.end();
      return this.isClosed ? { withdrawn: true } : { failed: (error as Error).message, died: true };
    } finally {
      this.idle = setTimeout(() => this.end(), IDLE_MS).unref();
      giveBack();
    }
  }

  /** Ends the process; whoever waits learns that his question was withdrawn. */
  close(): void {
    this.isClosed = true;
    this.end();
  }

  private start(): NonNullable<typeof this.running> {
    const { program, maxHeapMb } = this.options;
    const child = spawn(process.execPath, [`--max-old-space-size=${maxHeapMb}`, '--eval', program], {
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
      env: {}, // There are secrets in ours.
    });
    // It must not keep a process alive that is done; who waits for an answer has a timer.
    child.unref();
    child.channel?.unref();
    child.on('error', () => undefined);
    // One that is gone between two questions, as when the machine has no memory left, is not asked again.
    child.on('exit', () => void (this.running?.child === child && (this.running = undefined)));
    return { child, ready: nextMessage(child, START_MS) };
  }

  private end(): void {
    clearTimeout(this.idle);
    this.running?.child.kill('SIGKILL');
    this.running = undefined;
  }
}

/** Puts a question, where there is one, and waits for the next word. Rejects where none comes. */
const nextMessage = <Answer>(child: ChildProcess, timeoutMs: number, question?: unknown): Promise<Message<Answer>> =>
  new Promise((resolve, reject) => {
    const done = (): void => {
      clearTimeout(timer);
      child.off('message', onMessage).off('error', onError).off('exit', onExit);
    };
    const onMessage = (message: unknown): void => {
      done();
      resolve(message as Message<Answer>);
    };
    const onError = (error: Error): void => {
      done();
      reject(error);
    };
    const onExit = (code: number | null, signal: string | null): void =>
      onError(new Error(`its process ended (${signal ?? `code ${code}`})`));
    const timer = setTimeout(() => onError(new Error(`it was busy for ${timeoutMs} ms`)), timeoutMs);
    child.on('message', onMessage).on('error', onError).on('exit', onExit);
    if (question !== undefined) child.send(question as object, (error) => error && onError(error));
  });
