import { Controller, Header, HttpCode, Post, Res, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PublishPayloadDto } from '../../../payload/payload.dto.js';
import type { EndpointRow } from '../../../projections/discovery/discovery.tables.js';
import { Documented } from '../../documentation/documented.js';
import { Gate } from '../../public/gate/gate.js';
import type { ManagedEndpoint } from '../../public/gate/gate-request.js';
import { answerPost } from '../../public/post-answer.js';
import { TIME_CODES } from '../../public/post-changes.controller.js';
import { PublishView } from '../../public/publish.view.js';
import { Sandbox } from '../../public/sandbox/sandbox.js';
import type { SandboxProblemView, SandboxView } from '../../public/sandbox/sandbox.view.js';
import { ApiKeyGuard } from '../api-key.guard.js';
import { getActor } from '../caller.js';
import { OfResource, type ResourceCall } from '../resource-call.js';

/**
 * Publishes and checks posts the way `/v1` does, but with a management key instead of the endpoint's token, signature
 * and allowlist (management-api.md: posts with a management key).
 */
@Controller('manage/v1/endpoints/:id')
@UseGuards(ApiKeyGuard)
export class EndpointPostsController {
  constructor(
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
      402: ['quota_exhausted', 'resource_limit'],
      403: ['test_endpoint'],
      422: ['invalid_targets', 'too_many_targets', ...TIME_CODES],
      429: ['probe_budget'],
    },
  })
  @Post('posts')
  @HttpCode(200)
  @Header('content-type', 'application/json; charset=utf-8')
  async publish(
    @OfResource('endpoint') { request, resource }: ResourceCall<'endpoint'>,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    answerPost(request, reply, await this.gate.receivePost(request, managedEndpoint(request, resource)));
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
    @OfResource('endpoint') { request, reply, resource }: ResourceCall<'endpoint'>,
  ): Promise<SandboxView | SandboxProblemView> {
    return this.sandbox.test(request, reply, managedEndpoint(request, resource));
  }
}

const managedEndpoint = (request: FastifyRequest, { endpoint_id, owner_id }: EndpointRow): ManagedEndpoint => ({
  endpointId: endpoint_id,
  ownerId: owner_id,
  sender: getActor(request),
});
