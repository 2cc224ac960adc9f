import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PublishPayloadDto } from '../../../payload/payload.dto.js';
import { Documented } from '../../documentation/documented.js';
import { TIME_CODES } from '../post-changes.controller.js';
import { Sandbox } from './sandbox.js';
import type { SandboxProblemView, SandboxView } from './sandbox.view.js';

/** Checks and previews a payload with an endpoint's token (publish-api.md: POST /v1/sandbox/test). */
@Controller('v1/sandbox')
export class SandboxController {
  constructor(private readonly sandbox: Sandbox) {}

  @Documented({
    summary: 'Check and preview a payload without publishing',
    body: PublishPayloadDto,
    isQuestion: true,
    codes: { 422: ['invalid_targets', 'too_many_targets', ...TIME_CODES], 429: ['preview_budget', 'probe_budget'] },
  })
  @Post('test')
  @HttpCode(200)
  test(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SandboxView | SandboxProblemView> {
    return this.sandbox.test(request, reply, null);
  }
}
