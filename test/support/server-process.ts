import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { killWithTestProcess } from './gateway-process.js';

/** Maximum time for a server to start, in ms, on a busy machine. */
const START_MS = 120_000;

/** A server of another project in a separate process group, started by a shell command that runs in the foreground. */
export class ServerProcess {
  private process: ChildProcess | null = null;

  /** @param logFile receives what the server prints */
  constructor(
    private readonly command: string,
    private readonly env: Readonly<Record<string, string>>,
    private readonly logFile: string,
  ) {}

  get isRunning(): boolean {
    return this.process !== null && this.process.exitCode === null && this.process.signalCode === null;
  }

  /** Starts it, without waiting until it answers. Resolves when it has ended. */
  launch(): { readonly ended: Promise<unknown> } {
    const output = openSync(this.logFile, 'a');
    this.process = spawn('/bin/sh', ['-c', this.command], {
      env: { ...process.env, ...this.env },
      detached: true,
      stdio: ['ignore', output, output],
    });
    closeSync(output);
    return { ended: killWithTestProcess(this.process) };
  }

  /** Waits until a check of the running server succeeds. @throws Error with the end of its log if it ends, or takes too long */
  async waitUntil(isReady: () => Promise<boolean>): Promise<void> {
    for (const end = Date.now() + START_MS; !(await isReady().catch(() => false)); await sleep(100)) {
      if (this.isRunning && Date.now() < end) continue;
      throw new Error(`the server did not start:\n${(await readFile(this.logFile, 'utf8')).slice(-4_000)}`);
    }
  }

  /** Kills it, and waits until it has ended. */
  async kill(): Promise<void> {
    if (!this.isRunning) return;
    const exited = once(this.process!, 'exit');
    this.signal('SIGKILL');
    await exited;
  }

  /** Sends a signal to its process group. */
  signal(name: NodeJS.Signals): void {
    if (this.isRunning) process.kill(-this.process!.pid!, name);
  }
}
