import { Controller, Get, Param, Post, Req, UseGuards } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import type { CommandContext, CommandOutcome } from '../../../commands/command.js';
import { READ_MODELS_OF_POSTS } from '../../../commands/post/planned-posts.js';
import { WithdrawPosts } from '../../../commands/post/withdraw-posts.js';
import {
  CancelPublications,
  DismissDuplicate,
  DismissPublication,
  ResendPublication,
} from '../../../commands/publication.js';
import type { PublicationIds } from '../../../domain/publication/publication.events.js';
import { WithdrawPublicationBody } from '../../../payload/withdraw.dto.js';
import { FindPost } from '../../../projections/posts/posts.queries.js';
import type { PublicationRow } from '../../../projections/posts/posts.tables.js';
import { FindPublication } from '../../../projections/posts/publications.queries.js';
import { Documented } from '../../documentation/documented.js';
import { chooseTargets } from '../../public/endpoint-post.js';
import { fieldsReader } from '../../transport/fields.js';
import { ApiKeyGuard, getSight } from '../api-key.guard.js';
import { ChangePipeline } from '../change-pipeline.js';
import { IdPipe } from '../common-fields.js';
import { notFoundProblem } from '../http-problems.js';
import { type Call, TheCall } from '../owned-resources.js';
import { requirePost } from './posts.controller.js';
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
    private readonly findPost: FindPost,
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
    codes: { 409: ['wrong_state', 'channel_deleted'] },
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
    const found = await requirePost(this.findPost, call.request, postId);
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
