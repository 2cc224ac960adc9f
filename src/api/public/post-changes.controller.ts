import { Controller, Delete, HttpCode, Param, Patch, Put, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { PublishPayloadDto } from '../../payload/payload.dto.js';
import { RescheduleDto } from '../../payload/reschedule.dto.js';
import { Documented } from '../documentation/documented.js';
import { ChangeReceiver } from './change-receiver.js';
import type { CancelledView, ChangedPostView } from './post.views.js';

/** Error codes of rejected changes, by status. */
export const CHANGE_CODES = {
  404: ['not_found'],
  409: ['already_released', 'post_ended', 'too_many_revisions'],
  412: ['revision_mismatch'],
};

/** Error codes of a rejected `publish_at`. */
export const TIME_CODES = ['invalid_publish_at', 'publish_at_past', 'publish_at_too_far'];

/** Changes an endpoint's planned posts (D-63). */
@Controller('v1/webhooks/:slug/posts/:post_id')
export class PostChangesController {
  constructor(private readonly changes: ChangeReceiver) {}

  @Documented({
    summary: 'Move a planned post to another time',
    body: RescheduleDto,
    codes: { ...CHANGE_CODES, 422: TIME_CODES },
  })
  @Patch()
  reschedule(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('slug') slug: string,
    @Param('post_id') id: string,
  ): Promise<ChangedPostView> {
    return this.changes.reschedule(request, reply, slug, id);
  }

  @Documented({
    summary: 'Replace the payload of a planned post',
    body: PublishPayloadDto,
    codes: { ...CHANGE_CODES, 422: ['invalid_targets', 'too_many_targets', ...TIME_CODES], 429: ['probe_budget'] },
  })
  @Put()
  replace(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('slug') slug: string,
    @Param('post_id') id: string,
  ): Promise<ChangedPostView> {
    return this.changes.replace(request, reply, slug, id);
  }

  @Documented({
    summary: "Cancel a post's planned or queued publications",
    status: 200,
    codes: { 404: ['not_found'], 409: ['publishing'], 412: ['revision_mismatch'] },
  })
  @Delete()
  @HttpCode(200)
  cancel(
    @Req() request: FastifyRequest,
    @Param('slug') slug: string,
    @Param('post_id') id: string,
  ): Promise<CancelledView> {
    return this.changes.cancel(request, slug, id);
  }
}
