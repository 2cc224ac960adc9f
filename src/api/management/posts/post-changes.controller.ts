import { Controller, Inject, Param, Patch, Put, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type CommandContext, newCommandContext, originOfRequest } from '../../../commands/command.js';
import { READ_MODELS_OF_POSTS } from '../../../commands/post/planned-posts.js';
import { type PostChangeResult, PostChanges, refuseWithoutEndpoint } from '../../../commands/post/post-changes.js';
import { type Clock, SHARED_CLOCK } from '../../../kernel/clock.js';
import { isRejection } from '../../../kernel/result.js';
import { PublishPayloadDto } from '../../../payload/payload.dto.js';
import { codeOfRefusal } from '../../../payload/publish-at.js';
import { RescheduleDto, validateReschedule } from '../../../payload/reschedule.dto.js';
import { EndpointSnapshots } from '../../../projections/discovery/endpoint-snapshots.queries.js';
import { ProjectionProgress } from '../../../projections/engine/progress.js';
import { FindPost } from '../../../projections/posts/posts.queries.js';
import { Documented } from '../../documentation/documented.js';
import { ChangeReceiver, showChange } from '../../public/change-receiver.js';
import type { ChangedPostView } from '../../public/post.views.js';
import { TIME_CODES } from '../../public/posts.controller.js';
import { checkBody, readJson } from '../../public/read-payload.js';
import { readIfMatch } from '../../transport/headers.js';
import { HttpProblem } from '../../transport/problem.view.js';
import { readBody } from '../../transport/raw-body.js';
import { ApiKeyGuard, getActor, getHolder } from '../api-key.guard.js';
import { IdPipe } from '../common-fields.js';
import { notFoundProblem, toHttpProblem } from '../http-problems.js';
import { type Call, TheCall } from '../owned-resources.js';
import { requireJson } from '../request-body.js';
import { requirePost } from './posts.controller.js';

/** Changes planned posts for their owners and the operator (D-63). Such a change needs no new approval (D-64). */
@Controller('manage/v1/posts/:id')
@UseGuards(ApiKeyGuard)
export class ManagedPostChangesController {
  constructor(
    @Inject(SHARED_CLOCK) private readonly clock: Clock,
    private readonly findPost: FindPost,
    private readonly changes: PostChanges,
    private readonly receiver: ChangeReceiver,
    private readonly endpoints: EndpointSnapshots,
    private readonly progress: ProjectionProgress,
  ) {}

  @Documented({
    summary: 'Move a planned post to another time',
    body: RescheduleDto,
    codes: {
      400: ['invalid_payload'],
      409: ['already_released', 'post_ended', 'too_many_revisions'],
      412: ['revision_mismatch'],
      422: ['invalid_payload', ...TIME_CODES],
    },
  })
  @Patch()
  async reschedule(@TheCall() call: Call, @Param('id', IdPipe) id: string): Promise<ChangedPostView> {
    const { post } = await requirePost(this.findPost, call.request, id);
    const json = await readJson(await this.readBody(call.request));
    const context = this.contextOf(call.request, 'reschedule');
    const { checked } = checkBody(json, (value) => validateReschedule(value, context.at));
    if (!checked.ok) throw new HttpProblem(checked.status, codeOfRefusal(checked.problems), checked.problems);
    const place = { postId: id, stream: post.stream, revision: post.revision };
    const change = { author: MANAGER, ifRevision: readIfMatch(call.request) };
    return this.answer(call.reply, await this.changes.reschedule(place, checked.publishAt, change, context));
  }

  @Documented({
    summary: 'Replace the payload of a planned post',
    body: PublishPayloadDto,
    codes: {
      400: ['invalid_payload'],
      409: ['already_released', 'post_ended', 'too_many_revisions'],
      412: ['revision_mismatch'],
      422: ['invalid_payload', 'invalid_targets', 'too_many_targets', ...TIME_CODES],
      429: ['probe_budget'],
    },
  })
  @Put('payload')
  async replace(@TheCall() call: Call, @Param('id', IdPipe) id: string): Promise<ChangedPostView> {
    const { post } = await requirePost(this.findPost, call.request, id);
    const slug = await this.endpoints.findSlugById(post.endpoint_id);
    const endpoint = slug === null ? null : await this.endpoints.loadCurrent(slug);
    if (!endpoint) throw toHttpProblem(refuseWithoutEndpoint(post.released_at));
    const replacement = await this.receiver.checkReplacement(endpoint, await this.readBody(call.request));
    const place = { postId: id, stream: post.stream, revision: post.revision };
    const change = { author: MANAGER, ifRevision: readIfMatch(call.request) };
    const context = this.contextOf(call.request, 'replace');
    return this.answer(call.reply, await this.changes.replace(place, replacement, change, context));
  }

  private async answer(reply: FastifyReply, result: PostChangeResult): Promise<ChangedPostView> {
    if (result === null) throw notFoundProblem('post');
    if (isRejection(result)) throw toHttpProblem(result);
    await this.progress.waitFor(READ_MODELS_OF_POSTS, result.position);
    void reply.header('x-position', String(result.position));
    return showChange(reply, result);
  }

  /** @throws HttpProblem 415 */
  private readBody(request: FastifyRequest): Promise<Buffer> {
    requireJson(request);
    return readBody(request, getHolder(request));
  }

  private contextOf(request: FastifyRequest, useCase: string): CommandContext {
    return newCommandContext(originOfRequest(getActor(request), request), useCase, this.clock.now());
  }
}

const MANAGER = { isManager: true, requiresApproval: false };
