import { JOB_STATES, type JobState } from '../../../jobs/job.js';
import { nullToAbsent } from '../../../validation/absence.js';
import type { Sent } from '../../../validation/check-fields.js';
import { Must } from '../../../validation/rules.js';
import { isCursorOf, PageQuery } from '../page.js';

/** The query of the list of jobs. */
export class JobsQuery extends PageQuery {
  @isCursorOf('job')
  declare readonly cursor: string | undefined;

  @Must.beOneOf([...JOB_STATES])
  readonly state: JobState | undefined;

  constructor(sent: Sent) {
    super(sent);
    this.state = nullToAbsent(sent.state) as JobState | undefined;
  }
}
