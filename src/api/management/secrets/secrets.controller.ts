import { Controller, Get, Post, UseGuards } from '@nestjs/common';
import { JobTable } from '../../../jobs/job.js';
import { KeyStatus, type KeyStatusReport } from '../../../secrets/key-status.js';
import { describeSessions, RESEAL_SECRETS } from '../../../secrets/reseal-job.js';
import { Documented } from '../../documentation/documented.js';
import { HttpProblem } from '../../transport/problem.view.js';
import { ApiKeyGuard } from '../api-key.guard.js';
import { ChangePipeline } from '../change-pipeline.js';
import { jobResult, type JobView, startJob } from '../jobs/jobs.controller.js';
import { CALL_MESSAGES } from '../messages.js';
import { type Call, TheCall } from '../owned-resources.js';

/** The ids of the keys that seal stored secrets, and the progress of replacing SECRETS_KEY. */
export class SecretsView {
  /** Id of the SECRETS_KEY of the responding process. */
  readonly key: string;
  /** Id of the key that seals new secrets; differs from `key` until the secrets are resealed. */
  readonly active_key: string;
  /** Ids of the keys in SECRETS_KEY_PREVIOUS. */
  readonly previous_keys: readonly string[];
  /** Ids of old keys that must stay in SECRETS_KEY_PREVIOUS: without them, no process can start. */
  readonly needed_keys: readonly string[];
  /** Number of stored secrets. */
  readonly secrets: number;
  /** Number of stored secrets that are not sealed with `key`. */
  readonly sealed_otherwise: number;

  constructor({ configured, active, previous, needed, secrets, sealedOtherwise }: KeyStatusReport) {
    this.key = configured.id;
    this.active_key = active.id;
    this.previous_keys = previous.map(({ id }) => id);
    this.needed_keys = needed;
    this.secrets = secrets;
    this.sealed_otherwise = sealedOtherwise;
  }
}

/** Shows which keys seal the secrets and reseals them with a new key (management-api.md: `POST /secrets/reseal`). */
@Controller('manage/v1/secrets')
@UseGuards(ApiKeyGuard)
export class SecretsController {
  constructor(
    private readonly status: KeyStatus,
    private readonly changes: ChangePipeline,
    private readonly jobs: JobTable,
  ) {}

  @Documented({
    summary: 'Show which keys seal the stored secrets',
    scope: 'read',
    operatorOnly: CALL_MESSAGES.secretsForOperator,
  })
  @Get()
  async get(): Promise<SecretsView> {
    return new SecretsView(await this.status.read());
  }

  @Documented({
    summary: 'Seal all stored secrets with SECRETS_KEY',
    scope: 'manage',
    status: 202,
    operatorOnly: CALL_MESSAGES.secretsForOperator,
    codes: { 409: ['key_not_everywhere', 'job_running'] },
  })
  @Post('reseal')
  async reseal(@TheCall() call: Call): Promise<JobView> {
    return this.changes.handlePost({ ...call, status: 202 }, async (_, change) => {
      const id = change.newId('job');
      const { configured } = await this.status.read();
      const sessions = await this.status.findSessionsWithout(configured);
      if (sessions.length > 0)
        throw HttpProblem.withMessage(409, 'key_not_everywhere', describeSessions(configured, sessions));
      const job = { id, kind: RESEAL_SECRETS, params: { key: configured.id }, subject: RESEAL_SECRETS };
      // A client that repeats the call because the response was lost gets the job started by the first call.
      return jobResult((await this.jobs.find(id)) ?? (await startJob(this.jobs, job)));
    });
  }
}
