import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { until } from '../../e2e/until.js';

/**
 * Measures the longest uninterrupted use of a gateway's thread, in processor time; see test/support/thread-probe.js.
 */
export class ThreadWatch {
  /** Settings to start the gateway with. */
  readonly settings: Readonly<Record<string, string>>;
  private readonly file: string;

  /** @param folder for the probe's file */
  constructor(folder: string) {
    const probe = fileURLToPath(new URL('../../support/thread-probe.js', import.meta.url));
    this.file = join(folder, 'thread-probe');
    this.settings = { NODE_OPTIONS: `--import ${probe}`, THREAD_PROBE: this.file };
  }

  /** Resets the measurement. @param pid of the gateway */
  async reset(pid: number): Promise<void> {
    const before = this.readLongestMs();
    process.kill(pid, 'SIGUSR2');
    await until('the probe is reset', () => this.readLongestMs() < before);
  }

  /** Returns the longest stretch since the last reset, in ms. */
  readLongestMs(): number {
    return Number(readFileSync(this.file, 'latin1'));
  }
}

/** Returns the processor time that some work takes on this thread, in ms: the shortest of three runs. */
export const measureProcessorMs = (work: () => unknown): number => {
  const spent = (): number => Number(readFileSync('/proc/thread-self/schedstat', 'latin1').split(' ', 1)[0]) / 1e6;
  const took = Array.from({ length: 3 }, () => {
    const before = spent();
    work();
    return spent() - before;
  });
  return Math.min(...took);
};
