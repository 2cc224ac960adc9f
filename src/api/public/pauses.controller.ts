import { Controller, HttpCode, Param, Post, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { originOfRequest } from '../../commands/command.js';
import { type PauseChangeResult, TempPause, TempResume } from '../../commands/pause.js';
import type { Origin } from '../../kernel/events.js';
import { endpointActor } from '../../kernel/events.js';
import { isRejection, type Rejection } from '../../kernel/result.js';
import { TempPauseDto, TempResumeDto, validateTempPause, validateTempResume } from '../../payload/validate.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import type { Refused } from '../../validation/problem-list.js';
import { Documented } from '../documentation/documented.js';
import { HttpProblem } from '../transport/problem.view.js';
import { type AdmittedRequest, Gate } from './gate/gate.js';
import { bodyRejection, targetsRejection } from './gate/rejections.js';
import { checkBody, readJson } from './payload-check.js';

/** The response to temp-pause and temp-resume (publish-api.md: POST /v1/webhooks/{slug}/temp-resume; D-45, D-53). */
export class PausesView {
  /** Always true. */
  readonly ok = true;
  /** The request id, as in the `X-Request-Id` header. */
  readonly request_id: string;
  /** The number of projects addressed by the request; for temp-resume, the number of projects whose pause it ended. */
  readonly projects_affected: number;
  /**
   * The number of channels, counted in the same way; if the request specifies only projects, the number of their
   * channels (D-45).
   */
  readonly resources_affected: number;
  /** The number of waiting publications whose earliest time changed (D-21). */
  readonly rescheduled_post_targets: number;

  constructor(requestId: string, { projectsAffected, resourcesAffected, rescheduled }: PauseChangeResult) {
    this.request_id = requestId;
    this.projects_affected = projectsAffected;
    this.resources_affected = resourcesAffected;
    this.rescheduled_post_targets = rescheduled;
  }
}

/** The read models that show a pause: discovery, and the schedule of waiting publications. */
const READ_MODELS = ['discovery', 'publish-schedule'];
/** How long to wait for the read models before responding, in ms. The pause takes effect either way. */
const READ_MODELS_MS = 5_000;

/** Pauses and resumes projects and channels (publish-api.md: temp-pause, temp-resume; D-21, D-45). */
@Controller('v1/webhooks/:slug')
export class PausesController {
  constructor(
    private readonly gate: Gate,
    private readonly tempPause: TempPause,
    private readonly tempResume: TempResume,
    private readonly progress: ProjectionProgress,
  ) {}

  @Documented({
    summary: 'Pause projects or channels without publishing',
    body: TempPauseDto,
    codes: { 422: ['invalid_targets'] },
  })
  @Post('temp-pause')
  @HttpCode(200)
  async pause(@Req() request: FastifyRequest, @Param('slug') slug: string): Promise<PausesView> {
    const admitted = await this.gate.admit(request, slug, 'pauses');
    const body = await checkPauseBody(admitted, validateTempPause);
    const { projects } = admitted.endpoint;
    return this.buildView(
      request,
      admitted,
      await this.tempPause.execute(createOrigin(request, admitted), projects, body),
    );
  }

  /** Resumes everything if the body is empty. */
  @Documented({ summary: 'Resume projects or channels', body: TempResumeDto, codes: { 422: ['invalid_targets'] } })
  @Post('temp-resume')
  @HttpCode(200)
  async resume(@Req() request: FastifyRequest, @Param('slug') slug: string): Promise<PausesView> {
    const admitted = await this.gate.admit(request, slug, 'pauses');
    const body = await checkPauseBody(admitted, validateTempResume, '{}');
    const { projects } = admitted.endpoint;
    return this.buildView(
      request,
      admitted,
      await this.tempResume.execute(createOrigin(request, admitted), projects, body),
    );
  }

  private async buildView(
    request: FastifyRequest,
    admitted: AdmittedRequest,
    result: PauseChangeResult | Rejection<'invalid_targets'>,
  ): Promise<PausesView> {
    if (isRejection(result)) throw targetsRejection(admitted.endpoint, result);
    if (result.position >= 0n) await this.progress.waitFor(READ_MODELS, result.position, READ_MODELS_MS);
    return new PausesView(request.id, result);
  }
}

const createOrigin = (request: FastifyRequest, { endpoint }: AdmittedRequest): Origin =>
  originOfRequest({ actor: endpointActor(endpoint.endpoint_id) }, request);

/** Parses and checks a body. @param emptyBody the JSON to read instead of an empty body */
const checkPauseBody = async <Body>(
  { endpoint, body }: AdmittedRequest,
  validate: (value: unknown) => { readonly ok: true; readonly body: Body } | Refused,
  emptyBody = '',
): Promise<Body> => {
  const { checked } = checkBody(await readJson(body.length > 0 ? body : Buffer.from(emptyBody)), validate);
  if (!checked.ok) throw bodyRejection(endpoint, new HttpProblem(checked.status, 'invalid_payload', checked.problems));
  return checked.body;
};
