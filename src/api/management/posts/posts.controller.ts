import { Controller, Get, Param, Req, UseGuards } from '@nestjs/common';
import { QueryBus } from '@nestjs/cqrs';
import type { FastifyRequest } from 'fastify';
import { iso } from '../../../kernel/instant.js';
import { FindPost, ListPosts, type PostWithPublications } from '../../../projections/posts/posts.queries.js';
import { callerOf, listScopeOf, scopeOf } from '../caller.js';
import { readQuery } from '../request-body.js';
import { IdPipe } from '../id.pipe.js';
import { KeyGuard } from '../key.guard.js';
import { type ListAnswer, listAnswer, pageOf } from '../page.js';
import { notFound } from '../refusals.js';
import { PostsQuery } from './posts.query.js';
import { PublicationViews } from './publication-views.js';

/** Posts and what became of them (management-api.md; D-36). */
@Controller('manage/v1/posts')
@UseGuards(KeyGuard)
export class PostsController {
  constructor(
    private readonly queries: QueryBus,
    private readonly publications: PublicationViews,
  ) {}

  @Get()
  async list(@Req() request: FastifyRequest): Promise<ListAnswer> {
    const query = readQuery(request, PostsQuery);
    const page = pageOf(query);
    const filter = {
      ownerId: listScopeOf(callerOf(request), query.owner_id),
      ...{ endpointId: query.endpoint_id, channelId: query.channel_id, state: query.state },
    };
    const rows = await this.queries.execute(new ListPosts(filter, { before: page.after, limit: page.limit + 1 }));
    return listAnswer(
      rows,
      page,
      ({ post }) => post.post_id,
      (shown) => this.view(shown),
    );
  }

  @Get(':id')
  async get(@Req() request: FastifyRequest, @Param('id', IdPipe) id: string): Promise<object> {
    const found = await this.queries.execute(new FindPost(id, scopeOf(callerOf(request))));
    if (!found) throw notFound('post');
    const [view] = await this.view([found]);
    return { ...view, payload: found.payload };
  }

  private async view(rows: readonly PostWithPublications[]): Promise<object[]> {
    // All of a page's publications at once: one look at the schedule, however many posts there are.
    const publications = await this.publications.of(rows.flatMap((row) => row.publications));
    let from = 0;
    return rows.map((row) => {
      const own = publications.slice(from, from + row.publications.length);
      from += row.publications.length;
      return postView(row, own);
    });
  }
}

const postView = ({ post, metadata }: PostWithPublications, publications: readonly object[]): object => ({
  id: post.post_id,
  endpoint_id: post.endpoint_id,
  owner_id: post.owner_id,
  accepted_at: iso(post.accepted_at),
  external_id: post.external_id,
  trace_id: post.trace_id,
  metadata,
  publications,
});
