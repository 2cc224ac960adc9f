import { Controller, Get, Param, Post, Req, Res, UseGuards, UseInterceptors } from '@nestjs/common';
import { CommandBus, QueryBus } from '@nestjs/cqrs';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { CancelPublications } from '../../../commands/publication/cancel-publications.js';
import {
  FindPost,
  type FoundPost,
  ListPosts,
  type PostWithPublications,
} from '../../../projections/posts/posts.queries.js';
import { getCaller, getListScope, getOwnerScope } from '../caller.js';
import { ChangePipeline } from '../change-pipeline.js';
import { fieldsReader, readQuery } from '../request-body.js';
import { IdPipe } from '../id.pipe.js';
import { ApiKeyGuard } from '../api-key.guard.js';
import { HeavyReadTurn } from '../heavy-read-turn.js';
import { isRejection } from '../../../kernel/result.js';
import { type ListView, buildListView, toPage } from '../page.js';
import { EmptyBody } from '../pause.body.js';
import { notFoundProblem } from '../http-problems.js';
import { CancelledPostView, PostView, PostWithPayloadView } from './post.view.js';
import { PostsQuery } from './posts.query.js';
import { toInstant } from '../time.js';
import { PublicationViewBuilder } from './publication-view-builder.js';
import { Documented } from '../../documentation/documented.js';

const READ_MODELS = ['posts', 'publish-schedule'];

/** Shows posts and their publications, and cancels what is queued of one (management-api.md: Routes; D-36). */
@Controller('manage/v1/posts')
@UseGuards(ApiKeyGuard)
export class PostsController {
  constructor(
    private readonly commands: CommandBus,
    private readonly queries: QueryBus,
    private readonly changes: ChangePipeline,
    private readonly publications: PublicationViewBuilder,
  ) {}

  @Documented({ summary: 'List posts', query: PostsQuery })
  @UseInterceptors(HeavyReadTurn)
  @Get()
  async list(@Req() request: FastifyRequest): Promise<ListView<PostView>> {
    const query = readQuery(request, PostsQuery);
    const page = toPage(query);
    const filter = {
      ownerId: getListScope(getCaller(request), query.owner_id),
      ...{ endpointId: query.endpoint_id, channelId: query.channel_id, projectId: query.project_id },
      ...{ state: query.state, externalId: query.external_id, traceId: query.trace_id },
      ...{ since: toInstant(query.since), until: toInstant(query.until) },
    };
    const part = await this.queries.execute(new ListPosts(filter, { before: page.after, limit: page.limit + 1 }));
    return buildListView(
      part,
      page,
      ({ post }) => post.post_id,
      (shown) => this.buildViews(shown),
    );
  }

  @Documented({ summary: 'Show a post with its payload and publications' })
  @UseInterceptors(HeavyReadTurn)
  @Get(':id')
  async get(@Req() request: FastifyRequest, @Param('id', IdPipe) id: string): Promise<PostWithPayloadView> {
    const found = await this.findPost(request, id);
    return new PostWithPayloadView(found, await this.publications.buildViews(found.publications));
  }

  @Documented({
    summary: 'Cancel what is queued of a post',
    codes: { 409: ['wrong_state', 'publishing'] },
  })
  @Post(':id/cancel')
  async cancel(
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
    @Param('id', IdPipe) id: string,
  ): Promise<CancelledPostView> {
    const { publications } = await this.findPost(request, id);
    return this.changes.handlePost({ request, reply, read: fieldsReader(EmptyBody) }, async (_, change) => {
      const ids = publications.map(({ publication_id: publicationId, channel_id: channelId }) => ({
        ...{ publicationId, postId: id, channelId },
      }));
      const outcome = await this.commands.execute(new CancelPublications(change.context, ids));
      const cancelled = isRejection(outcome) ? 0 : outcome.cancelled;
      const show = async () => {
        const found = await this.findPost(request, id);
        return new CancelledPostView(cancelled, await this.publications.buildViews(found.publications));
      };
      return { outcome, readModels: READ_MODELS, show };
    });
  }

  private async findPost(request: FastifyRequest, id: string): Promise<FoundPost> {
    const found = await this.queries.execute(new FindPost(id, getOwnerScope(getCaller(request))));
    if (!found) throw notFoundProblem('post');
    return found;
  }

  private async buildViews(rows: readonly PostWithPublications[]): Promise<PostView[]> {
    // All publications of a page at once: one query of the schedule for any number of posts.
    const publications = await this.publications.buildViews(rows.flatMap((row) => row.publications));
    let from = 0;
    return rows.map((row) => {
      const own = publications.slice(from, from + row.publications.length);
      from += row.publications.length;
      return new PostView(row, own);
    });
  }
}
