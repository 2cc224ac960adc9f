import { Controller, Get, Param, Req, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { FindPost, ListPosts, type PostWithPublications } from '../../../projections/posts/posts.queries.js';
import { getCaller, getListScope, getOwnerScope } from '../caller.js';
import { readQuery } from '../request-body.js';
import { IdPipe } from '../id.pipe.js';
import { ApiKeyGuard } from '../api-key.guard.js';
import { type ListView, buildListView, toPage } from '../page.js';
import { notFoundProblem } from '../http-problems.js';
import { PostView, PostWithPayloadView } from './post.view.js';
import { PostsQuery } from './posts.query.js';
import { PublicationViewBuilder } from './publication-view-builder.js';

/** Shows posts and their publications (management-api.md: Routes; D-36). */
@Controller('manage/v1/posts')
@UseGuards(ApiKeyGuard)
export class PostsController {
  constructor(
    private readonly queries: QueryBus,
    private readonly publications: PublicationViewBuilder,
  ) {}

  @Get()
  async list(@Req() request: FastifyRequest): Promise<ListView<PostView>> {
    const query = readQuery(request, PostsQuery);
    const page = toPage(query);
    const filter = {
      ownerId: getListScope(getCaller(request), query.owner_id),
      ...{ endpointId: query.endpoint_id, channelId: query.channel_id, state: query.state },
    };
    const rows = await this.queries.execute(new ListPosts(filter, { before: page.after, limit: page.limit + 1 }));
    return buildListView(
      rows,
      page,
      ({ post }) => post.post_id,
      (shown) => this.buildViews(shown),
    );
  }

  @Get(':id')
  async get(@Req() request: FastifyRequest, @Param('id', IdPipe) id: string): Promise<PostWithPayloadView> {
    const found = await this.queries.execute(new FindPost(id, getOwnerScope(getCaller(request))));
    if (!found) throw notFoundProblem('post');
    return new PostWithPayloadView(found, await this.publications.buildViews(found.publications));
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
