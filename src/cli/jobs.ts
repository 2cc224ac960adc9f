import { setTimeout as sleep } from 'node:timers/promises';
import type { Schemas } from '../../clients/typescript/src/index.js';
import type { Api } from './api.js';
import type { Call } from './define.js';
import { Failure, NotReachable } from './failures.js';
import { textOf, valueAt } from './json.js';
import { CLI_MESSAGES } from './messages.js';
import type { Output } from './output.js';

const POLL_MS = 500;
/** How long to wait for a gateway that does not respond, in ms; the job continues after the gateway restarts. */
const OUTAGE_MS = 60_000;

/**
 * Waits for a job to finish unless `--no-wait` is given, and prints it.
 * @throws Failure if it failed @throws NotReachable
 */
export const finishJob = async ({ api, out, options }: Call, started: Schemas['Job']): Promise<Schemas['Job']> => {
  const job = options.wait === false ? started : await waitForJob(api, out, started.id);
  out.answer(job);
  return job;
};

/** Waits for a job to finish, showing its progress, and returns the finished job. */
const waitForJob = async (api: Api, out: Output, id: string): Promise<Schemas['Job']> => {
  let answeredAt = performance.now();
  try {
    for (;;) {
      try {
        const job = await api.get('/jobs/{id}', { path: { id } });
        answeredAt = performance.now();
        const { state, progress, eta_seconds, kind } = job;
        if (state === 'failed') throw new Failure('job_failed', textOf(valueAt(job, 'result.message')) || id);
        if (state === 'done') return job;
        const eta = eta_seconds === null ? '' : CLI_MESSAGES.secondsLeft({ seconds: Math.ceil(eta_seconds) });
        out.progress(progress, CLI_MESSAGES.jobRuns({ kind, id, eta }));
      } catch (error) {
        if (!(error instanceof NotReachable) || performance.now() > answeredAt + OUTAGE_MS) throw error;
      }
      await sleep(POLL_MS);
    }
  } finally {
    out.endProgress();
  }
};
