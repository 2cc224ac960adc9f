import { Controller, Param, Post, Req, Res, UseGuards } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { DismissPublication } from '../../../commands/publication/dismiss-publication.js';
import { ResendPublication } from '../../../commands/publication/resend-publication.js';
import { FindPublication } from '../../../projections/posts/publications.queries.js';
import type { PublicationRow } from '../../../projections/posts/posts.tables.js';
import { callerOf, scopeOf } from '../caller.js';
import { Changes } from '../changes.js';
import { fieldsOf } from '../request-body.js';
import { IdPipe } from '../id.pipe.js';
import { KeyGuard } from '../key.guard.js';
import { NoFields } from '../pause.body.js';
import { notFound } from '../refusals.js';
import { PublicationViews } from './publication-views.js';

const VIEWS = ['posts', 'publish-schedule'];

/** What an owner decides about a publication that is in doubt or failed (D-25; management-api.md). */
@Controller('manage/v1/publications')
@UseGuards(KeyGuard)
export class PublicationsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly changes: Changes,
    private readonly views: PublicationViews,
  ) {}

  @Post(':id/resend')
  resend(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('id', IdPipe) id: string,
  ): Promise<object> {
    return this.decide(ResendPublication, request, reply, id);
  }

  @Post(':id/dismiss')
  dismiss(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('id', IdPipe) id: string,
  ): Promise<object> {
    return this.decide(DismissPublication, request, reply, id);
  }

  private async decide(
    Decision: typeof ResendPublication | typeof DismissPublication,
    request: FastifyRequest,
    reply: FastifyReply,
    id: string,
  ): Promise<object> {
    const { post_id: postId, channel_id: channelId } = await this.find(request, id);
    return this.changes.post({ request, reply, read: fieldsOf(NoFields) }, async (_, change) => {
      const command = new Decision(change.execution, { publicationId: id, postId, channelId });
      const outcome = await this.commands.execute(command);
      return { outcome, views: VIEWS, show: () => this.show(request, id) };
    });
  }

  private async find(request: FastifyRequest, id: string): Promise<PublicationRow> {
    const row = await this.queries.execute(new FindPublication(id, scopeOf(callerOf(request))));
    if (!row) throw notFound('publication');
    return row;
  }

  private async show(request: FastifyRequest, id: string): Promise<object> {
    const [view] = await this.views.of([await this.find(request, id)]);
    return view!;
  }
}
