import { Controller, Header, HttpCode, Param, Post, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PublishPayloadDto } from '../../payload/payload.dto.js';
import { Documented } from '../documentation/documented.js';
import { PostReceiver } from './post-receiver.js';
import { PublishView } from './publish.view.js';

/** Publishes posts (publish-api.md: POST /v1/webhooks/{slug}). */
@Controller('v1/webhooks')
export class WebhooksController {
  constructor(private readonly posts: PostReceiver) {}

  @Documented({
    summary: 'Publish a post',
    body: PublishPayloadDto,
    answer: PublishView,
    alsoAnswers: { 202: 'The stored answer to an earlier request with the same key' },
    codes: { 402: ['quota_exhausted'], 422: ['invalid_targets', 'too_many_targets'], 429: ['probe_budget'] },
  })
  @Post(':slug')
  @HttpCode(200)
  @Header('content-type', 'application/json; charset=utf-8')
  publish(@Req() request: FastifyRequest, @Param('slug') slug: string, @Res() reply: FastifyReply): Promise<void> {
    return this.posts.receive(request, reply, slug);
  }
}
