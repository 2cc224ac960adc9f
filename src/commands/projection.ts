import { Injectable } from '@nestjs/common';
import { projection, type ProjectionCommand } from '../domain/projection/projection.decider.js';
import { AggregateStore } from '../event-store/aggregate-store.js';
import type { CommandContext } from '../event-store/codec.js';
import type { Position } from '../event-store/port.js';
import { type Job, JobRuns } from '../jobs/job.js';
import { isRejection, reject, type Rejection } from '../kernel/result.js';
import { ProjectionStatuses } from '../projections/engine/projection-status.queries.js';
import {
  type Decision,
  type Promotion,
  Rebuilds,
  type RecordsDecisions,
  type VersionRefusal,
  VersionsRefused,
} from '../projections/engine/rebuild/rebuilds.js';
import { type CommandOutcome, requireCompleted, toOutcome } from './command.js';
import { COMMAND_MESSAGES } from './messages.js';

const REJECTIONS: Readonly<Record<VersionRefusal, Rejection>> = {
  other_program: reject('other_program', COMMAND_MESSAGES.otherProgram),
  candidate_exists: reject('candidate_exists', COMMAND_MESSAGES.candidateExists),
  no_candidate: reject('no_candidate', COMMAND_MESSAGES.noCandidate),
  deployed: reject('candidate_deployed', COMMAND_MESSAGES.candidateDeployed),
  no_previous: reject('no_previous', COMMAND_MESSAGES.noPrevious),
  not_level: reject('not_level', COMMAND_MESSAGES.notLevel),
  behind: reject('not_level', COMMAND_MESSAGES.notLevel),
  in_use: reject('views_in_use', COMMAND_MESSAGES.viewsInUse),
};

/** Awaits a change to a projection's versions; returns a rejection if the change is refused. */
export const orRejection = async <T>(change: Promise<T>): Promise<T | Rejection> => {
  try {
    return await change;
  } catch (error) {
    if (error instanceof VersionsRefused) return REJECTIONS[error.refusal];
    throw error;
  }
};

/**
 * Changes a projection's versions. `promote` makes a rebuilt version live; `discard` discards the version that is being
 * built alongside the live one, and ends its job; `rollBack` makes the previous version live again. Rejected with
 * `other_program`, `views_in_use`, `no_candidate`, `candidate_deployed` if no job builds the candidate, `no_previous`,
 * or `not_level` if the version is still being filled or no process is filling it.
 */
@Injectable()
export class ChangeVersions {
  constructor(private readonly rebuilds: Rebuilds) {}

  async execute(
    context: CommandContext,
    name: string,
    change: 'promote' | 'discard' | 'rollBack',
  ): Promise<CommandOutcome> {
    const result = await orRejection(this.rebuilds[change](name, context));
    return isRejection(result) ? result : { position: result };
  }
}

export { type Promotion, PROMOTIONS } from '../projections/engine/rebuild/rebuilds.js';

/**
 * Starts a rebuild of a projection: a candidate alongside the live version, and a job for it. Rejected with
 * `candidate_exists`, `job_running` while another job works on the projection, or `other_program`.
 */
@Injectable()
export class RebuildProjection {
  constructor(private readonly rebuilds: Rebuilds) {}

  /** @param jobId id of the job; a repeated command has the same id */
  async execute(context: CommandContext, name: string, promote: Promotion, jobId: string): Promise<Job | Rejection> {
    try {
      return await orRejection(this.rebuilds.start(name, promote, jobId, context));
    } catch (error) {
      if (!(error instanceof JobRuns)) throw error;
      return reject('job_running', COMMAND_MESSAGES.jobRuns({ id: error.runningId }));
    }
  }
}

/** Appends the events for decisions about projections. */
@Injectable()
export class DecisionRecorder implements RecordsDecisions {
  constructor(private readonly aggregates: AggregateStore) {}

  async record({ projection: name, event, context }: Decision): Promise<Position> {
    const result = await this.aggregates.execute(projection, name, toCommand(event), context);
    return requireCompleted(toOutcome(result)).position;
  }
}

const toCommand = (event: Decision['event']): ProjectionCommand => {
  switch (event.type) {
    case 'ProjectionEventSkipped':
      return { type: 'SkipEvent', ...event.data };
    case 'ProjectionPromoted':
      return { type: 'RecordPromotion', ...event.data };
    case 'ProjectionRolledBack':
      return { type: 'RecordRollback', ...event.data };
    case 'ProjectionCandidateDiscarded':
      return { type: 'RecordDiscard', ...event.data };
  }
};

/** Makes a stopped projection retry the event that stopped it. Rejected with `not_stopped` if it has not stopped. */
@Injectable()
export class RetryProjection {
  constructor(private readonly statuses: ProjectionStatuses) {}

  async execute(name: string): Promise<CommandOutcome> {
    const resumed = await this.statuses.resume(name);
    return resumed ? { position: -1n } : reject('not_stopped', COMMAND_MESSAGES.notStopped);
  }
}

/**
 * Skips the event that stopped a projection, in every version and in all later rebuilds. Rejected with `not_stopped` if
 * it has not stopped.
 */
@Injectable()
export class SkipEvent {
  constructor(
    private readonly aggregates: AggregateStore,
    private readonly statuses: ProjectionStatuses,
  ) {}

  /** The appended event is the decision: after a crash, the versions stay stopped until the command is repeated. */
  async execute(context: CommandContext, name: string, reason: string): Promise<CommandOutcome> {
    const failure = await this.statuses.findFailure(name);
    if (!failure) return reject('not_stopped', COMMAND_MESSAGES.notStopped);
    const { eventId, position, type: eventType, message: error } = failure;
    const skip = { type: 'SkipEvent', projection: name, eventId, eventType, position, error, reason } as const;
    const result = await this.aggregates.execute(projection, name, skip, context);
    if (!isRejection(result)) await this.statuses.resume(name);
    return toOutcome(result);
  }
}
