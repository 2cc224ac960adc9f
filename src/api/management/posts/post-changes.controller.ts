import { Controller, Inject, Param, Patch, Put, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { type CommandContext, newCommandContext, originOfRequest } from '../../../commands/command.js';
import { READ_MODELS_OF_POSTS } from '../../../commands/post/planned-posts.js';
import {
  type ChangeAuthor,
  type PostChangeResult,
  PostChanges,
  refuseWithoutEndpoint,
} from '../../../commands/post/post-changes.js';
import { type Clock, SHARED_CLOCK } from '../../../kernel/clock.js';
import { isRejection } from '../../../kernel/result.js';
import { ContentDto, PublishPayloadDto } from '../../../payload/payload.dto.js';
import { codeOfRefusal } from '../../../payload/publish-at.js';
import { RescheduleDto, validateReschedule } from '../../../payload/reschedule.dto.js';
import { EndpointSnapshots } from '../../../projections/discovery/endpoint-snapshots.queries.js';
import { ProjectionProgress } from '../../../projections/engine/progress.js';
import { FindPost } from '../../../projections/posts/posts.queries.js';
import { Documented } from '../../documentation/documented.js';
import { ChangeReceiver, showChange } from '../../public/change-receiver.js';
import { ContentEdits, DryRunQuery } from '../../public/content-edits.js';
import type { ChangedPostView } from '../../public/post.views.js';
import { TIME_CODES } from '../../public/posts.controller.js';
import { checkBody, readJson } from '../../public/read-payload.js';
import { readQuery } from '../../transport/fields.js';
import { readIfMatch } from '../../transport/headers.js';
import { HttpProblem } from '../../transport/problem.view.js';
import { readBody } from '../../transport/raw-body.js';
import { ApiKeyGuard, getAuthor, getHolder, getSight, mayApprove } from '../api-key.guard.js';
import { IdPipe } from '../common-fields.js';
import { notFoundProblem, toHttpProblem } from '../http-problems.js';
import { type Call, TheCall } from '../owned-resources.js';
import { requireJson } from '../request-body.js';
import { EditedPostView } from './post.dto.js';
import { requirePost } from './posts.controller.js';
import { PublicationViewBuilder } from './publication.view.js';

/** Changes posts for their owners and the operator (D-63, D-72). With a key that may approve, no new approval is needed (D-64, D-93). */
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
    private readonly contents: ContentEdits,
    private readonly views: PublicationViewBuilder,
  ) {}

  @Documented({
    summary: 'Move a planned post to another time',
    scope: 'post',
    forLimitedKeys: true,
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
    const change = {
      author: await this.authorOf(call.request, post.endpoint_id),
      ifRevision: readIfMatch(call.request),
    };
    return this.answer(call.reply, await this.changes.reschedule(place, checked.publishAt, change, context));
  }

  @Documented({
    summary: 'Replace the payload of a planned post',
    scope: 'post',
    forLimitedKeys: true,
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
    const change = {
      author: await this.authorOf(call.request, post.endpoint_id),
      ifRevision: readIfMatch(call.request),
    };
    const context = this.contextOf(call.request, 'replace');
    return this.answer(call.reply, await this.changes.replace(place, replacement, change, context));
  }

  @Documented({
    summary: 'Give a post new content',
    scope: 'post',
    forLimitedKeys: true,
    description:
      'Replaces the whole content. What is published is edited, never posted again; the answer says which channels cannot show the content. `?dry_run=true` changes nothing.',
    body: ContentDto,
    query: DryRunQuery,
    codes: {
      400: ['invalid_payload'],
      409: ['approval_required', 'not_editable', 'post_ended', 'too_many_revisions'],
      412: ['revision_mismatch'],
      422: ['invalid_payload'],
      429: ['probe_budget', 'preview_budget'],
    },
  })
  @Put('content')
  async edit(@TheCall() call: Call, @Param('id', IdPipe) id: string): Promise<EditedPostView> {
    const { request, reply } = call;
    const found = await requirePost(this.findPost, request, id);
    const { post } = found;
    const result = await this.contents.edit({
      ...found,
      place: { postId: id, stream: post.stream, revision: post.revision },
      body: await this.readBody(request),
      change: { author: await this.authorOf(request, post.endpoint_id), ifRevision: readIfMatch(request) },
      context: this.contextOf(request, 'edit'),
      isDryRun: readQuery(request, DryRunQuery).dry_run === 'true',
    });
    if (result === null) throw notFoundProblem('post');
    if (isRejection(result)) throw toHttpProblem(result);
    const { edited, rows, requests, warnings } = result;
    await this.progress.waitFor(READ_MODELS_OF_POSTS, edited.position);
    const shown = rows ?? (await requirePost(this.findPost, request, id)).publications;
    const views = await this.views.buildViews(shown, getSight(request).endpointIds);
    const publications = views.map((view) => (rows ? { ...view, requests: requests.get(view.id) ?? [] } : view));
    void reply.header('etag', `"${edited.revision}"`);
    if (edited.position > 0n) void reply.header('x-position', String(edited.position));
    return new EditedPostView(id, edited, publications, warnings);
  }

  private async answer(reply: FastifyReply, result: PostChangeResult): Promise<ChangedPostView> {
    if (result === null) throw notFoundProblem('post');
    if (isRejection(result)) throw toHttpProblem(result);
    await this.progress.waitFor(READ_MODELS_OF_POSTS, result.position);
    void reply.header('x-position', String(result.position));
    return showChange(reply, result);
  }

  /** A change by a key that may not approve needs approval while the endpoint requires it (D-93). */
  private async authorOf(request: FastifyRequest, endpointId: string): Promise<ChangeAuthor> {
    if (mayApprove(request)) return { isManager: true, requiresApproval: false };
    const slug = await this.endpoints.findSlugById(endpointId);
    const endpoint = slug === null ? null : await this.endpoints.loadCurrent(slug);
    return { isManager: false, requiresApproval: endpoint?.requires_approval ?? true };
  }

  /** @throws HttpProblem 415 */
  private readBody(request: FastifyRequest): Promise<Buffer> {
    requireJson(request);
    return readBody(request, getHolder(request));
  }

  private contextOf(request: FastifyRequest, useCase: string): CommandContext {
    return newCommandContext(originOfRequest(getAuthor(request), request), useCase, this.clock.now());
  }
}
