import { JOB_STATES, type JobState } from '../../../jobs/job.js';
import { Must } from '../../../validation/rules.js';
import { isCursorOf, PageQuery } from '../../transport/page.js';

/** Query parameters of the list of jobs. */
export class JobsQuery extends PageQuery {
  @isCursorOf('job')
  declare readonly cursor: string | undefined;

  @Must.beOneOf([...JOB_STATES])
  readonly state: JobState | undefined;
}
