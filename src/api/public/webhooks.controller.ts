import { Controller, Header, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PublishPayloadDto } from '../../payload/payload.dto.js';
import { Documented } from '../documentation/documented.js';
import { Gate } from './gate/gate.js';
import { answerPost, PublishView } from './post.views.js';
import { TIME_CODES } from './post-changes.controller.js';

/** Publishes posts (publish-api.md: POST /v1/webhooks/{slug}). */
@Controller('v1/webhooks')
export class WebhooksController {
  constructor(private readonly gate: Gate) {}

  @Documented({
    summary: 'Publish a post',
    body: PublishPayloadDto,
    answer: PublishView,
    alsoAnswers: { 202: 'The stored answer to an earlier request with the same key' },
    codes: {
      402: ['quota_exhausted', 'resource_limit'],
      422: ['invalid_targets', 'too_many_targets', ...TIME_CODES],
      429: ['probe_budget'],
    },
  })
  @Post(':slug')
  @HttpCode(200)
  @Header('content-type', 'application/json; charset=utf-8')
  async publish(
    @Req() request: FastifyRequest,
    @Param('slug') slug: string,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    answerPost(request, reply, await this.gate.receivePost(request, slug));
  }
}
