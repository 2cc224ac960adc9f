import { Controller, Header, HttpCode, Param, Post, Req, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PublishPayloadDto } from '../../../payload/payload.dto.js';
import { Documented } from '../../documentation/documented.js';
import { Gate } from '../../public/gate/gate.js';
import type { ManagedEndpoint } from '../../public/gate/gate-request.js';
import { answerPost } from '../../public/post-answer.js';
import { TIME_CODES } from '../../public/post-changes.controller.js';
import { PublishView } from '../../public/publish.view.js';
import { Sandbox } from '../../public/sandbox/sandbox.js';
import type { SandboxProblemView, SandboxView } from '../../public/sandbox/sandbox.view.js';
import { ApiKeyGuard } from '../api-key.guard.js';
import { getActor, getCaller } from '../caller.js';
import { IdPipe } from '../id.pipe.js';
import { OwnedResources } from '../owned-resources.js';

/**
 * Publishes and checks posts as `/v1` does, with a management key instead of the endpoint's token, signature and
 * allowlist (management-api.md: posts with a management key).
 */
@Controller('manage/v1/endpoints/:id')
@UseGuards(ApiKeyGuard)
export class EndpointPostsController {
  constructor(
    private readonly resources: OwnedResources,
    private readonly gate: Gate,
    private readonly sandbox: Sandbox,
  ) {}

  @Documented({
    summary: 'Publish a post through an endpoint',
    body: PublishPayloadDto,
    answer: PublishView,
    alsoAnswers: { 202: 'The stored answer to an earlier request with the same key' },
    passesGate: true,
    codes: {
      402: ['quota_exhausted'],
      403: ['test_endpoint'],
      422: ['invalid_targets', 'too_many_targets', ...TIME_CODES],
      429: ['probe_budget'],
    },
  })
  @Post('posts')
  @HttpCode(200)
  @Header('content-type', 'application/json; charset=utf-8')
  async publish(
    @Req() request: FastifyRequest,
    @Param('id', IdPipe) id: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const endpoint = await this.findEndpoint(request, id);
    answerPost(request, reply, await this.gate.receivePost(request, endpoint));
  }

  @Documented({
    summary: 'Check and preview a payload without publishing',
    body: PublishPayloadDto,
    isQuestion: true,
    passesGate: true,
    codes: { 422: ['invalid_targets', 'too_many_targets', ...TIME_CODES], 429: ['preview_budget', 'probe_budget'] },
  })
  @Post('sandbox')
  @HttpCode(200)
  async test(
    @Req() request: FastifyRequest,
    @Param('id', IdPipe) id: string,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SandboxView | SandboxProblemView> {
    return this.sandbox.test(request, reply, await this.findEndpoint(request, id));
  }

  /** @throws HttpProblem 404 if it does not exist or the caller may not see it */
  private async findEndpoint(request: FastifyRequest, id: string): Promise<ManagedEndpoint> {
    const { endpoint_id, owner_id } = await this.resources.findResource(request, 'endpoint', id);
    return { endpointId: endpoint_id, ownerId: owner_id, sender: getActor(getCaller(request)) };
  }
}
