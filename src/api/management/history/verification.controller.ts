import { Controller, Post, UseGuards } from '@nestjs/common';
import { AGGREGATE_NAMES, findAggregate } from '../../../history/aggregates/catalogue.js';
import { TimeTravel } from '../../../history/time-travel/time-travel.js';
import { openCheckpoint } from '../../../history/transparency-log/published-checkpoint.js';
import { TransparencyLog } from '../../../history/transparency-log/transparency-log.js';
import { type VerificationParams, VERIFY_HISTORY } from '../../../history/transparency-log/verify-history.js';
import { JobTable } from '../../../jobs/job.js';
import { Must } from '../../../validation/rules.js';
import { Documented } from '../../documentation/documented.js';
import { fieldsReader } from '../../transport/fields.js';
import { HttpProblem } from '../../transport/problem.view.js';
import { ApiKeyGuard } from '../api-key.guard.js';
import { ChangePipeline } from '../change-pipeline.js';
import { ID_PATTERN } from '../common-fields.js';
import { fieldProblem } from '../http-problems.js';
import { jobResult, type JobView } from '../jobs/job.view.js';
import { HISTORY_MESSAGES } from '../messages.js';
import { type Call, TheCall } from '../owned-resources.js';
import { currentLog } from './transparency-log.controller.js';

/** Matches any string of 1 to 4,096 UTF-16 units. */
const CHECKPOINT = /^[^]{1,4096}$/;

/** Body of POST /history/verify. Without fields, everything is verified. */
export class VerificationBody {
  /** Only the events of aggregates of this type. */
  @Must.beOneOf([...AGGREGATE_NAMES])
  readonly aggregate: string | undefined;

  /** Only the events of the aggregate with this id; requires `aggregate`. */
  @Must.match(ID_PATTERN, 'an id such as ep_…')
  readonly id: string | undefined;

  /** An earlier checkpoint, to check that the log still extends it. */
  @Must.match(CHECKPOINT, 'a checkpoint as GET /history/log/checkpoint returned it')
  readonly checkpoint: string | undefined;
}

/** Starts history verification jobs (management-api.md: `POST /history/verify`). */
@Controller('manage/v1/history')
@UseGuards(ApiKeyGuard)
export class VerificationController {
  constructor(
    private readonly changes: ChangePipeline,
    private readonly jobs: JobTable,
    private readonly log: TransparencyLog,
    private readonly timeTravel: TimeTravel,
  ) {}

  @Documented({
    summary: 'Verify the history: chains, order, tree and checkpoint',
    body: VerificationBody,
    status: 202,
    operatorOnly: HISTORY_MESSAGES.verificationIsOperators,
    codes: { 404: ['not_found'], 503: ['log_behind'] },
  })
  @Post('verify')
  async verify(@TheCall() call: Call): Promise<JobView> {
    const read = fieldsReader(VerificationBody);
    return this.changes.handlePost({ ...call, read, status: 202 }, async (body) =>
      jobResult(await this.jobs.start({ kind: VERIFY_HISTORY, params: await this.toParams(body) })),
    );
  }

  /**
   * @throws HttpProblem 404 for an aggregate that never existed; 422 for an id without an aggregate, or for a
   * checkpoint of an unknown log; 503 while no checkpoint exists
   */
  private async toParams(body: VerificationBody): Promise<VerificationParams> {
    const { aggregate, id, checkpoint } = body;
    if (id !== undefined && aggregate === undefined)
      throw fieldProblem('id', 'missing', HISTORY_MESSAGES.idWithoutAggregate);
    if (id !== undefined && aggregate !== undefined) {
      const kind = findAggregate(aggregate)!;
      const found = await this.timeTravel.show(kind, id, null, {}, { from: 0n, limit: 1 });
      if (!found) throw HttpProblem.withMessage(404, 'not_found', HISTORY_MESSAGES.notThen({ what: kind.name }));
    }
    if (checkpoint !== undefined) {
      const { origin, vkey } = await currentLog(() => this.log.readHead());
      const logs = [{ vkey }, ...(await this.log.listEnded())];
      if (!logs.some((log) => openCheckpoint(checkpoint, log.vkey)))
        throw fieldProblem('checkpoint', 'invalid', HISTORY_MESSAGES.badCheckpoint({ origin }));
    }
    return { aggregate: aggregate ?? null, id: id ?? null, checkpoint: checkpoint ?? null };
  }
}
