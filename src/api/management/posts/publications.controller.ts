import { Controller, Get, Inject, Param, Patch, Post, Put, Req, UseGuards } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  type CommandContext,
  type CommandOutcome,
  newCommandContext,
  originOfRequest,
} from '../../../commands/command.js';
import { READ_MODELS_OF_POSTS } from '../../../commands/post/planned-posts.js';
import {
  type ChangeAuthor,
  type PostChangeResult,
  PostChanges,
  refuseWithoutEndpoint,
} from '../../../commands/post/post-changes.js';
import { WithdrawPosts } from '../../../commands/post/withdraw-posts.js';
import {
  CancelPublications,
  DismissDuplicate,
  DismissPublication,
  ResendPublication,
} from '../../../commands/publication.js';
import type { PublicationIds } from '../../../domain/publication/publication.events.js';
import { type Clock, SHARED_CLOCK } from '../../../kernel/clock.js';
import { isRejection } from '../../../kernel/result.js';
import { ContentDto, PublishPayloadDto } from '../../../payload/payload.dto.js';
import { codeOfRefusal } from '../../../payload/publish-at.js';
import { RescheduleDto, validateReschedule } from '../../../payload/reschedule.dto.js';
import { WithdrawPublicationBody } from '../../../payload/withdraw.dto.js';
import { EndpointSnapshots } from '../../../projections/discovery/endpoint-snapshots.queries.js';
import { ProjectionProgress } from '../../../projections/engine/progress.js';
import type { PublicationRow } from '../../../projections/posts/posts.tables.js';
import { FindPublication } from '../../../projections/posts/publications.queries.js';
import { Documented } from '../../documentation/documented.js';
import { ChangeReceiver, showChange } from '../../public/change-receiver.js';
import { ContentEdits, DryRunQuery } from '../../public/content-edits.js';
import { chooseTargets } from '../../public/endpoint-post.js';
import { checkBody, readJson } from '../../public/payload-check.js';
import type { ChangedPostView } from '../../public/post.views.js';
import { TIME_CODES } from '../../public/posts.controller.js';
import { fieldsReader, readQuery } from '../../transport/fields.js';
import { readIfMatch } from '../../transport/headers.js';
import { HttpProblem, notFoundProblem, toHttpProblem } from '../../transport/problem.view.js';
import { readBody } from '../../transport/raw-body.js';
import { ApiKeyGuard, getAuthor, getHolder, getSight, mayApprove } from '../api-key.guard.js';
import { ChangePipeline } from '../change-pipeline.js';
import { IdPipe } from '../common-fields.js';
import { type Call, OfPost, OwnedResources, type PostCall, TheCall } from '../owned-resources.js';
import { requireJson } from '../request-body.js';
import { EditedPostView } from './post.dto.js';
import { type PublicationView, PublicationViewBuilder } from './publication.view.js';

/** Shows, resends, dismisses and cancels publications (D-25; management-api.md: publication). */
@Controller('manage/v1/publications')
@UseGuards(ApiKeyGuard)
export class PublicationsController {
  constructor(
    private readonly resendPublication: ResendPublication,
    private readonly dismissPublication: DismissPublication,
    private readonly dismissDuplicateOf: DismissDuplicate,
    private readonly cancelPublications: CancelPublications,
    private readonly withdrawals: WithdrawPosts,
    private readonly resources: OwnedResources,
    private readonly findPublicationQuery: FindPublication,
    private readonly changes: ChangePipeline,
    private readonly views: PublicationViewBuilder,
  ) {}

  @Documented({ summary: 'Show a publication', scope: 'read', forLimitedKeys: true })
  @Get(':id')
  async get(@Req() request: FastifyRequest, @Param('id', IdPipe) id: string): Promise<PublicationView> {
    return this.showPublication(request, id);
  }

  @Documented({
    summary: 'Resend a publication that failed or is in doubt',
    scope: 'post',
    forLimitedKeys: true,
    codes: { 409: ['wrong_state', 'channel_deleted', 'content_erased'] },
  })
  @Post(':id/resend')
  resend(@TheCall() call: Call, @Param('id', IdPipe) id: string): Promise<PublicationView> {
    return this.execute(call, id, (context, publication) => this.resendPublication.execute(context, publication));
  }

  @Documented({
    summary: 'Dismiss a publication that failed or is in doubt',
    scope: 'post',
    forLimitedKeys: true,
    codes: { 409: ['wrong_state', 'channel_deleted'] },
  })
  @Post(':id/dismiss')
  dismiss(@TheCall() call: Call, @Param('id', IdPipe) id: string): Promise<PublicationView> {
    return this.execute(call, id, (context, publication) => this.dismissPublication.execute(context, publication));
  }

  @Documented({
    summary: 'Dismiss the duplicate of a publication that readers see twice',
    scope: 'post',
    forLimitedKeys: true,
    codes: { 409: ['wrong_state', 'channel_deleted'] },
  })
  @Post(':id/dismiss-duplicate')
  dismissDuplicate(@TheCall() call: Call, @Param('id', IdPipe) id: string): Promise<PublicationView> {
    return this.execute(call, id, (context, publication) => this.dismissDuplicateOf.execute(context, publication));
  }

  @Documented({
    summary: 'Take a publication back',
    scope: 'post',
    forLimitedKeys: true,
    description: 'As for a post: cancels it, or deletes its messages, which goes on after the answer.',
    body: WithdrawPublicationBody,
  })
  @Post(':id/withdraw')
  async withdraw(@TheCall() call: Call, @Param('id', IdPipe) id: string): Promise<PublicationView> {
    const { post_id: postId, channel_id: channelId } = await this.findPublication(call.request, id);
    const found = await this.resources.findPost(call.request, postId);
    const place = { postId, stream: found.post.stream, revision: found.post.revision };
    const chosen = chooseTargets(found, [channelId]);
    const read = fieldsReader(WithdrawPublicationBody);
    return this.changes.handlePost({ ...call, read }, async ({ reason = null }, { context }) => {
      const targets = 'targets' in chosen ? chosen.targets : [];
      const outcome = await this.withdrawals.withdraw(place, targets, reason, context);
      if (outcome === null) throw notFoundProblem('publication');
      return { outcome, readModels: READ_MODELS_OF_POSTS, show: () => this.showPublication(call.request, id) };
    });
  }

  @Documented({
    summary: 'Cancel a planned or queued publication',
    scope: 'post',
    forLimitedKeys: true,
    codes: { 409: ['wrong_state', 'publishing'] },
  })
  @Post(':id/cancel')
  cancel(@TheCall() call: Call, @Param('id', IdPipe) id: string): Promise<PublicationView> {
    return this.execute(call, id, (context, publication) => this.cancelPublications.execute(context, [publication]));
  }

  private async execute(
    call: Call,
    id: string,
    decide: (context: CommandContext, publication: PublicationIds) => Promise<CommandOutcome>,
  ): Promise<PublicationView> {
    const { post_id: postId, channel_id: channelId } = await this.findPublication(call.request, id);
    return this.changes.handlePost(call, async (_, { context }) => {
      const outcome = await decide(context, { publicationId: id, postId, channelId });
      return { outcome, readModels: READ_MODELS_OF_POSTS, show: () => this.showPublication(call.request, id) };
    });
  }

  private async findPublication(request: FastifyRequest, id: string): Promise<PublicationRow> {
    const { ownerId, endpointIds } = getSight(request);
    const row = await this.findPublicationQuery.execute(id, ownerId, endpointIds);
    if (!row) throw notFoundProblem('publication');
    return row;
  }

  private async showPublication(request: FastifyRequest, id: string): Promise<PublicationView> {
    const [view] = await this.views.buildViews(
      [await this.findPublication(request, id)],
      getSight(request).endpointIds,
    );
    return view!;
  }
}

/** Changes posts for their owners and the operator (D-63, D-72). With a key that may approve, no new approval is needed (D-64, D-93). */
@Controller('manage/v1/posts/:id')
@UseGuards(ApiKeyGuard)
export class ManagedPostChangesController {
  constructor(
    @Inject(SHARED_CLOCK) private readonly clock: Clock,
    private readonly resources: OwnedResources,
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
  async reschedule(@OfPost() call: PostCall): Promise<ChangedPostView> {
    const json = await readJson(await this.readBody(call.request));
    const context = this.contextOf(call.request, 'reschedule');
    const { checked } = checkBody(json, (value) => validateReschedule(value, context.at));
    if (!checked.ok) throw new HttpProblem(checked.status, codeOfRefusal(checked.problems), checked.problems);
    const change = await this.readChange(call);
    return this.answer(call.reply, await this.changes.reschedule(call.place, checked.publishAt, change, context));
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
  async replace(@OfPost() call: PostCall): Promise<ChangedPostView> {
    const { post } = call.found;
    const slug = await this.endpoints.findSlugById(post.endpoint_id);
    const endpoint = slug === null ? null : await this.endpoints.loadCurrent(slug);
    if (!endpoint) throw toHttpProblem(refuseWithoutEndpoint(post.released_at));
    const replacement = await this.receiver.checkReplacement(endpoint, await this.readBody(call.request));
    const change = await this.readChange(call);
    const context = this.contextOf(call.request, 'replace');
    return this.answer(call.reply, await this.changes.replace(call.place, replacement, change, context));
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
      409: ['approval_required', 'content_erased', 'not_editable', 'post_ended', 'too_many_revisions'],
      412: ['revision_mismatch'],
      422: ['invalid_payload'],
      429: ['probe_budget', 'preview_budget'],
    },
  })
  @Put('content')
  async edit(@OfPost() call: PostCall): Promise<EditedPostView> {
    const { request, reply, id, found, place } = call;
    const result = await this.contents.edit({
      ...found,
      place,
      body: await this.readBody(request),
      change: await this.readChange(call),
      context: this.contextOf(request, 'edit'),
      isDryRun: readQuery(request, DryRunQuery).dry_run === 'true',
    });
    if (result === null) throw notFoundProblem('post');
    if (isRejection(result)) throw toHttpProblem(result);
    const { edited, rows, requests, warnings } = result;
    await this.progress.waitFor(READ_MODELS_OF_POSTS, edited.position);
    const shown = rows ?? (await this.resources.findPost(request, id)).publications;
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

  private async readChange({ request, found }: PostCall) {
    return { author: await this.authorOf(request, found.post.endpoint_id), ifRevision: readIfMatch(request) };
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
