import type { Job } from '../../../jobs/job.js';
import { JobRuns, type JobTable, type NewJob } from '../../../jobs/job-table.js';
import { HttpProblem } from '../../transport/http-problem.js';
import type { ChangeResult } from '../change-pipeline.js';
import { CALL_MESSAGES } from '../messages.js';
import { JobView } from './job.view.js';

/** Starts a job. @throws HttpProblem 409 while another job with the same subject is running */
export const startJob = async (jobs: JobTable, job: NewJob): Promise<Job> => {
  try {
    return await jobs.start(job);
  } catch (error) {
    if (!(error instanceof JobRuns)) throw error;
    throw HttpProblem.withMessage(409, 'job_running', CALL_MESSAGES.jobRuns({ id: error.runningId }));
  }
};

/** Returns the result of a call that started a job. It has no position, because starting a job appends no event. */
export const jobResult = (job: Job): ChangeResult<JobView> => ({
  outcome: { position: -1n },
  readModels: [],
  show: async () => new JobView(job),
});
