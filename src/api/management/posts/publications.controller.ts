import { Controller, Get, Param, Post, Req, Res, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { READ_MODELS_OF_POSTS } from '../../../commands/post/read-models.js';
import { CancelPublications } from '../../../commands/publication/cancel-publications.js';
import { DismissPublication } from '../../../commands/publication/dismiss-publication.js';
import { ResendPublication } from '../../../commands/publication/resend-publication.js';
import type { PublicationRow } from '../../../projections/posts/posts.tables.js';
import { FindPublication } from '../../../projections/posts/publications.queries.js';
import { Documented } from '../../documentation/documented.js';
import { fieldsReader } from '../../transport/fields.js';
import { ApiKeyGuard } from '../api-key.guard.js';
import { getCaller, getOwnerScope } from '../caller.js';
import { ChangePipeline } from '../change-pipeline.js';
import { notFoundProblem } from '../http-problems.js';
import { IdPipe } from '../id.pipe.js';
import { EmptyBody } from '../pause.body.js';
import type { PublicationView } from './publication.view.js';
import { PublicationViewBuilder } from './publication-view-builder.js';

/**
 * Shows publications, and executes decisions about publications that are planned, queued, in doubt or failed (D-25;
 * management-api.md: publication).
 */
@Controller('manage/v1/publications')
@UseGuards(ApiKeyGuard)
export class PublicationsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly findPublicationQuery: FindPublication,
    private readonly changes: ChangePipeline,
    private readonly views: PublicationViewBuilder,
  ) {}

  @Documented({ summary: 'Show a publication' })
  @Get(':id')
  async get(@Req() request: FastifyRequest, @Param('id', IdPipe) id: string): Promise<PublicationView> {
    return this.showPublication(request, id);
  }

  @Documented({
    summary: 'Resend a publication that failed or is in doubt',
    codes: { 409: ['wrong_state', 'channel_deleted'] },
  })
  @Post(':id/resend')
  resend(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('id', IdPipe) id: string,
  ): Promise<PublicationView> {
    return this.executeDecision(ResendPublication, request, reply, id);
  }

  @Documented({
    summary: 'Dismiss a publication that failed or is in doubt',
    codes: { 409: ['wrong_state', 'channel_deleted'] },
  })
  @Post(':id/dismiss')
  dismiss(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('id', IdPipe) id: string,
  ): Promise<PublicationView> {
    return this.executeDecision(DismissPublication, request, reply, id);
  }

  @Documented({ summary: 'Cancel a planned or queued publication', codes: { 409: ['wrong_state', 'publishing'] } })
  @Post(':id/cancel')
  async cancel(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('id', IdPipe) id: string,
  ): Promise<PublicationView> {
    const { post_id: postId, channel_id: channelId } = await this.findPublication(request, id);
    return this.changes.handlePost({ request, reply, read: fieldsReader(EmptyBody) }, async (_, change) => {
      const command = new CancelPublications(change.context, [{ publicationId: id, postId, channelId }]);
      const outcome = await this.commands.execute(command);
      return { outcome, readModels: READ_MODELS_OF_POSTS, show: () => this.showPublication(request, id) };
    });
  }

  private async executeDecision(
    Decision: typeof ResendPublication | typeof DismissPublication,
    request: FastifyRequest,
    reply: FastifyReply,
    id: string,
  ): Promise<PublicationView> {
    const { post_id: postId, channel_id: channelId } = await this.findPublication(request, id);
    return this.changes.handlePost({ request, reply, read: fieldsReader(EmptyBody) }, async (_, change) => {
      const command = new Decision(change.context, { publicationId: id, postId, channelId });
      const outcome = await this.commands.execute(command);
      return { outcome, readModels: READ_MODELS_OF_POSTS, show: () => this.showPublication(request, id) };
    });
  }

  private async findPublication(request: FastifyRequest, id: string): Promise<PublicationRow> {
    const row = await this.findPublicationQuery.execute(id, getOwnerScope(getCaller(request)));
    if (!row) throw notFoundProblem('publication');
    return row;
  }

  private async showPublication(request: FastifyRequest, id: string): Promise<PublicationView> {
    const [view] = await this.views.buildViews([await this.findPublication(request, id)]);
    return view!;
  }
}
