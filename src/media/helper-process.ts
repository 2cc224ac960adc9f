import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { FairSlots } from '../runtime/fair-slots.js';
import { helperCommand, type HelperRights } from './helper-command.js';

/** Source text of a program that is set up once and then handles requests one at a time. */
export type HelperProgram<Request, Response> = string & { readonly request?: Request; readonly response?: Response };

interface HelperOptions<Request, Response> extends HelperRights {
  readonly program: HelperProgram<Request, Response>;
  /** Time limit for one request, in ms. */
  readonly timeoutMs: number;
}

type HelperReply<Response> =
  | { readonly answer: Response }
  /** The program failed, took too long, or died. `died`: true in the last two cases; the program is restarted. */
  | { readonly failed: string; readonly died: boolean }
  /** Not sent: the caller aborted the request, or the helper is closed. */
  | { readonly withdrawn: true };

type Message<Response> = { readonly ready: true } | { readonly answer: Response } | { readonly error: string };

/** Generous, because the machine may be busy. */
const START_MS = 30_000;
const IDLE_MS = 30_000;

/**
 * Builds the source text of a program.
 * @param set must reference nothing outside its body except types and `parts`, which are JSON values or functions that
 * obey the same rule
 */
export const buildProgram = <Parts extends readonly unknown[], Request, Response>(
  set: (...parts: Parts) => Promise<(request: Request) => Promise<Response>>,
  ...parts: Parts
): HelperProgram<Request, Response> => {
  const written = parts.map((part) => (typeof part === 'function' ? `(${part.toString()})` : JSON.stringify(part)));
  return `(${serveRequests.toString()})((${set.toString()})(${written.join(', ')}))`;
};

/** Runs in the helper process: passes each request to the program and sends back the response. */
const serveRequests = (program: Promise<(request: unknown) => Promise<unknown>>): void => {
  process.on('disconnect', () => process.exit());
  void program.then((answer) => {
    process.on('message', (request) => {
      answer(request).then(
        (value) => process.send?.({ answer: value }),
        (error: unknown) => process.send?.({ error: String(error) }),
      );
    });
    process.send?.({ ready: true });
  });
};

/**
 * Processes untrusted files in a child process, to contain a crash, an endless loop or exhausted memory. The process
 * gets no environment variables, an empty working folder and few rights (see helper-command.ts, ADR-93). It handles one
 * request at a time, serving owners in turn (D-68), starts at the first request, is stopped when idle, and is killed
 * when a request takes too long.
 */
export class HelperProcess<Request, Response> {
  private readonly turn = new FairSlots(1);
  private running: { readonly child: ChildProcess; readonly ready: Promise<unknown>; leaveFolder(): void } | undefined;
  private idle: NodeJS.Timeout | undefined;
  private isClosed = false;

  constructor(private readonly options: HelperOptions<Request, Response>) {}

  /**
   * Sends a request and waits for the response.
   * @param signal withdraws the request if it aborts before the request is sent
   * @param owner owners take turns, so one with many files delays only its own
   */
  async ask(request: Request, signal?: AbortSignal, owner = ''): Promise<HelperReply<Response>> {
    const release = await this.turn.acquire(owner);
    clearTimeout(this.idle);
    try {
      if (signal?.aborted || this.isClosed) return { withdrawn: true };
      const { child, ready } = (this.running ??= this.start());
      await ready;
      const message = await nextMessage<Response>(child, this.options.timeoutMs, request);
      if ('answer' in message) return message;
      return { failed: 'error' in message ? message.error : 'it sent an unexpected message', died: false };
    } catch (error) {
      this.kill();
      return this.isClosed ? { withdrawn: true } : { failed: (error as Error).message, died: true };
    } finally {
      this.idle = setTimeout(() => this.kill(), IDLE_MS).unref();
      release();
    }
  }

  /** Kills the process and withdraws waiting requests. */
  close(): void {
    this.isClosed = true;
    this.kill();
  }

  private start(): NonNullable<typeof this.running> {
    const { file, args } = helperCommand(this.options.program, this.options);
    const { cwd, leaveFolder } = enterEmptyFolder();
    const child = spawn(file, args, {
      cwd,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      serialization: 'advanced',
      env: {}, // the gateway's environment contains secrets
    });
    // The child must not keep a finished parent process alive; while a request is waiting, its timer does that.
    child.unref();
    child.channel?.unref();
    child.on('error', () => undefined);
    child.on('close', leaveFolder);
    // A child that dies between two requests is replaced.
    child.on('exit', () => void (this.running?.child === child && (this.running = undefined)));
    return { child, ready: nextMessage(child, START_MS), leaveFolder };
  }

  private kill(): void {
    clearTimeout(this.idle);
    this.running?.child.kill('SIGKILL');
    this.running?.leaveFolder(); // now, because the gateway may exit before the child's exit is reported
    this.running = undefined;
  }
}

/** Creates an empty working folder; uses the root if there is no writable folder for temporary files. */
const enterEmptyFolder = (): { readonly cwd: string; readonly leaveFolder: () => void } => {
  try {
    const cwd = mkdtempSync(join(tmpdir(), 'crosspost-helper-'));
    return { cwd, leaveFolder: () => rmSync(cwd, { recursive: true, force: true }) };
  } catch {
    return { cwd: '/', leaveFolder: () => undefined };
  }
};

/** Sends a request, if given, and waits for the next message. Rejects if none arrives. */
const nextMessage = <Response>(child: ChildProcess, timeoutMs: number, request?: unknown): Promise<Message<Response>> =>
  new Promise((resolve, reject) => {
    const done = (): void => {
      clearTimeout(timer);
      child.off('message', onMessage).off('error', onError).off('exit', onExit);
    };
    const onMessage = (message: unknown): void => {
      done();
      resolve(message as Message<Response>);
    };
    const onError = (error: Error): void => {
      done();
      reject(error);
    };
    const onExit = (code: number | null, signal: string | null): void =>
      onError(new Error(`its process exited (${signal ?? `code ${code}`})`));
    const timer = setTimeout(() => onError(new Error(`it timed out after ${timeoutMs} ms`)), timeoutMs);
    child.on('message', onMessage).on('error', onError).on('exit', onExit);
    if (request !== undefined) child.send(request as object, (error) => error && onError(error));
  });
