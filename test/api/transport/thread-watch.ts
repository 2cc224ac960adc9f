import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '../../e2e/until.js';

/** Tells how long a gateway's thread was worked without a break, in processor time; see test/support/thread-probe.js. */
export class ThreadWatch {
  /** What the gateway is to be started with. */
  readonly settings: Readonly<Record<string, string>>;
  private readonly file: string;

  /** @param folder of the gateway's, or any other */
  constructor(folder: string) {
    const probe = fileURLToPath(new URL('../../support/thread-probe.js', import.meta.url));
    this.file = join(folder, 'thread-probe');
    this.settings = { NODE_OPTIONS: `--import ${probe}`, THREAD_PROBE: this.file };
  }

  /** Forgets what was. @param pid of the gateway */
  async beginAnew(pid: number): Promise<void> {
    const before = this.longestMs();
    process.kill(pid, 'SIGUSR2');
    await until('the probe begins anew', () => this.longestMs() < before);
  }

  /** The longest stretch since then, ms. */
  longestMs(): number {
    return Number(readFileSync(this.file, 'latin1'));
  }
}

/** The least processor time that some work takes of this thread, ms. */
export const processorMs = (work: () => unknown): number => {
  const spent = (): number => Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ', 1)[0]) / 1e6;
  const took = Array.from({ length: 3 }, () => {
    const before = spent();
    work();
    return spent() - before;
  });
  return Math.min(...took);
};
