import { setTimeout as sleep } from 'node:timers/promises';
import type { Api, ApiAnswer } from './api.js';
import { Failure, NotReachable } from './failures.js';
import { textOf, valueAt } from './json.js';
import { CLI_MESSAGES } from './messages.js';
import type { Output } from './output.js';

const POLL_MS = 500;
/** Time for which a gateway that does not answer is waited for: the job goes on after its restart. In ms. */
const OUTAGE_MS = 60_000;

/** Waits until a job has ended, with a bar, and returns it. @throws Failure the job failed @throws NotReachable */
export const waitForJob = async (api: Api, out: Output, id: string): Promise<ApiAnswer> => {
  let answeredAt = performance.now();
  try {
    for (;;) {
      try {
        const job = await api.manage('GET', `/jobs/${encodeURIComponent(id)}`);
        answeredAt = performance.now();
        const { state, progress, eta_seconds, kind } = job.thing;
        if (state === 'failed') throw new Failure('job_failed', textOf(valueAt(job.thing, 'result.message')) || id);
        if (state === 'done') return job;
        const eta =
          typeof eta_seconds === 'number' ? CLI_MESSAGES.secondsLeft({ seconds: Math.ceil(eta_seconds) }) : '';
        out.progress(Number(progress), CLI_MESSAGES.jobRuns({ kind: textOf(kind), id, eta }));
      } catch (error) {
        if (!(error instanceof NotReachable) || performance.now() > answeredAt + OUTAGE_MS) throw error;
      }
      await sleep(POLL_MS);
    }
  } finally {
    out.endProgress();
  }
};
