import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import type { CommandContext } from '../../event-store/codec.js';
import type { Job } from '../../jobs/job.js';
import { JobRuns } from '../../jobs/job-table.js';
import { reject, type Rejection } from '../../kernel/result.js';
import { type Promotion, Rebuilds } from '../../projections/engine/rebuild/rebuilds.js';
import { COMMAND_MESSAGES } from '../messages.js';
import { orRejection } from './reject-refused.js';

export { type Promotion, PROMOTIONS } from '../../projections/engine/rebuild/rebuilds.js';

/**
 * Starts a rebuild of a projection: a candidate alongside the live version, and a job for it. Rejected with
 * `candidate_exists`, `job_running` while another job works on the projection, or `other_program`.
 */
export class RebuildProjection extends Command<Job | Rejection> {
  constructor(
    readonly context: CommandContext,
    readonly name: string,
    readonly promote: Promotion,
    /** Id of the job; a repeated command has the same id. */
    readonly jobId: string,
  ) {
    super();
  }
}

@CommandHandler(RebuildProjection)
export class RebuildProjectionHandler implements ICommandHandler<RebuildProjection> {
  constructor(private readonly rebuilds: Rebuilds) {}

  async execute({ context, name, promote, jobId }: RebuildProjection): Promise<Job | Rejection> {
    try {
      return await orRejection(this.rebuilds.start(name, promote, jobId, context));
    } catch (error) {
      if (!(error instanceof JobRuns)) throw error;
      return reject('job_running', COMMAND_MESSAGES.jobRuns({ id: error.runningId }));
    }
  }
}
