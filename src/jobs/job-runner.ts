import type { Log } from '../kernel/log.js';
import { reasonOf } from '../kernel/result.js';
import { type Leases, whileHeld } from '../postgres/leases.js';
import type { Notifications } from '../postgres/notifications.js';
import { Backoff } from '../runtime/backoff.js';
import { RepeatedFailure } from '../runtime/failing-work.js';
import { sleepUnlessAborted } from '../runtime/sleep.js';
import type { Job, JobHandler, JobTable } from './job.js';

/** How often the runner looks for jobs whose notification was lost, in ms. */
const LOOK_MS = 2_000;
const REPORT_MS = 1_000;
const RETRY = { firstMs: 200, longestMs: 10_000 };

/**
 * Runs jobs in the `worker` role, each in one process at a time, under a lease. If the process is killed, the job
 * continues in another process, or in the same one after a restart.
 */
export class JobRunner {
  private readonly stopping = new AbortController();
  private readonly running = new Map<string, Promise<void>>();
  private looking: Promise<void> = Promise.resolve();
  private wake: () => void = () => undefined;

  /** @param isOutage whether an error means an outage; the job is then retried */
  constructor(
    private readonly jobs: JobTable,
    private readonly leases: Leases,
    private readonly notifications: Notifications,
    private readonly handlers: readonly JobHandler[],
    private readonly isOutage: (error: unknown) => boolean,
    private readonly log: Log,
  ) {}

  start(): void {
    this.looking = this.look();
  }

  /** Stops this process's jobs. They stay `running` and continue in another process or after a restart. */
  async stop(): Promise<void> {
    this.stopping.abort();
    this.wake();
    await this.looking;
    await Promise.all(this.running.values());
  }

  private async look(): Promise<void> {
    const { jobs, notifications, log } = this;
    const { signal } = this.stopping;
    const failure = new RepeatedFailure();
    const unsubscribe = notifications.subscribe('job', () => this.wake());
    while (!signal.aborted) {
      const woken = new AbortController();
      this.wake = () => woken.abort();
      try {
        for (const id of await jobs.listRunning()) {
          if (this.running.has(id)) continue;
          const ended = this.carryOut(id).finally(() => this.running.delete(id));
          this.running.set(id, ended);
        }
        failure.clear();
      } catch (error) {
        failure.warn(log, error, 'failed to look for jobs');
      }
      await sleepUnlessAborted(LOOK_MS, AbortSignal.any([signal, woken.signal]));
    }
    unsubscribe();
  }

  /** Runs a job until it has finished, here or in another process. */
  private async carryOut(id: string): Promise<void> {
    const { leases, log } = this;
    const { signal } = this.stopping;
    const backoff = new Backoff(RETRY);
    while (!signal.aborted) {
      try {
        const isOver = await whileHeld(leases, `job/${id}`, signal, (held) => this.carryOutUnderLease(id, held));
        leases.failingWork.recordSuccess(`job/${id}`);
        if (isOver) return;
        await backoff.wait(signal); // another process may take the job over
      } catch (error) {
        const reason = reasonOf(error);
        log.warn({ job: id, reason }, 'job interrupted; it will continue');
        const delay = backoff.nextDelay();
        leases.failingWork.recordFailure(`job/${id}`, reason, delay);
        await sleepUnlessAborted(delay, signal);
      }
    }
  }

  /** @returns true if the job has finished @throws errors that mean an outage */
  private async carryOutUnderLease(id: string, signal: AbortSignal): Promise<boolean> {
    const { jobs, handlers, isOutage, log } = this;
    const job = await jobs.find(id);
    if (job?.state !== 'running') return true;
    const handler = handlers.find(({ kind }) => kind === job.kind);
    if (!handler) return false; // only a newer version of the program can run it
    try {
      const result = await handler.run(job, { signal, report: this.createReport(job) });
      if (signal.aborted) return false;
      await jobs.end(id, 'done', result);
    } catch (error) {
      if (signal.aborted) return false;
      if (isOutage(error)) throw error;
      log.error({ job: id, kind: job.kind, err: error }, 'job failed');
      await jobs.end(id, 'failed', { message: reasonOf(error) });
    }
    return true;
  }

  /** Returns a function that writes the progress about once a second, with the time left at the current pace. */
  private createReport(job: Job): (progress: number) => void {
    const startedAt = performance.now();
    let reportedAt = -Infinity;
    return (progress) => {
      const now = performance.now();
      if (now < reportedAt + REPORT_MS) return;
      reportedAt = now;
      const done = progress - job.progress;
      const eta = done > 0 ? Math.ceil((((1 - progress) / done) * (now - startedAt)) / 1_000) : null;
      this.jobs.report(job.id, Math.min(1, Math.max(0, progress)), eta).catch(() => undefined);
    };
  }
}
