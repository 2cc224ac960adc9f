import { Controller, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { findAggregate } from '../../../history/aggregates/catalogue.js';
import { TimeTravel } from '../../../history/time-travel/time-travel.js';
import { openCheckpoint } from '../../../history/transparency-log/signed-note.js';
import { TransparencyLog } from '../../../history/transparency-log/transparency-log.js';
import { type VerificationParams, VERIFY_HISTORY } from '../../../history/transparency-log/verification-handler.js';
import { JobTable } from '../../../jobs/job-table.js';
import { Documented } from '../../documentation/documented.js';
import { fieldsReader } from '../../transport/fields.js';
import { HttpProblem } from '../../transport/http-problem.js';
import { ApiKeyGuard } from '../api-key.guard.js';
import { ChangePipeline } from '../change-pipeline.js';
import { JobView } from '../jobs/job.view.js';
import { HISTORY_MESSAGES } from '../messages.js';
import { currentLog } from './transparency-log.controller.js';
import { VerificationBody } from './verification.body.js';

/** Starts verifications of the history (management-api.md: `POST /history/verify`). */
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
  async verify(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<JobView> {
    return this.changes.handlePost(
      { request, reply, read: fieldsReader(VerificationBody), status: 202 },
      async (body) => {
        const params = await this.toParams(body);
        const job = await this.jobs.start({ kind: VERIFY_HISTORY, params });
        return { outcome: { position: -1n }, readModels: [], show: async () => new JobView(job) };
      },
    );
  }

  /**
   * @throws HttpProblem 404 for an aggregate that never existed; 422 for an id without an aggregate, or for a
   * checkpoint of an unknown log; 503 while no checkpoint exists
   */
  private async toParams(body: VerificationBody): Promise<VerificationParams> {
    const { aggregate, id, checkpoint } = body;
    if (id !== undefined && aggregate === undefined)
      throw invalid('id', 'missing', HISTORY_MESSAGES.idWithoutAggregate);
    if (id !== undefined && aggregate !== undefined) {
      const kind = findAggregate(aggregate)!;
      const found = await this.timeTravel.show(kind, id, null, {}, { from: 0n, limit: 1 });
      if (!found) throw HttpProblem.withMessage(404, 'not_found', HISTORY_MESSAGES.notThen({ what: kind.name }));
    }
    if (checkpoint !== undefined) {
      const { origin, vkey } = await currentLog(() => this.log.readHead());
      const logs = [{ vkey }, ...(await this.log.listEnded())];
      if (!logs.some((log) => openCheckpoint(checkpoint, log.vkey)))
        throw invalid('checkpoint', 'invalid', HISTORY_MESSAGES.badCheckpoint({ origin }));
    }
    return { aggregate: aggregate ?? null, id: id ?? null, checkpoint: checkpoint ?? null };
  }
}

const invalid = (path: string, code: string, message: string): HttpProblem =>
  new HttpProblem(422, 'invalid', [{ path, code, message }]);
