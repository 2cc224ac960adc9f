import { Controller, HttpCode, Inject, Param, Post, Req } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { originOfRequest } from '../../commands/origin.js';
import { type PausesMoved, TempPause } from '../../commands/pause/temp-pause.js';
import { TempResume } from '../../commands/pause/temp-resume.js';
import type { Settings } from '../../config/settings.js';
import { SETTINGS } from '../../config/tokens.js';
import type { Origin } from '../../kernel/events.js';
import { isRejection, type Rejection } from '../../kernel/result.js';
import type { Refused } from '../../validation/problem-list.js';
import { validateTempPause, validateTempResume } from '../../payload/validate-pauses.js';
import { ProjectionProgress } from '../../projections/engine/progress.js';
import { type Admitted, Gate } from './gate/gate.js';
import { invalidBody } from './gate/refusals.js';
import { HttpProblem } from '../transport/http-problem.js';
import { invalidTargets } from './invalid-targets.js';
import { checkBody, readJson } from './read-payload.js';

/** Spec: Response of both pause endpoints. */
export interface PausesAnswer {
  readonly ok: true;
  readonly request_id: string;
  readonly projects_affected: number;
  readonly resources_affected: number;
  readonly rescheduled_post_targets: number;
}

/** What shows a pause: discovery to its readers, the schedule to whoever looks at what waits. */
const VIEWS = ['discovery', 'publish-schedule'];
/** How long an answer waits for the views, ms. The pause is in force without them. */
const VIEWS_MS = 5_000;

/** Pausing and resuming without publishing (publish-api.md: temp-pause, temp-resume; D-21, D-45). */
@Controller('v1/webhooks/:slug')
export class PausesController {
  constructor(
    @Inject(SETTINGS) private readonly settings: Settings,
    private readonly gate: Gate,
    private readonly commands: CommandBus,
    private readonly progress: ProjectionProgress,
  ) {}

  @Post('temp-pause')
  @HttpCode(200)
  async pause(@Req() request: FastifyRequest, @Param('slug') slug: string): Promise<PausesAnswer> {
    const admitted = await this.gate.admit(request, slug, 'pauses');
    const body = await understand(admitted, validateTempPause);
    const { projects } = admitted.endpoint;
    const command = new TempPause(originOf(request, admitted), projects, body, this.settings.minuteMs);
    return this.answer(request, admitted, await this.commands.execute(command));
  }

  /** Without a body, everything is resumed. */
  @Post('temp-resume')
  @HttpCode(200)
  async resume(@Req() request: FastifyRequest, @Param('slug') slug: string): Promise<PausesAnswer> {
    const admitted = await this.gate.admit(request, slug, 'pauses');
    const body = await understand(admitted, validateTempResume, '{}');
    const { projects } = admitted.endpoint;
    const command = new TempResume(originOf(request, admitted), projects, body);
    return this.answer(request, admitted, await this.commands.execute(command));
  }

  private async answer(
    request: FastifyRequest,
    admitted: Admitted,
    moved: PausesMoved | Rejection<'invalid_targets'>,
  ): Promise<PausesAnswer> {
    if (isRejection(moved)) throw invalidTargets(admitted.endpoint, moved);
    if (moved.position >= 0n) await this.progress.waitFor(VIEWS, moved.position, VIEWS_MS);
    return {
      ok: true,
      request_id: request.id,
      projects_affected: moved.projectsAffected,
      resources_affected: moved.resourcesAffected,
      rescheduled_post_targets: moved.rescheduled,
    };
  }
}

const originOf = (request: FastifyRequest, { endpoint }: Admitted): Origin =>
  originOfRequest(`endpoint:${endpoint.endpoint_id}`, request.id);

/** Parses and checks a body. @param instead what an empty one stands for */
const understand = async <Body>(
  { endpoint, body }: Admitted,
  validate: (value: unknown) => { readonly ok: true; readonly body: Body } | Refused,
  instead = '',
): Promise<Body> => {
  const { checked } = checkBody(await readJson(body.length > 0 ? body : Buffer.from(instead)), validate);
  if (!checked.ok) throw invalidBody(endpoint, new HttpProblem(checked.status, 'invalid_payload', checked.problems));
  return checked.body;
};
