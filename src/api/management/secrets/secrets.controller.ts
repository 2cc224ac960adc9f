import { Controller, Get, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { JobRuns, JobTable } from '../../../jobs/job-table.js';
import { KeyStatus } from '../../../secrets/key-status.js';
import { describeSessions, RESEAL_SECRETS } from '../../../secrets/reseal-job.js';
import { Documented } from '../../documentation/documented.js';
import { fieldsReader } from '../../transport/fields.js';
import { HttpProblem } from '../../transport/http-problem.js';
import { ApiKeyGuard } from '../api-key.guard.js';
import { ChangePipeline } from '../change-pipeline.js';
import { JobView } from '../jobs/job.view.js';
import { JOB_MESSAGES, SECRETS_KEY_MESSAGES } from '../messages.js';
import { EmptyBody } from '../pause.body.js';
import { SecretsView } from './secrets.view.js';

/**
 * Shows the keys of stored secrets, and reseals the secrets with a new key (management-api.md: `POST /secrets/reseal`).
 */
@Controller('manage/v1/secrets')
@UseGuards(ApiKeyGuard)
export class SecretsController {
  constructor(
    private readonly status: KeyStatus,
    private readonly changes: ChangePipeline,
    private readonly jobs: JobTable,
  ) {}

  @Documented({ summary: 'Show which keys seal the stored secrets', operatorOnly: SECRETS_KEY_MESSAGES.operatorsOnly })
  @Get()
  async get(): Promise<SecretsView> {
    return new SecretsView(await this.status.read());
  }

  @Documented({
    summary: 'Seal all stored secrets with SECRETS_KEY',
    status: 202,
    operatorOnly: SECRETS_KEY_MESSAGES.operatorsOnly,
    codes: { 409: ['key_not_everywhere', 'job_running'] },
  })
  @Post('reseal')
  async reseal(@Req() request: FastifyRequest, @Res({ passthrough: true }) reply: FastifyReply): Promise<JobView> {
    return this.changes.handlePost(
      { request, reply, read: fieldsReader(EmptyBody), status: 202 },
      async (_, change) => {
        const id = change.newId('job');
        const { configured } = await this.status.read();
        const sessions = await this.status.findSessionsWithout(configured);
        if (sessions.length > 0)
          throw HttpProblem.withMessage(409, 'key_not_everywhere', describeSessions(configured, sessions));
        // Repeating a call whose answer was lost finds the job that the first call started.
        const job = (await this.jobs.find(id)) ?? (await this.start(id, configured.id));
        return { outcome: { position: -1n }, readModels: [], show: async () => new JobView(job) };
      },
    );
  }

  private async start(id: string, key: string): ReturnType<JobTable['start']> {
    try {
      return await this.jobs.start({ id, kind: RESEAL_SECRETS, params: { key }, subject: RESEAL_SECRETS });
    } catch (error) {
      if (!(error instanceof JobRuns)) throw error;
      throw HttpProblem.withMessage(409, 'job_running', JOB_MESSAGES.alreadyRuns({ id: error.runningId }));
    }
  }
}
